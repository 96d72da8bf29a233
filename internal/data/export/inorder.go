package export

import (
	"context"

	"golang.org/x/sync/errgroup"
)

// readAhead is how many values of one source wait for the values of the sources before it.
const readAhead = 256

// inOrder calls read for each of n sources, up to parallel at the same time, and passes the values that they
// emit to write: all of the first source, then all of the second. It stops at the first error.
func inOrder[T any](ctx context.Context, n, parallel int,
	read func(ctx context.Context, i int, emit func(T) error) error, write func(T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	queue := make(chan chan T, max(parallel, 1)-1)
	group.Go(func() error {
		defer close(queue)
		for i := range n {
			values := make(chan T, readAhead)
			select {
			case queue <- values:
			case <-ctx.Done():
				return ctx.Err()
			}
			group.Go(func() error {
				defer close(values)
				return read(ctx, i, func(v T) error {
					select {
					case values <- v:
						return nil
					case <-ctx.Done():
						return ctx.Err()
					}
				})
			})
		}
		return nil
	})
	group.Go(func() error {
		for values := range queue {
			for v := range values {
				if err := write(v); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return group.Wait()
}
