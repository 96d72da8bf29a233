package ingest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// errUndecided says that patience ended before the table decided.
var errUndecided = errors.New("no decision in time")

// Patience is how long a request is repeated that the table did not decide, because
// it was busy or its answer was lost.
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

// leaveRoom is ctx ending early enough to answer still.
func (p Patience) leaveRoom(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-p.Room))
}

// send repeats request until the table says written or refused. The request repeated
// is the same one, token and all: after an uncertain answer the table may have
// stored it, and then says written again. The error is errUndecided when patience
// or time ends first, else what no repeat can mend.
func (s *Service) send(ctx context.Context, request func(context.Context) (Reply, error)) (Reply, error) {
	for attempt := 1; ; attempt++ {
		reply, err := request(ctx)
		switch {
		case err != nil && ctx.Err() != nil:
			return Reply{}, errUndecided
		case err != nil, reply.Answer == model.Written, reply.Answer == model.Refused:
			return reply, err
		case attempt >= s.Patience.attempts():
			return Reply{}, errUndecided
		}
		if err := s.pause(ctx, attempt); err != nil {
			return Reply{}, err
		}
		if s.Retried != nil {
			s.Retried(reply.Answer)
		}
	}
}

func (p Patience) attempts() int {
	if p.Attempts > 0 {
		return p.Attempts
	}
	return defaultAttempts
}

// bound is the longest pause after an attempt.
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

// pause waits a random part of the bound, all of it at random: writers that met once
// do not meet again.
func (s *Service) pause(ctx context.Context, attempt int) error {
	var random [8]byte
	if _, err := io.ReadFull(s.Rand, random[:]); err != nil {
		return fmt.Errorf("make a pause: %w", err)
	}
	fraction := float64(binary.BigEndian.Uint64(random[:])>>11) / (1 << 53)
	sleep := s.Sleep
	if sleep == nil {
		sleep = sleepWall
	}
	if sleep(ctx, time.Duration(fraction*float64(s.Patience.bound(attempt)))) != nil {
		return errUndecided
	}
	return nil
}

func sleepWall(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
