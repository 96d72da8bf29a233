// Package retry repeats what a table did not decide, because it was busy or its answer
// was lost. Verdicts are never repeated, and a wait is always a random part of a bound
// that doubles, so that writers that met once do not meet again: full jitter, as the
// AWS Architecture Blog's "Exponential Backoff And Jitter" measured it.
package retry

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrUndecided says that patience or time ended before the table decided.
var ErrUndecided = errors.New("no decision in time")

// Patience is how long a request is repeated.
type Patience struct {
	Attempts int           // requests in all; zero means 12
	Base     time.Duration // upper bound of the first pause, doubled after each; zero means 20 ms
	Cap      time.Duration // upper bound of any pause; zero means 2 s
	// Room is kept free before the context's deadline, to answer in; zero means none.
	Room time.Duration
}

const (
	defaultAttempts = 12
	defaultBase     = 20 * time.Millisecond
	defaultCap      = 2 * time.Second
)

// Most is the number of requests in all.
func (p Patience) Most() int {
	if p.Attempts > 0 {
		return p.Attempts
	}
	return defaultAttempts
}

// LeaveRoom is ctx ending early enough to answer still.
func (p Patience) LeaveRoom(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-p.Room))
}

// bound is the longest pause after an attempt, the first being 1.
func (p Patience) bound(attempt int) time.Duration {
	bound, most := p.Base, p.Cap
	if bound <= 0 {
		bound = defaultBase
	}
	if most <= 0 {
		most = defaultCap
	}
	for ; attempt > 1 && bound < most; attempt-- {
		bound *= 2
	}
	return min(bound, most)
}

// A Waiter pauses between requests. It is as safe for concurrent use as Rand is.
type Waiter struct {
	Patience
	Rand  io.Reader                                  // of the lengths of pauses
	Sleep func(context.Context, time.Duration) error // nil means the wall's clock
	// Retried is told what was answered whenever a request is about to be repeated; nil
	// tells nobody.
	Retried func(model.Answer)
}

// Insist repeats a request until the table says written or refused. The request
// repeated is the same one, token and all: after an uncertain answer the table may have
// stored it, and then says written again. The error is ErrUndecided when patience or
// time ends first, else what no repeat can mend.
func (w Waiter) Insist(ctx context.Context, request func(context.Context) (model.Answer, error)) (model.Answer, error) {
	for attempt := 1; ; attempt++ {
		answer, err := request(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return answer, ErrUndecided
		case err != nil, answer == model.Written, answer == model.Refused:
			return answer, err
		case attempt >= w.Most():
			return answer, ErrUndecided
		}
		if err := w.Pause(ctx, attempt); err != nil {
			return answer, err
		}
		if w.Retried != nil {
			w.Retried(answer)
		}
	}
}

// Pause waits after an attempt, the first being 1. The error is ErrUndecided when the
// context ends first.
func (w Waiter) Pause(ctx context.Context, attempt int) error {
	var random [8]byte
	if _, err := io.ReadFull(w.Rand, random[:]); err != nil {
		return fmt.Errorf("make a pause: %w", err)
	}
	fraction := float64(binary.BigEndian.Uint64(random[:])>>11) / (1 << 53)
	if w.Rest(ctx, time.Duration(fraction*float64(w.bound(attempt)))) != nil {
		return ErrUndecided
	}
	return nil
}

// Rest waits for d, or answers the context's error when that ends first.
func (w Waiter) Rest(ctx context.Context, d time.Duration) error {
	if w.Sleep != nil {
		return w.Sleep(ctx, d)
	}
	return Sleep(ctx, d)
}

// Sleep waits for d by the wall's clock, or answers the context's error when that ends
// first.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
