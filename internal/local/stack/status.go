package stack

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/webui"
	"github.com/tidemark-db/tidemark/internal/local/devfile"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Stats are the counts of the stack since its start.
type Stats struct {
	StreamRecords int64 `json:"streamRecords"` // read from the table stream, of every class
	Batches       int64 `json:"batches"`       // of the mapping
	Invocations   int64 `json:"invocations"`   // of aggregate, including faults and retries
	Again         int64 `json:"again"`         // batches delivered again by faults
	Recut         int64 `json:"recut"`         // batches delivered in pieces by faults
	Failed        int64 `json:"failed"`        // invocations that were not acknowledged completely
	GivenUp       int   `json:"givenUp"`       // ranges in the on-failure file
	Kills         int   `json:"kills"`         // processes of aggregate killed on purpose
	KillsUnacked  int   `json:"killsUnacked"`  // of these, between the writes and the acknowledgement
	Throttled     int64 `json:"throttled"`     // requests of aggregate that the table refused on purpose
	Counted       int64 `json:"counted"`       // delivered records of the target: what a counter of records has
	// Metrics are the sums of the counters of the functions, by metric name. Counts that a killed
	// process had not printed are missing.
	Metrics map[string]float64 `json:"metrics"`
}

// Stats returns the counts. It can be called at any time.
func (s *Stack) Stats() Stats {
	d := s.delivery
	st := Stats{
		StreamRecords: s.source.records.Load(),
		Batches:       d.batches.Load(),
		Invocations:   d.invocations.Load(),
		Again:         d.again.Load(),
		Recut:         d.recut.Load(),
		Failed:        d.failed.Load(),
		Throttled:     s.throttle.refused.Load(),
		Counted:       d.counted.Load(),
		GivenUp:       s.failures.ranges(),
		Metrics:       s.metrics.sums(),
	}
	for _, death := range s.functions[aggregate].Deaths() {
		st.Kills++
		if death.At == Responding {
			st.KillsUnacked++
		}
	}
	return st
}

// Idle waits until every change committed before the call is in the rollups or was given up. It
// reads the table stream to its end instead of waiting for a fixed time. It is an error while the mapping is
// disabled.
func (s *Stack) Idle(ctx context.Context) error {
	if s.source.disabled.Load() {
		return fmt.Errorf("wait for the rollups: %w", errDisabled)
	}
	if err := s.awaitRecords(ctx); err != nil {
		return fmt.Errorf("wait for the rollups: %w", err)
	}
	return s.processReadable(ctx)
}

// processReadable is Idle for the changes whose records no fault delays.
func (s *Stack) processReadable(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(s.Err()) })()
	if s.mapping.CaughtUp(ctx) != nil {
		return fmt.Errorf("wait for the rollups: %w", context.Cause(ctx))
	}
	return nil
}

// delayPoll is how often the stack looks whether delayed records can be read.
const delayPoll = 50 * time.Millisecond

// awaitRecords waits until each record can be read from the table stream, where a fault delays them.
func (s *Stack) awaitRecords(ctx context.Context) error {
	db, ok := s.database.(embedded)
	for ok && db.Delays(s.Table) {
		if err := retry.Sleep(ctx, delayPoll); err != nil {
			return err
		}
	}
	return nil
}

// Status is the response of GET /local/status and GET /local/idle.
type Status struct {
	Idle     bool         `json:"idle"` // of /local/idle: all changes before the request are in the rollups
	Table    string       `json:"table"`
	Endpoint string       `json:"endpoint"`
	Stats    Stats        `json:"stats"`
	Mapping  MappingState `json:"mapping"`
}

// idleWithin limits one request for idleness, so that the caller sees progress. It is several times
// as long as the mapping needs to list the shards and to read them to their ends.
const idleWithin = 5 * time.Second

// localRoutes serves the routes that exist only on a local stack. live ends requests that wait.
func (s *Stack) localRoutes(live context.Context, kinds *catalog.Catalog) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) {
		writeMessage(w, http.StatusOK, "ok")
	})
	mux.HandleFunc("GET "+webui.PathStatus, func(w http.ResponseWriter, r *http.Request) { s.report(w, false) })
	mux.HandleFunc("GET "+webui.PathChanges, s.changes.handler(live, kinds))
	mux.HandleFunc("GET "+devfile.PathSelf, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(s.dev())
	})
	mux.HandleFunc("GET /local/idle", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), idleWithin)
		defer cancel()
		s.report(w, s.Idle(ctx) == nil)
	})
	for _, fault := range []string{"none", "again", "recut", "kill", "throttle"} {
		mux.HandleFunc("POST /local/break/{device}/"+fault, func(w http.ResponseWriter, r *http.Request) {
			s.delivery.setFault(r.PathValue("device"), fault)
			writeMessage(w, http.StatusAccepted, "fault of the next batch: "+fault)
		})
	}
	mux.HandleFunc("GET "+PathMapping, s.serveMappingState)
	mux.HandleFunc("POST "+PathMapping, s.serveMapping)
	mux.HandleFunc("GET "+PathClock, s.serveTime)
	mux.HandleFunc("POST "+PathClock, s.serveMove)
	mux.HandleFunc("GET "+SamplePath, s.serveSample)
	mux.Handle(webui.Path, webui.Pages())
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeMessage(w, http.StatusNotFound, "Not Found")
	})
	return mux
}

// dev is the stack as commands find it.
func (s *Stack) dev() devfile.Dev {
	return devfile.Dev{
		URL: s.URL, Endpoint: s.Endpoint, Table: s.Table, Config: s.opts.ConfigPath, PID: os.Getpid(),
		ID:    s.opts.ID,
		Clock: s.opts.Clock.Path(),
	}
}

func (s *Stack) report(w http.ResponseWriter, idle bool) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(Status{
		Idle: idle, Table: s.Table, Endpoint: s.Endpoint, Stats: s.Stats(), Mapping: s.mappingState(),
	})
}

// AwaitIdle returns when the rollups of the stack at url include every change that was committed
// before the call. A running stack knows that because it has read its table stream to the end.
// It calls added with the records that were read since the call before.
func AwaitIdle(ctx context.Context, url string, added func(records int)) error {
	var read int64
	for {
		var status Status
		// responds when the dev is idle, or after a while
		if err := devfile.Ask(ctx, url+"/local/idle", &status); err != nil {
			return fmt.Errorf("--wait waits for a dev: %w", err)
		}
		added(int(status.Stats.StreamRecords - read))
		read = status.Stats.StreamRecords
		if status.Stats.GivenUp > 0 {
			return fmt.Errorf("wait for the rollups: aggregate failed on %d ranges of the table stream, "+
				"which were not retried further: see on-failure.ndjson and logs/aggregate.log in "+
				".tidemark, or where --dir of the dev says", status.Stats.GivenUp)
		}
		switch {
		case status.Idle:
			return nil
		case !status.Mapping.Enabled:
			return fmt.Errorf("wait for the rollups: %w", errDisabled)
		}
	}
}
