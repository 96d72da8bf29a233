// Package replay sends observations of files to the HTTP API of a deployment, and says what became of them.
// Requests run in parallel, but the order of the file is kept within each series, because an event that
// overtakes an older one makes the older one late.
package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Sender posts observations in parallel lanes. All observations of a series go through
// one lane, and a lane has one request in flight, so their order is kept.
type Sender struct {
	URL    string       // of the kind's collection, for example http://127.0.0.1:8080/v1/readings
	Strict bool         // reject observations with a measure that is not a number
	Batch  int          // the most observations in one request
	Lanes  int          // the most requests in flight
	Client *http.Client // nil is one with a timeout of a minute
	// called with how many more observations have an outcome; may be nil, must allow concurrent calls
	Progress func(n int)
	Journal  *Journal // records each outcome; may be nil
	// Notice is called, once, with why requests have had no outcome for a while; may be nil
	Notice func(text string)

	Counts  Counts // of the outcomes so far
	noticed sync.Once
}

const (
	maxBody      = 900 << 10 // bytes in a request; the API accepts 1 MB
	maxAttempts  = 10        // in a row that bring no outcome
	firstPause   = 50 * time.Millisecond
	longestPause = 5 * time.Second
	noticeAfter  = time.Second // without an outcome
)

// Timeout bounds one request. A request that exceeds it is sent again.
const Timeout = time.Minute

// Send posts what source passes to send, and returns when every observation has an
// outcome. Requests that fail are repeated. It gives up when the context ends, at a
// response that would stay the same, and after ten attempts without an outcome.
func (s *Sender) Send(ctx context.Context, source func(send func(formats.Observation) error) error) error {
	if s.Client == nil {
		s.Client = &http.Client{Timeout: Timeout, Transport: &http.Transport{MaxIdleConnsPerHost: s.Lanes}}
	}
	group, ctx := errgroup.WithContext(ctx)
	lanes, ahead := make([]chan formats.Observation, s.Lanes), s.Batch
	if s.Journal != nil {
		ahead = window // so that a lane reads on while another has a long series
	}
	for i := range lanes {
		lanes[i] = make(chan formats.Observation, ahead)
		group.Go(func() error {
			err := s.runLane(ctx, lanes[i])
			if s.Journal != nil && err != nil {
				s.Journal.fail(err)
			}
			return err
		})
	}
	group.Go(func() error {
		defer func() {
			for _, lane := range lanes {
				close(lane)
			}
		}()
		return source(dispatcher(ctx, lanes))
	})
	return group.Wait()
}

