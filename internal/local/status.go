package local

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// Stats is what the stack has counted since it started.
type Stats struct {
	StreamRecords int64 `json:"streamRecords"` // read from the table stream, of every class
	Batches       int64 `json:"batches"`       // made by the mapping
	Invocations   int64 `json:"invocations"`   // of aggregate, those of faults and retries included
	Again         int64 `json:"again"`         // batches that faults delivered again
	Recut         int64 `json:"recut"`         // batches that faults cut anew
	Failed        int64 `json:"failed"`        // invocations that were not acknowledged whole
	GivenUp       int   `json:"givenUp"`       // ranges in the on-failure file
	Kills         int   `json:"kills"`         // processes of aggregate killed on purpose
	KillsUnacked  int   `json:"killsUnacked"`  // of these, between write and acknowledgement
	// Metrics are the sums of what the functions counted, by metric name. What a
	// process had not yet printed when it was killed is not in them.
	Metrics map[string]float64 `json:"metrics"`
}

// Stats is what was counted so far. It may be called at any time.
func (s *Stack) Stats() Stats {
	d := s.delivery
	st := Stats{
		StreamRecords: s.source.records.Load(),
		Batches:       d.batches.Load(),
		Invocations:   d.invocations.Load(),
		Again:         d.again.Load(),
		Recut:         d.recut.Load(),
		Failed:        d.failed.Load(),
		GivenUp:       s.failures.ranges(),
		Metrics:       s.metrics.sums(),
	}
	for _, death := range s.functions[aggregate].Deaths() {
		st.Kills++
		if death.At == Answering {
			st.KillsUnacked++
		}
	}
	return st
}

// Idle waits until every change that was committed before the call has been folded,
// or given up. It reads the table stream to its end to know; nothing is guessed from
// time that passed.
func (s *Stack) Idle(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(s.ctx, func() { cancel(s.Err()) })()
	if s.mapping.CaughtUp(ctx) != nil {
		return fmt.Errorf("wait for the rollups: %w", context.Cause(ctx))
	}
	return nil
}

// Status is what GET /local/status and GET /local/idle answer.
type Status struct {
	Idle     bool   `json:"idle"` // of /local/idle: all that was committed before the request is folded
	Table    string `json:"table"`
	Endpoint string `json:"endpoint"`
	Stats    Stats  `json:"stats"`
}

// idleWithin is how long a request for idleness is held before it is told "not yet",
// so that who waits sees things move. It is several times what the mapping takes to
// list the shards and to find their ends, which every request has to wait for anew.
const idleWithin = 5 * time.Second

// localRoutes are the doors that only a laptop has.
func (s *Stack) localRoutes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, r *http.Request) { say(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /local/status", func(w http.ResponseWriter, r *http.Request) { s.report(w, false) })
	mux.HandleFunc("GET /local/idle", func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), idleWithin)
		defer cancel()
		s.report(w, s.Idle(ctx) == nil)
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { say(w, http.StatusNotFound, "Not Found") })
	return mux
}

func (s *Stack) report(w http.ResponseWriter, idle bool) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(Status{Idle: idle, Table: s.Table, Endpoint: s.Endpoint, Stats: s.Stats()})
}
