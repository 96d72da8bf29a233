package repair

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ArrivalReport is the result of RepairArrivals.
type ArrivalReport struct {
	aggregate.Counts
	Ranges   []storage.Gap
	Items    int // audited
	Suspects int // buckets that were suspect
	Notes    []aggregate.Note
}

// RepairArrivals recomputes every bucket with an event that arrived in one of the ranges, and
// every other bucket whose digest is wrong. Sealed rows of the former are marked
// inexact. With an error it returns the report of what it did.
func (r *Repairer) RepairArrivals(ctx context.Context, ranges []storage.Gap) (*ArrivalReport, error) {
	report := &ArrivalReport{Ranges: ranges}
	auditor := &verify.Auditor{Table: r.Table, Catalog: r.Catalog, Now: r.Now, Include: arrivedIn(ranges),
		Progress: r.Progress}
	audit, err := auditor.Run(ctx, model.Subject{})
	if err != nil {
		return report, fmt.Errorf("audit the table: %w", err)
	}
	report.Items, report.Suspects = audit.Items, len(audit.Suspects)
	return report, r.recompute(ctx, targets(audit.Suspects), report)
}

// arrivalSlack is how far an event's arrival, by the clock of its source, may be from
// the time of its change, by the clock of the table: retries, rounding and clock skew.
const arrivalSlack = 5 * time.Minute

// arrivedIn selects the events that arrived in one of the ranges.
func arrivedIn(ranges []storage.Gap) func(*model.Event) bool {
	return func(e *model.Event) bool {
		return slices.ContainsFunc(ranges, func(g storage.Gap) bool {
			return g.From.Add(-arrivalSlack) <= e.ArrivedAt && e.ArrivedAt <= g.To.Add(arrivalSlack)
		})
	}
}

// targets returns the buckets of suspects.
func targets(all []verify.Suspect) []aggregate.Target {
	out := make([]aggregate.Target, len(all))
	for i, s := range all {
		unit, _ := tier.ParseUnit(s.Key.Tier) // the audit took it from the catalog
		out[i] = aggregate.Target{Series: s.Key.Series, At: s.Key.Start, Tier: unit}
	}
	return out
}

// chunkSize is how many buckets are recomputed in one call.
const chunkSize = 500

// recompute recomputes buckets in chunks, pausing after each to keep the rate.
func (r *Repairer) recompute(ctx context.Context, all []aggregate.Target, report *ArrivalReport) error {
	size := chunkSize
	if r.Rate > 0 {
		size = max(1, min(chunkSize, int(r.Rate)))
	}
	notes := notes{max: r.MaxNotes}
	defer func() { report.Notes = notes.all }()
	options := aggregate.RepairOptions{Mark: aggregate.MarkSealed, DryRun: r.DryRun,
		ReplaceDamaged: r.ReplaceDamaged, OnDifference: notes.add}
	for chunk := range slices.Chunk(all, size) {
		began := r.Now()
		done := r.Aggregator.Recompute(ctx, chunk, options)
		report.Counts.Add(&done.Counts)
		if len(done.Failures) > 0 {
			return fmt.Errorf("recompute: %w", done.Failures[0].Err)
		}
		if r.Progress != nil {
			r.Progress(verify.Step{Phase: "recompute", Unit: "buckets", Added: len(chunk), Total: len(all)})
		}
		if err := r.pause(ctx, done.Recomputed, began); err != nil {
			return err
		}
	}
	return nil
}

// pause waits until so many recomputations, begun at a time, are within the rate.
func (r *Repairer) pause(ctx context.Context, recomputed int, began model.Time) error {
	if r.Rate <= 0 {
		return nil
	}
	due := time.Duration(float64(recomputed) / r.Rate * float64(time.Second))
	return retry.Sleep(ctx, max(0, due-r.Now().Sub(began)))
}
