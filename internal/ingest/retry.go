package ingest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/internal/storage"
)

// send repeats request until the table decides, like retry.Retrier.Do, and returns the
// last result. An error that the table did not decide wraps the client's error.
func (s *Service) send(ctx context.Context, request func(context.Context) (StoreResult, error)) (StoreResult, error) {
	var last StoreResult
	r := retry.Retrier{Policy: s.RetryPolicy, Rand: s.Rand, Sleep: s.Sleep, OnRetry: s.OnRetry}
	_, err := r.Do(ctx, func(ctx context.Context) (_ storage.WriteResult, err error) {
		last, err = request(ctx)
		return last.Result, err
	})
	return last, retry.WithCause(err, last.Cause)
}
