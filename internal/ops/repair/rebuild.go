package repair

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Repairer recomputes buckets: every bucket of a scope, series by series, or the buckets of events that
// arrived in a range of time. No key is ordered by arrival, so for the latter it scans the whole table.
type Repairer struct {
	Table      tablescan.Table
	Catalog    *catalog.Catalog
	Aggregator *aggregate.Aggregator
	Now        func() model.Time // only for RepairArrivals

	Mark           aggregate.MarkMode // only for Rebuild
	DryRun         bool
	ReplaceDamaged bool
	Rate           float64 // most recomputations a second; 0 sets no limit
	MaxNotes       int     // how many rows are described in the report
	// Progress is called for recomputed buckets, and by RepairArrivals for every audited item; nil to ignore
	// it.
	Progress func(verify.Step)
}

// RebuildReport is the result of a rebuild.
type RebuildReport struct {
	aggregate.Counts
	Series   int
	Failures []aggregate.Failure // buckets that a newer version wrote: they were skipped
	Notes    []aggregate.Note    // the first rows that were wrong, in no order
}

// Rebuild recomputes the scope from where the checkpoint says, and removes the
// checkpoint when it is done. With an error it returns the report of what it did. A
// series of an undeclared kind ends it with an *UndeclaredKindError.
func (r *Repairer) Rebuild(ctx context.Context, s verify.Scope, at *Checkpoint) (*RebuildReport, error) {
	run := rebuildRun{Repairer: r, scope: s, at: at, notes: notes{max: r.MaxNotes}}
	all, err := tablescan.Series(ctx, r.Table, r.Catalog, s.Subject)
	if err != nil {
		return &run.report, fmt.Errorf("find the series: %w", err)
	}
	err = run.all(ctx, at.remaining(all))
	run.report.Notes = run.notes.all
	if err == nil {
		err = at.remove()
	}
	return &run.report, err
}

// rebuildRun is one run of Rebuild.
type rebuildRun struct {
	*Repairer
	scope  verify.Scope
	at     *Checkpoint
	notes  notes
	report RebuildReport
}

func (r *rebuildRun) all(ctx context.Context, series []model.Series) error {
	for i, s := range series {
		if _, known := r.Catalog.Kind(s.Kind); !known {
			return &UndeclaredKindError{Series: s}
		}
		next := aggregate.Rebuild{
			Series: s, From: r.scope.Span.From, To: r.scope.Span.To, Tier: r.scope.Tier, Rate: r.Rate,
			RepairOptions: aggregate.RepairOptions{Mark: r.Mark, DryRun: r.DryRun, ReplaceDamaged: r.ReplaceDamaged,
				OnDifference: r.notes.add},
		}
		if reached, ok := r.at.within(s); ok && i == 0 {
			next.From, next.Resumed = max(next.From, reached), true
		}
		if err := r.one(ctx, next); err != nil {
			return err
		}
	}
	return nil
}

// one rebuilds one series and saves how far it is.
func (r *rebuildRun) one(ctx context.Context, next aggregate.Rebuild) error {
	done := 0
	progress := func(recomputed int) {
		if r.Progress != nil && recomputed > done {
			r.Progress(verify.Step{Phase: "rebuild", Unit: "recomputations", Added: recomputed - done})
		}
		done = recomputed
	}
	var unsaved error
	next.OnProgress = func(reached model.Time, sofar aggregate.Counts) {
		progress(sofar.Recomputed)
		if err := r.at.save(next.Series, reached, false); err != nil {
			unsaved = err
		}
	}
	report, err := r.Aggregator.Rebuild(ctx, next)
	progress(report.Recomputed)
	r.report.Counts.Add(&report.Counts)
	r.report.Failures = append(r.report.Failures, report.Failures...)
	r.report.Series++
	if err == nil {
		err = unsaved
	}
	if err == nil {
		err = r.at.save(next.Series, model.MaxTime, true)
	}
	return err
}
