package lifecycle

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// waiter sends transactions until the table decides.
type waiter struct{ retry.Waiter }

func (s *Service) waiter() waiter {
	return waiter{retry.Waiter{Patience: s.Patience, Rand: s.Rand, Sleep: s.Sleep}}
}

// nonce is sixteen random bytes.
func nonce(random io.Reader) (n [16]byte, err error) {
	if _, err := io.ReadFull(random, n[:]); err != nil {
		return n, fmt.Errorf("make a nonce: %w", err)
	}
	return n, nil
}

// commit sends a transaction with a fresh token until the table decides.
func (w waiter) commit(ctx context.Context, store Store, actions []Action) (Reply, error) {
	if len(actions) > MaxItems {
		return Reply{}, fmt.Errorf("%w: %d", ErrTooManyItems, len(actions))
	}
	token, err := nonce(w.Rand)
	if err != nil {
		return Reply{}, err
	}
	tx := Transaction{Token: hex.EncodeToString(token[:]), Actions: actions}
	var reply Reply
	_, err = w.Insist(ctx, func(ctx context.Context) (answer model.Answer, err error) {
		reply, err = store.Commit(ctx, tx)
		return reply.Answer, err
	})
	return reply, err
}
