package lifecycle

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// errUndecided says that patience ended before the table decided.
var errUndecided = errors.New("no decision in time")

// Patience is how long a request is repeated that the table did not decide, because it
// was busy or its answer was lost.
type Patience struct {
	Attempts int           // requests in all; zero means 12
	Base     time.Duration // upper bound of the first pause, doubled after each; zero means 20 ms
	Cap      time.Duration // upper bound of any pause; zero means 2 s
}

func (p Patience) attempts() int {
	if p.Attempts > 0 {
		return p.Attempts
	}
	return 12
}

// bound is the longest pause after an attempt.
func (p Patience) bound(attempt int) time.Duration {
	bound, most := p.Base, p.Cap
	if bound <= 0 {
		bound = 20 * time.Millisecond
	}
	if most <= 0 {
		most = 2 * time.Second
	}
	for ; attempt > 1 && bound < most; attempt-- {
		bound *= 2
	}
	return min(bound, most)
}

// insist repeats a request until the table says written or refused. The request
// repeated is the same one, token and all: after an uncertain answer the table may have
// stored it, and then says written again. The error is errUndecided when patience or
// time ends first, else what no repeat can mend.
func (w waiter) insist(ctx context.Context, request func(context.Context) (model.Answer, error)) (model.Answer, error) {
	for attempt := 1; ; attempt++ {
		answer, err := request(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return answer, errUndecided
		case err != nil, answer == model.Written, answer == model.Refused:
			return answer, err
		case attempt >= w.patience.attempts():
			return answer, errUndecided
		}
		if err := w.pause(ctx, attempt); err != nil {
			return answer, err
		}
	}
}

// waiter pauses between requests.
type waiter struct {
	rand     io.Reader
	sleep    func(context.Context, time.Duration) error
	patience Patience
}

func (s *Service) waiter() waiter { return waiter{s.Rand, s.Sleep, s.Patience} }

// pause waits a random part of the bound, all of it at random: writers that met once
// do not meet again.
func (w waiter) pause(ctx context.Context, attempt int) error {
	var random [8]byte
	if _, err := io.ReadFull(w.rand, random[:]); err != nil {
		return fmt.Errorf("make a pause: %w", err)
	}
	fraction := float64(binary.BigEndian.Uint64(random[:])>>11) / (1 << 53)
	if w.rest(ctx, time.Duration(fraction*float64(w.patience.bound(attempt)))) != nil {
		return errUndecided
	}
	return nil
}

// rest waits for d, or answers the context's error when that ends first.
func (w waiter) rest(ctx context.Context, d time.Duration) error {
	if w.sleep != nil {
		return w.sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
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
	token, err := nonce(w.rand)
	if err != nil {
		return Reply{}, err
	}
	tx := Transaction{Token: hex.EncodeToString(token[:]), Actions: actions}
	var reply Reply
	_, err = w.insist(ctx, func(ctx context.Context) (answer model.Answer, err error) {
		reply, err = store.Commit(ctx, tx)
		return reply.Answer, err
	})
	return reply, err
}
