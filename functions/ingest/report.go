package main

import (
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// reporter logs each request and collects the metrics of an invocation by kind. It is safe
// for concurrent use.
type reporter struct {
	log      *slog.Logger
	emitter  *telemetry.Emitter
	function string
	units    func() (read, write float64) // consumed since the process started

	mu     sync.Mutex                  // guards the fields below
	counts map[string]telemetry.Counts // of this invocation, by kind; "" for no kind
	read   float64                     // units at the end of the last invocation
	write  float64
}

func newReporter(
	log *slog.Logger, metrics *telemetry.Emitter, function string, units func() (read, write float64),
) *reporter {
	return &reporter{
		log:      log.With(telemetry.FieldFunction, function),
		emitter:  metrics,
		function: function,
		units:    units,
		counts:   make(map[string]telemetry.Counts),
	}
}

// add adds n to a metric of kind. The caller holds mu.
func (r *reporter) add(kind string, m telemetry.Metric, n float64) {
	if n == 0 {
		return
	}
	if r.counts[kind] == nil {
		r.counts[kind] = make(telemetry.Counts)
	}
	r.counts[kind][m] += n
}

// retried counts a request to the table that is retried after a result.
func (r *reporter) retried(after storage.WriteResult) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add("", telemetry.Retries, 1)
	if after == storage.Throttled {
		r.add("", telemetry.Throttles, 1)
	}
}

// count adds n to a metric of kind.
func (r *reporter) count(kind string, m telemetry.Metric, n float64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(kind, m, n)
}

// quarantined counts messages that were quarantined.
func (r *reporter) quarantined(kind string, n int) {
	r.count(kind, telemetry.Quarantined, float64(n))
}

// appended logs and counts the outcomes of the observations of one kind, and the parts of stored ones that
// are not stored as they were sent.
func (r *reporter) appended(source envelope.Source, requestID, kind string, results []model.AppendResult,
	err error) {
	counts, parts := make(map[model.Outcome]int), 0
	for _, result := range results {
		counts[result.Outcome]++
		if result.Outcome != model.Rejected {
			parts += len(result.NotStored)
		}
	}
	r.mu.Lock()
	r.add(kind, telemetry.PartsNotStored, float64(parts))
	var fields []any
	for _, outcome := range slices.Sorted(maps.Keys(counts)) {
		if m, ok := telemetry.ForOutcome(outcome); ok {
			r.add(kind, m, float64(counts[outcome]))
		}
		fields = append(fields, slog.Int(string(outcome), counts[outcome]))
	}
	r.mu.Unlock()
	log := r.log.With(telemetry.FieldSource, source, telemetry.FieldRequestID, requestID, telemetry.FieldKind,
		kind,
		telemetry.FieldCount, len(results), slog.Group(telemetry.FieldOutcome, fields...))
	if err != nil {
		log.Error("append failed", telemetry.FieldError, err)
		return
	}
	log.Info("appended")
}

// rejected logs a request that was rejected as a whole.
func (r *reporter) rejected(source envelope.Source, requestID string, p *httpapi.Problem) {
	r.log.Warn("request rejected", telemetry.FieldSource, source, telemetry.FieldRequestID, requestID, "status",
		p.Status, telemetry.FieldError, p)
}

// excluded logs and counts an event of a page that is not stored.
func (r *reporter) excluded(requestID, kind, why string) {
	r.count(kind, telemetry.HitsExcluded, 1)
	r.log.Info("excluded", telemetry.FieldSource, envelope.Collect, telemetry.FieldRequestID, requestID,
		telemetry.FieldKind, kind, "why", why)
}

// publish writes the metrics of the invocation, one line for each kind, and resets them.
func (r *reporter) publish() {
	r.mu.Lock()
	defer r.mu.Unlock()
	read, write := r.units()
	r.add("", telemetry.ReadUnits, read-r.read)
	r.add("", telemetry.WriteUnits, write-r.write)
	r.read, r.write = read, write
	for _, kind := range slices.Sorted(maps.Keys(r.counts)) {
		r.emitter.EmitOrLog(r.log, r.function, kind, r.counts[kind])
	}
	clear(r.counts)
}
