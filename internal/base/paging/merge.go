package paging

import (
	"iter"
	"slices"
)

// Merge returns an iterator over the items of several iterators, each of which is in the order of compare: at
// most limit items, 0 means all. Equal items keep the order of their iterators. An error comes last.
func Merge[T any](limit int, compare func(a, b T) int, all ...iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var heads []*head[T]
		for _, items := range all {
			next, stop := iter.Pull2(items)
			defer stop()
			if h := (&head[T]{next: next}); h.advance() {
				heads = append(heads, h)
			}
		}
		for n := 1; len(heads) > 0; n++ {
			if i := slices.IndexFunc(heads, func(h *head[T]) bool { return h.err != nil }); i >= 0 {
				yield(*new(T), heads[i].err)
				return
			}
			least := slices.MinFunc(heads, func(a, b *head[T]) int { return compare(a.item, b.item) })
			if !yield(least.item, nil) || n == limit {
				return
			}
			if !least.advance() {
				heads = slices.DeleteFunc(heads, func(h *head[T]) bool { return h == least })
			}
		}
	}
}

// head is the next item of an iterator that is being merged.
type head[T any] struct {
	item T
	err  error
	next func() (T, error, bool)
}

// advance reads the next item. ok is false after the last.
func (h *head[T]) advance() (ok bool) {
	h.item, h.err, ok = h.next()
	return ok
}
