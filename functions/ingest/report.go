package main

import (
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reporter says what an invocation did: a line of log for each request, and the
// metrics of its kinds when it closes.
type reporter struct {
	log      *slog.Logger
	emitter  *telemetry.Emitter
	function string
	units    func() (read, write float64) // consumed since the process began

	mu     sync.Mutex                  // guards what follows: requests are retried concurrently
	counts map[string]telemetry.Counts // of this invocation, by kind; "" for those of none
	read   float64                     // units, when the last invocation closed
	write  float64
}

func newReporter(log *slog.Logger, out io.Writer, function string, units func() (read, write float64)) *reporter {
	return &reporter{
		log:      log.With(telemetry.FieldFunction, function),
		emitter:  &telemetry.Emitter{Out: out, Now: func() model.Time { return model.TimeOf(time.Now()) }},
		function: function,
		units:    units,
		counts:   make(map[string]telemetry.Counts),
	}
}

// add counts under kind; the caller holds mu.
func (r *reporter) add(kind string, m telemetry.Metric, n float64) {
	if n == 0 {
		return
	}
	if r.counts[kind] == nil {
		r.counts[kind] = make(telemetry.Counts)
	}
	r.counts[kind][m] += n
}

// retried counts a request that was sent again.
func (r *reporter) retried(why model.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add("", telemetry.Retries, 1)
	if why == model.Throttled {
		r.add("", telemetry.Throttles, 1)
	}
}

// setAside counts what went to quarantine.
func (r *reporter) setAside(kind string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(kind, telemetry.Quarantined, float64(n))
}

// appended logs and counts the outcomes of one kind.
func (r *reporter) appended(door envelope.Door, request, kind string, outcomes []model.Outcome, err error) {
	verdicts := make(map[model.Verdict]int)
	for _, o := range outcomes {
		verdicts[o.Verdict]++
	}
	r.mu.Lock()
	var tally []any
	for _, v := range slices.Sorted(maps.Keys(verdicts)) {
		if m, ok := telemetry.OfVerdict(v); ok {
			r.add(kind, m, float64(verdicts[v]))
		}
		tally = append(tally, slog.Int(string(v), verdicts[v]))
	}
	r.mu.Unlock()
	log := r.log.With("door", door, telemetry.FieldRequestID, request, telemetry.FieldKind, kind,
		telemetry.FieldCount, len(outcomes), slog.Group(telemetry.FieldOutcome, tally...))
	if err != nil {
		log.Error("append failed", telemetry.FieldError, err)
		return
	}
	log.Info("appended")
}

// refused logs a request of which nothing was taken in.
func (r *reporter) refused(door envelope.Door, request string, p *envelope.Problem) {
	r.log.Warn("refused", "door", door, telemetry.FieldRequestID, request, "status", p.Status, telemetry.FieldError, p)
}

// close publishes the invocation's metrics, a line a kind.
func (r *reporter) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	read, write := r.units()
	r.add("", telemetry.ReadUnits, read-r.read)
	r.add("", telemetry.WriteUnits, write-r.write)
	r.read, r.write = read, write
	for _, kind := range slices.Sorted(maps.Keys(r.counts)) {
		if err := r.emitter.Emit(r.function, kind, r.counts[kind]); err != nil {
			r.log.Error("metrics lost", telemetry.FieldError, err)
		}
	}
	clear(r.counts)
}
