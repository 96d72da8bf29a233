package linear

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// recorded are clients that append, delete and read under chaos, and record what they saw. Half
// of them append through the HTTP front, whose functions are killed; the others write to the
// table through the cut connections themselves.
type recorded struct {
	log     *Log
	clients []*Client
	seed    uint64
}

// The size of the recorded history. Short histories of many series are checked fast.
const (
	clientCount = 6
	seriesCount = 12
	prefix      = "recorded-" // of the subjects, which are not in the oracle
	clientPause = 40 * time.Millisecond
)

func newRecorded(ctx context.Context, rig *loggers.Rig, endpoint string, seed uint64) (*recorded, error) {
	client, err := dynamo.NewClient(ctx, "", endpoint)
	if err != nil {
		return nil, err
	}
	table := dynamo.New(client, rig.Stack.Table)
	kinds, err := rig.Config.Catalog()
	if err != nil {
		return nil, err
	}
	kind, ok := kinds.Kind(iot.Readings.Name)
	if !ok {
		return nil, fmt.Errorf("kind %s is not declared in tidemark.yaml", iot.Readings.Name)
	}
	now := func() model.Time { return model.NewTime(time.Now()) }
	began := time.Now()
	r := &recorded{seed: seed, log: &Log{
		Kind: kind, Base: tier.Hour.BucketAt(now()).Start.Add(-Slots * Step),
		Clock: func() int64 { return int64(time.Since(began)) }, Follows: true,
	}}
	writer := queue.NewWriter(table, kinds)
	for i := range clientCount {
		c := &Client{
			ID: i, Log: r.log, Store: table, Now: now,
			Query: &query.Service{Store: &query.Live{Store: table, Watermarks: table, Kind: query.CatalogKinds(kinds),
				Now: now}, Now: now},
			Ingest: func(to ingest.Store) *ingest.Service {
				return &ingest.Service{
					Store: to, Limits: rig.Config.Limits, Now: now, Rand: rand.Reader,
					RetryPolicy: retry.Policy{Attempts: 3}, Queue: writer,
				}
			},
		}
		if i%2 == 0 {
			c.Remote = front{url: rig.Stack.URL, path: kind.Path, subject: kind.Subject.Field}.append
		}
		r.clients = append(r.clients, c)
	}
	return r, nil
}

func (r *recorded) series() (all []string) {
	for i := range seriesCount {
		all = append(all, fmt.Sprint(prefix, i))
	}
	return all
}

// run runs the clients until ctx ends.
func (r *recorded) run(ctx context.Context) {
	var running sync.WaitGroup
	began := time.Now()
	for i, c := range r.clients {
		running.Go(func() {
			draw := drawFrom(r.seed, uint64(100+i))
			for ctx.Err() == nil {
				stage := min(1, time.Since(began).Seconds()/usually.Seconds())
				// A request that has been sent is not given up, so that its result is known.
				c.Operate(context.WithoutCancel(ctx), r.series(), stage, func(_ string, n int) int {
					return draw.IntN(n)
				})
				time.Sleep(clientPause)
			}
		})
	}
	running.Wait()
}

// usually is how long the load takes.
const usually = 40 * time.Second

// check reads everything once more, after all changes have been aggregated, and checks what the
// clients saw. It draws a violation in the working directory.
func (r *recorded) check(ctx context.Context, out io.Writer) error {
	r.log.Quiet()
	for _, name := range r.series() {
		r.clients[1].ReadLatest(ctx, name)
		for level := range r.log.Kind.Retention.Tiers {
			r.clients[1].ReadRollups(ctx, name, level)
		}
	}
	operations := r.log.Count()
	err := r.log.Check()
	violation := new(Violation)
	if errors.As(err, &violation) {
		return errors.Join(err, violation.Draw("chaos.html"))
	}
	if err == nil {
		fmt.Fprintf(out, "clients   %d recorded operations of %d clients on %d series are linearizable; "+
			"%d attempts had no response\n",
			operations, clientCount, seriesCount, len(r.log.Operations)+len(r.log.Reads)-operations)
	}
	return err
}

// withoutRecorded returns the rows whose subjects are in the oracle.
func withoutRecorded(rows []rollup.Row) (rest []rollup.Row) {
	for _, row := range rows {
		if !strings.HasPrefix(row.Key.Series.Subject.ID, prefix) {
			rest = append(rest, row)
		}
	}
	return rest
}

// front is the HTTP front of the stack.
type front struct{ url, path, subject string }

var errNoOutcome = errors.New("the response has no outcome")

// append sends one observation.
func (f front) append(ctx context.Context, e ingest.TypedObservation) (model.Outcome, error) {
	value, _ := e.Attrs.Get(Measure)
	body, err := json.Marshal(map[string]any{f.subject: e.Subject, "timestamp": e.At, Measure: value.Number})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.url+"/v1/"+f.path, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var result struct {
		Outcome model.Outcome `json:"outcome"`
	}
	if err := json.NewDecoder(response.Body).Decode(&result); err != nil || result.Outcome == "" {
		return "", fmt.Errorf("%s: %w", response.Status, errNoOutcome)
	}
	return result.Outcome, nil
}
