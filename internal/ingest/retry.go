package ingest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// send repeats request until the table says written or refused, as retry.Waiter does,
// and answers the last reply.
func (s *Service) send(ctx context.Context, request func(context.Context) (Reply, error)) (Reply, error) {
	var reply Reply
	w := retry.Waiter{Patience: s.Patience, Rand: s.Rand, Sleep: s.Sleep, Retried: s.Retried}
	_, err := w.Insist(ctx, func(ctx context.Context) (_ model.Answer, err error) {
		reply, err = request(ctx)
		return reply.Answer, err
	})
	return reply, err
}
