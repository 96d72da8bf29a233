// Package pages turns reads of one page at a time into iterators, so that no caller
// writes the loop over positions itself.
//
// A read returns the page after a position, and the position after that page. The zero
// position is the start of the first page and, as next, the end. Pages may be
// empty. When a read fails, the iterator yields the error with a zero value and ends. It
// reads the next page only after the caller has taken all of the previous one.
package paging

import "iter"

// Read returns the page after a position, and the position after that page.
type Read[T any, P comparable] func(after P) (items []T, next P, err error)

// Pages returns an iterator over all pages after a position.
func Pages[T any, P comparable](after P, read Read[T, P]) iter.Seq2[[]T, error] {
	return func(yield func([]T, error) bool) {
		var end P
		for position := after; ; {
			items, next, err := read(position)
			if err != nil {
				yield(nil, err)
				return
			}
			if !yield(items, nil) || next == end {
				return
			}
			position = next
		}
	}
}

// Items returns an iterator over the items of all pages.
func Items[T any, P comparable](read Read[T, P]) iter.Seq2[T, error] {
	return ItemsAfter(*new(P), read)
}

// ItemsAfter returns an iterator over the items of all pages after a position.
func ItemsAfter[T any, P comparable](after P, read Read[T, P]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range Pages(after, read) {
			if err != nil {
				yield(*new(T), err)
				return
			}
			for _, item := range page {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}

// Fail returns an iterator that yields err and nothing else.
func Fail[T any](err error) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) { yield(*new(T), err) }
}

// Collect returns the items of an iterator, or its error.
func Collect[T any](items iter.Seq2[T, error]) ([]T, error) {
	var all []T
	for item, err := range items {
		if err != nil {
			return nil, err
		}
		all = append(all, item)
	}
	return all, nil
}
