package verify

import (
	"context"
	"iter"
	"sync"
)

// inOrder returns the results of read for 0 to n-1 in order, up to parallel of them read at once. An error
// comes last.
func inOrder[T any](
	ctx context.Context, n, parallel int, read func(context.Context, int) (T, error),
) iter.Seq2[T, error] {
	type result struct {
		value T
		err   error
	}
	return func(yield func(T, error) bool) {
		ctx, stop := context.WithCancel(ctx)
		var reads sync.WaitGroup
		defer reads.Wait()
		defer stop()
		results := make([]chan result, n)
		start := func(i int) {
			if i < n {
				results[i] = make(chan result, 1)
				reads.Go(func() {
					value, err := read(ctx, i)
					results[i] <- result{value: value, err: err}
				})
			}
		}
		for i := range parallel {
			start(i)
		}
		for i := range n {
			r := <-results[i]
			if !yield(r.value, r.err) || r.err != nil {
				return
			}
			start(i + parallel)
		}
	}
}
