package main

import (
	"context"
	"maps"

	"github.com/aws/aws-lambda-go/lambdacontext"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
)

// maxNotes is the maximum number of row notes in the log of one batch.
const maxNotes = 20

func (h *handler) logBatch(ctx context.Context, batch *tablestream.Batch, r *aggregate.Report,
	failed map[string]error) {
	log := h.log
	if lc, ok := lambdacontext.FromContext(ctx); ok {
		log = log.With(telemetry.FieldRequestID, lc.AwsRequestID)
	}
	for _, p := range batch.Poison {
		log.Error("record quarantined", "sequence_number", p.Seq, telemetry.FieldError, p.Reason)
	}
	for _, n := range r.Notes[:min(maxNotes, len(r.Notes))] {
		log.Warn("row needs attention", telemetry.FieldKind, n.Key.Series.Kind, telemetry.FieldSeries,
			n.Key.Series.String(),
			"tier", n.Key.Tier, "bucket", n.Key.Start.String(), "note", n.Text)
	}
	for _, n := range batch.Seqs {
		if err := failed[n]; err != nil {
			log.Error("batch partly failed", "from", n, "failed", len(failed), telemetry.FieldError, err.Error())
			break
		}
	}
	if r.LatestSkipped+r.LatestBounded > 0 {
		log.Warn("latest items without some events", "unreadable", r.LatestSkipped, "not_walked_to_the_end",
			r.LatestBounded)
	}
	log.Info("batch", telemetry.FieldCount, len(batch.Seqs), telemetry.FieldKind, onlyKind(batch.Changes),
		"recomputed", r.Recomputed, "written", r.Written, "unchanged", r.Unchanged, "lost_locks", r.LostLocks,
		"unknown_results", r.UnknownResults,
		"sealed", r.MarkedInexact, "not_created", r.NotCreated, telemetry.FieldLag, r.Lag.Milliseconds())
}

// publish publishes the metrics of a batch.
func (h *handler) publish(batch *tablestream.Batch, r *aggregate.Report, alertCounts telemetry.Counts,
	failures int, read, write float64) {
	counts := telemetry.Counts{
		telemetry.Recomputations:   float64(r.Recomputed),
		telemetry.RowsWritten:      float64(r.Written),
		telemetry.RowsUnchanged:    float64(r.Unchanged),
		telemetry.LostLocks:        float64(r.LostLocks),
		telemetry.SealedRowChanges: float64(r.MarkedInexact),
		telemetry.RowsInexact:      float64(r.Inexact),
		telemetry.UnreadableEvents: float64(r.Unreadable),
		telemetry.OversizeRows:     float64(r.Oversize),
		telemetry.CrowdedBuckets:   float64(r.TooManyChildren),
		telemetry.Quarantined:      float64(r.Quarantined),
		telemetry.Retries:          float64(r.LostLocks + r.UnknownResults + r.Throttled),
		telemetry.Throttles:        float64(r.Throttled),
		telemetry.BatchFailures:    float64(failures),
		telemetry.ReadUnits:        read,
		telemetry.WriteUnits:       write,
	}
	if r.Invalidations > 0 {
		counts[telemetry.Invalidations] = float64(r.Invalidations)
	}
	maps.Copy(counts, alertCounts)
	if r.Lag > 0 {
		counts[telemetry.Lag] = r.Lag.Seconds()
	}
	types := map[storage.ChangeType]int{}
	for i := range batch.Changes {
		types[batch.Changes[i].Type]++
	}
	for of, n := range types {
		if m, ok := telemetry.ForChange(of); ok {
			counts[m] = float64(n)
		}
	}
	h.emit(onlyKind(batch.Changes), counts)
}

func (h *handler) emit(kind string, counts telemetry.Counts) {
	h.metrics.EmitOrLog(h.log, h.function, kind, counts)
}

// onlyKind returns the kind of all changes, "" if they have several.
func onlyKind(changes []storage.Change) string {
	kind := ""
	for i := range changes {
		if next := changes[i].Key.Series.Kind; kind == "" {
			kind = next
		} else if next != kind {
			return ""
		}
	}
	return kind
}
