package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// sender posts observations side by side in lanes. A series keeps to one lane, and a
// lane has one request under way at a time, so the order of arrival holds within
// each series.
type sender struct {
	url      string
	batch    int
	lanes    int
	client   *http.Client
	progress progress
	outcomes outcomes
}

// What a request is bounded by, besides the number of its observations: the front
// takes 1 MB, and a request that hangs is sent again.
const (
	maxBody       = 900 << 10
	answerWithin  = time.Minute
	maxAttempts   = 10
	firstPause    = 50 * time.Millisecond
	longestPause  = 5 * time.Second
	maxAnswerBody = 64 << 20
)

func newSender(url string, flags replayFlags, p progress) *sender {
	return &sender{
		url: url, batch: flags.batch, lanes: flags.concurrency, progress: p,
		client: &http.Client{Timeout: answerWithin, Transport: &http.Transport{MaxIdleConnsPerHost: flags.concurrency}},
	}
}

// sendAll posts what source hands to send, and returns when all of it is settled.
func (s *sender) sendAll(ctx context.Context, source func(send func(observed) error) error) error {
	group, ctx := errgroup.WithContext(ctx)
	lanes := make([]chan observed, s.lanes)
	for i := range lanes {
		lanes[i] = make(chan observed, s.batch)
		group.Go(func() error { return s.runLane(ctx, lanes[i]) })
	}
	group.Go(func() error {
		defer func() {
			for _, lane := range lanes {
				close(lane)
			}
		}()
		return source(dispatcher(ctx, lanes))
	})
	err := group.Wait()
	s.progress.done()
	return err
}

// dispatcher gives each new series to the next lane in turn, and keeps it there.
func dispatcher(ctx context.Context, lanes []chan observed) func(observed) error {
	laneOf := map[string]chan observed{}
	return func(o observed) error {
		lane, ok := laneOf[o.series]
		if !ok {
			lane = lanes[len(laneOf)%len(lanes)]
			laneOf[o.series] = lane
		}
		select {
		case lane <- o:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (s *sender) runLane(ctx context.Context, lane <-chan observed) error {
	var pending []observed
	size := 0
	for o := range lane {
		if len(pending) > 0 && (len(pending) == s.batch || size+len(o.body) > maxBody) {
			if err := s.settle(ctx, pending); err != nil {
				return err
			}
			pending, size = pending[:0], 0
		}
		pending, size = append(pending, o), size+len(o.body)+1
	}
	if len(pending) == 0 || ctx.Err() != nil {
		return ctx.Err()
	}
	return s.settle(ctx, pending)
}

// settle posts a batch until every observation of it has a verdict. Only what has
// none yet is sent again, in the same order.
func (s *sender) settle(ctx context.Context, pending []observed) error {
	pause := firstPause
	var failure error
	for range maxAttempts {
		left, err := s.post(ctx, pending)
		switch refused := new(refusedError); {
		case err == nil && len(left) == 0:
			return nil
		case errors.As(err, &refused), ctx.Err() != nil:
			return err
		case len(left) < len(pending):
			pause = firstPause // it moves on
		}
		pending, failure = left, err
		if err := retry.Sleep(ctx, pause/2+rand.N(pause/2)); err != nil {
			return err
		}
		pause = min(2*pause, longestPause)
	}
	return fmt.Errorf("send %d observations from %s on: no clear answer after %d tries: %w", len(pending), pending[0].place, maxAttempts, failure)
}

// post sends one request and counts its verdicts; what has none is left.
func (s *sender) post(ctx context.Context, pending []observed) (left []observed, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(joinLines(pending)))
	if err != nil {
		return nil, &refusedError{err}
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := s.client.Do(req)
	if err != nil {
		return pending, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswerBody))
	if err != nil {
		return pending, err
	}
	return s.count(pending, resp, body)
}

func joinLines(pending []observed) []byte {
	var b bytes.Buffer
	for _, o := range pending {
		b.Write(o.body)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// count takes the verdicts from an answer.
func (s *sender) count(pending []observed, resp *http.Response, body []byte) (left []observed, err error) {
	if resp.StatusCode != http.StatusOK && resp.StatusCode != http.StatusServiceUnavailable {
		err := fmt.Errorf("%s answered %s: %s", s.url, resp.Status, firstLine(body))
		if resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusTooManyRequests {
			err = &refusedError{err}
		}
		return pending, err
	}
	verdicts, err := readVerdicts(body)
	if err == nil && len(verdicts) != len(pending) {
		err = fmt.Errorf("%d verdicts on %d observations", len(verdicts), len(pending))
	}
	if err != nil {
		return pending, fmt.Errorf("%s answered %s: %w", s.url, resp.Status, err)
	}
	for i, v := range verdicts {
		switch v.Verdict {
		case model.Unknown:
			left, err = append(left, pending[i]), errors.New("the table could not answer")
			continue
		case model.Rejected:
			s.outcomes.reject(pending[i].place, v.why())
		default:
			s.outcomes.add(v.Verdict)
		}
	}
	s.progress.add(len(pending) - len(left))
	return left, err
}

// refusedError is an answer that would not change if the same were sent again.
type refusedError struct{ error }

func (e *refusedError) Unwrap() error { return e.error }

func firstLine(body []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
	if len(line) > 300 {
		line = line[:300] + "…"
	}
	return line
}