// dispatcher assigns each new series to the next lane in turn.
func dispatcher(ctx context.Context, lanes []chan formats.Observation) func(formats.Observation) error {
	laneOf := map[string]chan formats.Observation{}
	return func(o formats.Observation) error {
		lane, ok := laneOf[o.Series]
		if !ok {
			lane = lanes[len(laneOf)%len(lanes)]
			laneOf[o.Series] = lane
		}
		select {
		case lane <- o:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// What a lane gathers before it sends: rows of files are often in the order of time, and a request
// with many events of one series takes fewer transactions and recomputations than one of many series.
const (
	gathered      = window / 4
	gatheredBytes = 8 << 20
	longestWait   = 250 * time.Millisecond // from the first observation on; of an import, from the last
)

func (s *Sender) runLane(ctx context.Context, lane <-chan formats.Observation) error {
	var waiting []formats.Observation
	var over <-chan time.Time
	size := 0
	for open := true; open; {
		var o formats.Observation
		select {
		case o, open = <-lane:
			if !open {
				break
			}
			waiting, size = append(waiting, o), size+len(o.Body)
			if len(waiting) == 1 || s.Journal != nil {
				over = time.After(longestWait)
			}
			if len(waiting) < gathered && size < gatheredBytes {
				continue
			}
		case <-over:
		}
		if err := s.sendAll(ctx, waiting); err != nil {
			return err
		}
		waiting = waiting[:0]
		size = 0
		over = nil
	}
	return ctx.Err()
}

// sendAll sends observations in as few requests as it can. A series' observations are sent together, in
// their order.
func (s *Sender) sendAll(ctx context.Context, all []formats.Observation) error {
	slices.SortStableFunc(all, func(a, b formats.Observation) int { return strings.Compare(a.Series, b.Series) })
	for len(all) > 0 {
		n, size := 1, len(all[0].Body)
		for n < min(len(all), s.Batch) && size+len(all[n].Body) <= maxBody {
			n, size = n+1, size+len(all[n].Body)+1
		}
		if err := s.sendBatch(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// sendBatch posts a batch until each of its observations has an outcome. Those without
// one are sent again, in the same order.
func (s *Sender) sendBatch(ctx context.Context, batch []formats.Observation) error {
	pause, began := firstPause, time.Now()
	var failure error
	for range maxAttempts {
		rest, err := s.post(ctx, batch)
		switch permanent := new(permanentError); {
		case err == nil && len(rest) == 0:
			return nil
		case errors.As(err, &permanent), ctx.Err() != nil:
			return err
		case len(rest) < len(batch):
			pause = firstPause // there is progress
			began = time.Now()
		}
		batch, failure = rest, err
		if s.Notice != nil && time.Since(began) > noticeAfter {
			s.noticed.Do(func() {
				s.Notice(fmt.Sprintf("no outcome yet: requests are repeated up to %d times in a row: %v\n",
					maxAttempts, err))
			})
		}
		for i := range batch {
			batch[i].Repeated = true
		}
		wait := pause/2 + rand.N(pause/2)
		if busy := new(busyError); errors.As(err, &busy) {
			wait = max(wait, busy.after)
		}
		if err := retry.Sleep(ctx, wait); err != nil {
			return err
		}
		pause = min(2*pause, longestPause)
	}
	return fmt.Errorf("send %d observations, the first from %s: no outcome after %d attempts: %w", len(batch),
		batch[0].Location, maxAttempts, failure)
}

// post sends one request and counts its outcomes. It returns the observations that have none.
func (s *Sender) post(ctx context.Context, batch []formats.Observation) (
	rest []formats.Observation, err error) {
	url := s.URL
	if s.Strict {
		url += "?strict=true"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(joinLines(batch)))
	if err != nil {
		return nil, &permanentError{err}
	}
	req.Header.Set("Content-Type", "application/x-ndjson")
	resp, err := s.Client.Do(req)
	if err != nil {
		return batch, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse))
	if err != nil {
		return batch, err
	}
	return s.count(batch, resp, body)
}

func joinLines(batch []formats.Observation) []byte {
	var b bytes.Buffer
	for _, o := range batch {
		b.Write(o.Body)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

func (s *Sender) count(batch []formats.Observation, resp *http.Response,
	body []byte) (rest []formats.Observation, err error) {
	results, err := readResponse(s.URL, resp, body, len(batch))
	if err != nil {
		return batch, err
	}
	for i, r := range results {
		outcome := r.Outcome
		switch {
		case outcome == model.Unknown:
			rest, err = append(rest, batch[i]), errors.New("the table did not respond in time")
			continue
		case outcome == model.Rejected:
			s.Counts.reject(batch[i].Location, r.reason())
		case outcome == model.Duplicate && batch[i].Repeated:
			outcome = storedBefore
			fallthrough
		default:
			s.Counts.add(outcome)
		}
		if s.Journal != nil {
			s.Journal.Settle(batch[i], outcome, r.reason())
		}
		s.Counts.fields(batch[i], r)
		if len(r.Invalid) > 0 {
			s.Counts.invalid(batch[i].Location, r.Invalid)
		}
	}
	if s.Progress != nil {
		s.Progress(len(batch) - len(rest))
	}
	return rest, err
}
