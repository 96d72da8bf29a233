// Package reshape recomputes the rows of a kind that lack fields which were added to it: a measure,
// percentiles, a dimension or a distinct count. It compares in a shadow of the table, which writes nothing,
// or it switches: it writes the rows, and then records in the table's configuration from when each field is
// whole.
//
// It recomputes only rows that say that they are partial, the finest tier first, by the same conditional
// writes as aggregation. So it is safe during live traffic, it may stop anywhere, and the next run continues
// with what is still partial. A row whose children have expired stays as it is, and remains partial.
package reshape

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/tableconfig"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Table is the table whose rows are recomputed.
type Table interface {
	tablescan.Table
	aggregate.Store
	aggregate.InvalidationStore
	aggregate.QuarantineStore
	tableconfig.Store
}

// Reshaper recomputes the partial rows of a kind. Set its fields before the first call.
type Reshaper struct {
	Table    Table
	Catalog  *catalog.Catalog // with the fields of the table: see tableconfig.Load
	Now      func() model.Time
	Rate     int // most rows a second; 0 sets no limit
	Retrier  retry.Retrier
	Progress func(verify.Step) // called as series are done; nil to ignore it
}

// Report is what a run found and did.
type Report struct {
	Kind   string
	Series int
	Tiers  []TierRows // finest first
	// Fields are the added fields. WholeFrom is valid for the rows after the run: MinTime if no row is
	// partial.
	Fields rollup.AddedFields
}

// TierRows counts the rows of a tier.
type TierRows struct {
	Tier   string
	Rows   int
	Before int // partial ones before the run
	After  int // partial ones after the run: their children have expired or are partial
}

// TooEarlyError says that some process may still compute rows without the added fields.
type TooEarlyError struct {
	Kind string
	From model.Time // when to try again
}

func (e *TooEarlyError) Error() string {
	return fmt.Sprintf("kind %s: functions may compute rows without the added fields until %s, "+
		"because they read the configuration now and then: run the command again after that", e.Kind, e.From)
}

// Compare reports what Switch would do, and writes nothing.
func (r *Reshaper) Compare(ctx context.Context, kind string) (*Report, error) {
	return r.run(ctx, kind, &shadow{Table: r.Table})
}

// Switch recomputes the partial rows, and records in the table's configuration from when the
// fields are whole. After an error or an interruption, run it again. The error is a
// *TooEarlyError if a field was added less than tableconfig.Lead ago; then nothing was done.
func (r *Reshaper) Switch(ctx context.Context, kind string) (*Report, error) {
	k, err := r.kind(kind)
	if err != nil {
		return nil, err
	}
	if from := k.Spec().FieldsAt.Add(tableconfig.Lead); k.Spec().FieldsAt != 0 && r.Now() < from {
		return nil, &TooEarlyError{kind, from}
	}
	report, err := r.run(ctx, kind, r.Table)
	if err != nil {
		return report, err
	}
	a := &tableconfig.Applier{Table: r.Table, Now: r.Now}
	_, err = a.Reshaped(ctx, kind, report.Fields)
	return report, err
}

func (r *Reshaper) kind(name string) (*catalog.Kind, error) {
	k, ok := r.Catalog.Kind(name)
	if !ok {
		return nil, fmt.Errorf("kind %q is not declared", name)
	}
	return k, nil
}

func (r *Reshaper) run(ctx context.Context, name string, table Table) (*Report, error) {
	kind, err := r.kind(name)
	if err != nil {
		return nil, err
	}
	report := &Report{Kind: name}
	for _, t := range kind.Retention.Tiers {
		report.Tiers = append(report.Tiers, TierRows{Tier: t.Unit.String()})
	}
	for _, f := range kind.Spec().Added {
		if f.Since != model.MaxTime {
			f.WholeFrom = model.MinTime
			report.Fields = append(report.Fields, f)
		}
	}
	all, err := tablescan.Series(ctx, r.Table, r.Catalog, model.Subject{})
	if err != nil {
		return report, fmt.Errorf("find the series: %w", err)
	}
	all = slices.DeleteFunc(all, func(s model.Series) bool { return s.Kind != name })
	for _, s := range all {
		one := &seriesRun{Reshaper: r, table: table, kind: kind, series: s, report: report}
		if err := one.run(ctx); err != nil {
			return report, fmt.Errorf("reshape %s: %w", s, err)
		}
		report.Series++
		if r.Progress != nil {
			r.Progress(verify.Step{Phase: "reshape", Unit: "series", Added: 1, Total: len(all)})
		}
	}
	return report, nil
}

// wait keeps to the rate after n rows.
func (r *Reshaper) wait(ctx context.Context, n int) error {
	if r.Rate == 0 {
		return ctx.Err()
	}
	return r.Retrier.Wait(ctx, perRow(r.Rate, n))
}

// batch is how many rows are recomputed together.
func (r *Reshaper) batch() int {
	if r.Rate == 0 {
		return 500
	}
	return min(r.Rate, 500)
}

// tierUnit returns the tier of a level.
func tierUnit(k *catalog.Kind, level int) tier.Unit { return k.Retention.Tiers[level].Unit }
