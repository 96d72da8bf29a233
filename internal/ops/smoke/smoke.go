// Package smoke checks a deployment from end to end: it sends events with known contents through the HTTP
// API, waits until the rollups are what these events add up to, and removes the events again. The subjects
// are made up for each run, so that no other data is touched.
package smoke

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Run is one run against one deployment.
type Run struct {
	Plan     *Plan
	URL      string       // of the HTTP API, without a slash at the end
	Client   *http.Client // must send what the API requires for authorization
	Table    Table
	Within   time.Duration // how long the rollups may take
	Out      io.Writer     // receives the report
	Progress func(n int)   // as in replay.Sender
	Now      func() model.Time
}

// Table is the deployment's table; events are removed there directly.
type Table interface {
	// DeleteEvent deletes an event as a user does, so that the rollups follow.
	DeleteEvent(ctx context.Context, event model.EventKey, now model.Time) (storage.WriteResult, error)
	// DeleteItem deletes any item; it is no error if there is none.
	DeleteItem(ctx context.Context, k keys.Key) error
}

// batch is the number of observations in a request.
const batch = 50

// Send sends every event, waits for the rollups and reports whether all is correct.
func (r *Run) Send(ctx context.Context) (ok bool, err error) {
	all, err := r.Plan.observations()
	if err != nil {
		return false, err
	}
	began := time.Now()
	sender := replay.Sender{URL: r.URL + "/v1/" + r.Plan.Kind.Path, Batch: batch, Lanes: subjects,
		Client: r.Client, Progress: r.Progress}
	err = sender.Send(ctx, func(send func(formats.Observation) error) error {
		for _, o := range all {
			if err := send(o); err != nil {
				return err
			}
		}
		return nil
	})
	fmt.Fprintf(r.Out, "smoke %s: %s at %s\n", r.Plan.Mark, r.Plan.Kind.Name, r.URL)
	sender.Counts.Print(r.Out, time.Since(began))
	if err != nil {
		return false, err
	}
	took, difference, err := r.await(ctx, r.Plan.expected)
	if err != nil {
		return false, err
	}
	if difference != "" {
		fmt.Fprintf(r.Out, "not correct after %s: %s\n", tenths(took), difference)
		return false, nil
	}
	fmt.Fprintf(r.Out, "every bucket is correct; lag: %s after the last response\n", tenths(took))
	stored := sender.Counts.Count(model.Applied) + sender.Counts.Count(model.Late)
	if want := len(r.Plan.events); stored > want || sender.Counts.Count(model.Rejected) > 0 {
		fmt.Fprintf(r.Out, "not correct: the API reported %d new events, want %d and none rejected\n", stored, want)
		return false, nil
	}
	return true, nil
}

func tenths(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
