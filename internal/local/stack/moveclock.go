package stack

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// now is the clock of the stack.
func (s *Stack) now() model.Time { return model.NewTime(s.opts.Clock.Now()) }

// errEngine reports a database whose clock the stack cannot move.
var errEngine = errors.New(
	"only the embedded engine has a clock that can be moved: start dev without --engine and without an endpoint")

// A long move is made in steps of clockStep, and in at most maxSteps. After each of them the schedules run.
// Without them the table stream would look as if it had been down, and items would expire before the buckets
// that need them had closed. Its end, settling, is made in short steps: rows of groups are folded some
// minutes and two sweeps after the rows of their members.
const (
	clockStep  = 10 * time.Hour
	maxSteps   = 100
	settling   = 20 * time.Minute
	settleStep = 5 * time.Minute
)

// clockSteps returns the steps of a move, one at least.
func clockSteps(by time.Duration) (steps []time.Duration) {
	for long := max(clockStep, by/maxSteps); by > settling; {
		step := min(by-settling, long)
		steps, by = append(steps, step), by-step
	}
	for ; by > settleStep; by -= settleStep {
		steps = append(steps, settleStep)
	}
	return append(steps, by)
}

// MoveClock moves the clock of the table, the functions and the front. Changes made before are delivered
// first, unless a fault delays them, or their records would be too old afterwards. It does what would have
// happened on the way: buckets close, and TTL removes expired items.
func (s *Stack) MoveClock(ctx context.Context, by time.Duration) error {
	engine, ok := s.database.(embedded)
	if !ok || s.opts.Clock.Path() == "" {
		return errEngine
	}
	if err := s.processReadable(ctx); err != nil {
		return err
	}
	for _, step := range clockSteps(by) {
		if err := s.opts.Clock.Move(step); err != nil {
			return err
		}
		_, err := s.RunAlerts(ctx)
		if err = errors.Join(err, s.processReadable(ctx)); err != nil {
			return err
		}
		engine.Tick()
	}
	_, err := s.RunPurges(ctx)
	return err
}

// ClockMove is the request of POST /local/clock. ClockTime is its response, and the response of GET.
type (
	ClockMove struct {
		By string `json:"by"` // such as "48h"
	}
	ClockTime struct {
		Now model.Time `json:"now"`
	}
)

// PathClock is the route of the clock.
const PathClock = "/local/clock"

// serveMove moves the clock.
func (s *Stack) serveMove(w http.ResponseWriter, r *http.Request) {
	var move ClockMove
	err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<10)).Decode(&move)
	by, invalid := time.ParseDuration(move.By)
	if err = errors.Join(err, invalid); err == nil {
		err = s.MoveClock(r.Context(), by)
	}
	if err != nil {
		writeMessage(w, http.StatusConflict, err.Error())
		return
	}
	s.serveTime(w, r)
}

// serveTime writes the time of the clock.
func (s *Stack) serveTime(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(ClockTime{s.now()})
}
