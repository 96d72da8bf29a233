// Package retry repeats requests that the table did not decide, because it was busy or its response was lost.
// It is the only retry with backoff in this module. A decision of the table, such as a failed condition, is
// returned to the caller and not repeated. Each pause is a random part of a bound that doubles ("full jitter"
// in the AWS Architecture Blog's "Exponential Backoff And Jitter"), so that writers that collided once do not
// collide again.
package retry

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrUndecided reports that the attempts or the time ran out before the table decided. The
// write may be stored or not. Errors of this package wrap the cause as well.
var ErrUndecided = model.ErrUndecided

// Policy bounds the repetition of a request.
type Policy struct {
	Attempts int           // requests in total; zero means 12
	Base     time.Duration // upper bound of the first pause, doubled after each; zero means 20 ms
	Cap      time.Duration // upper bound of any pause; zero means 2 s
}

const (
	defaultAttempts = 12
	defaultBase     = 20 * time.Millisecond
	defaultCap      = 2 * time.Second
)

// MaxAttempts returns the number of requests in total.
func (p Policy) MaxAttempts() int { return cmp.Or(max(p.Attempts, 0), defaultAttempts) }

// bound returns the upper bound of the pause after an attempt; the first attempt is 1.
func (p Policy) bound(attempt int) time.Duration {
	bound, limit := cmp.Or(max(p.Base, 0), defaultBase), cmp.Or(max(p.Cap, 0), defaultCap)
	for ; attempt > 1 && bound < limit; attempt-- {
		bound *= 2
	}
	return min(bound, limit)
}

// Retrier repeats requests. It is safe for concurrent use if Rand is.
type Retrier struct {
	Policy
	Rand  io.Reader                                  // source of the lengths of pauses
	Sleep func(context.Context, time.Duration) error // nil means the package's Sleep
	// OnRetry is called with the result of a request before the request is repeated. It may be nil.
	OnRetry func(storage.WriteResult)
}

// Do repeats a request until its result is Written or ConditionFailed. Each repetition
// must be the same request with the same token: after a lost response the table may have
// stored it, and then returns Written again. The error is ErrUndecided if the attempts or
// the time ran out, else the permanent error of the request.
func (r Retrier) Do(ctx context.Context,
	request func(context.Context) (storage.WriteResult, error)) (storage.WriteResult, error) {
	for attempt := 1; ; attempt++ {
		result, err := request(ctx)
		switch {
		case err != nil && ctx.Err() != nil && !errors.Is(err, model.ErrPermanent):
			return result, fmt.Errorf("%w: %w", ErrUndecided, err)
		case err != nil, result == storage.Written, result == storage.ConditionFailed:
			return result, err
		case attempt >= r.MaxAttempts():
			return result, fmt.Errorf("%w after %d attempts: the last result is %s", ErrUndecided, attempt, result)
		}
		if err := r.Pause(ctx, attempt); err != nil {
			return result, err
		}
		if r.OnRetry != nil {
			r.OnRetry(result)
		}
	}
}

// WithCause adds the client's error, if there is one, to an error that wraps ErrUndecided.
func WithCause(err, cause error) error {
	if cause == nil || !errors.Is(err, ErrUndecided) || errors.Is(err, cause) {
		return err
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// Undecided returns ErrUndecided with its cause; nil if the table decided.
func Undecided(result storage.WriteResult, cause error) error {
	if result == storage.Written || result == storage.ConditionFailed {
		return nil
	}
	return WithCause(fmt.Errorf("%w: the result is %s", ErrUndecided, result), cause)
}

// UntilWritten repeats attempt, which reads, computes and writes under a condition on what
// it read, until its result is Written. Every other result and every error for which
// transient returns true is repeated, from the reads on. The error is a permanent one of
// attempt, or the last error when the attempts or the time ran out.
func (r Retrier) UntilWritten(ctx context.Context, transient func(error) bool,
	attempt func(context.Context) (storage.WriteResult, error)) error {
	var last error
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return errors.Join(ErrUndecided, err, last)
		}
		result, err := attempt(ctx)
		switch {
		case err == nil && result == storage.Written:
			return nil
		case err == nil:
			last = fmt.Errorf("result of the last write: %s: %w", result, ErrUndecided)
		case !transient(err):
			return err
		default:
			last = err
		}
		if n >= r.MaxAttempts() {
			return fmt.Errorf("gave up after %d attempts: %w", n, last)
		}
		if err := r.Pause(ctx, n); err != nil {
			return errors.Join(err, ctx.Err(), last)
		}
	}
}

// Pause waits a random time after an attempt; the first attempt is 1. The error is
// ErrUndecided if the context ends first.
func (r Retrier) Pause(ctx context.Context, attempt int) error {
	var random [8]byte
	if _, err := io.ReadFull(r.Rand, random[:]); err != nil {
		return fmt.Errorf("choose the length of a pause: %w", err)
	}
	fraction := float64(binary.BigEndian.Uint64(random[:])>>11) / (1 << 53)
	if err := r.Wait(ctx, time.Duration(fraction*float64(r.bound(attempt)))); err != nil {
		return fmt.Errorf("%w: %w", ErrUndecided, err)
	}
	return nil
}

// Wait waits for d, or returns the context's error if the context ends first.
func (r Retrier) Wait(ctx context.Context, d time.Duration) error {
	if r.Sleep != nil {
		return r.Sleep(ctx, d)
	}
	return Sleep(ctx, d)
}

// Sleep waits for d on the wall clock, or returns the context's error if the context ends first.
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

// WithHeadroom returns a context that ends earlier than ctx, so that there is time to respond before the
// deadline of ctx. It ends headroom earlier, or a tenth of the time that is left, if that is less. Without a
// deadline only cancel ends it. The caller must call cancel.
func WithHeadroom(ctx context.Context,
	headroom time.Duration) (_ context.Context, cancel context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return context.WithCancel(ctx)
	}
	return context.WithDeadline(ctx, deadline.Add(-min(headroom, time.Until(deadline)/10)))
}
