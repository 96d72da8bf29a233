package reshape

import (
	"context"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// seriesRun recomputes one series.
type seriesRun struct {
	*Reshaper
	table  Table // the table, or its shadow
	kind   *catalog.Kind
	series model.Series
	report *Report
}

// run counts the partial rows, recomputes them, tier by tier, and counts again. A row of a coarser tier is
// recomputed with its finer rows; its own turn is for a run that was interrupted before.
func (s *seriesRun) run(ctx context.Context) error {
	for level := range s.report.Tiers {
		rows, err := s.rows(ctx, level)
		if err != nil {
			return err
		}
		s.report.Tiers[level].Rows += len(rows)
		s.report.Tiers[level].Before += len(s.partial(rows))
	}
	for level := range s.report.Tiers {
		if err := s.recompute(ctx, level); err != nil {
			return err
		}
	}
	reached := rollup.AddedFields(slices.Clone(s.report.Fields))
	for i := range reached {
		reached[i].WholeFrom = model.MinTime
	}
	for level := range s.report.Tiers {
		rows, err := s.rows(ctx, level)
		if err != nil {
			return err
		}
		partial := s.partial(rows)
		s.report.Tiers[level].After += len(partial)
		wholeFrom(reached, s.kind.Spec(), tierUnit(s.kind, level), partial)
	}
	s.report.Fields = s.report.Fields.Merge(reached)
	return nil
}

// rows returns the rows of a level that readers see, oldest first.
func (s *seriesRun) rows(ctx context.Context, level int) (all []rollup.Row, _ error) {
	whole := storage.Range{Series: s.series, From: model.MinTime, To: model.MaxTime, Consistent: true}
	read := func(after string) ([]rollup.Row, string, error) {
		whole.After = after
		page, err := s.table.Rows(ctx, tierUnit(s.kind, level), whole)
		return page.Rows, page.Next, err
	}
	for row, err := range paging.Items(read) {
		if err != nil {
			return nil, err
		}
		if query.Visible(s.kind.Retention, &row, s.Now()) {
			row.Children = 0
			all = append(all, row)
		}
	}
	return all, nil
}

func (s *seriesRun) partial(rows []rollup.Row) (partial []rollup.Row) {
	return lists.Filter(rows, func(row rollup.Row) bool { return len(s.lacks(&row)) > 0 })
}

// lacks returns the fields that a row lacks and that a recomputation can add.
func (s *seriesRun) lacks(row *rollup.Row) (fields rollup.AddedFields) {
	return lists.Filter(s.kind.Spec().Partial(&row.Fold), func(f rollup.AddedField) bool {
		return f.Since != model.MaxTime
	})
}

// recompute recomputes the partial rows of a level, and the coarser ones that contain them.
// Aggregation leaves sealed rows as they are.
func (s *seriesRun) recompute(ctx context.Context, level int) error {
	rows, err := s.rows(ctx, level)
	if err != nil {
		return err
	}
	agg := &aggregate.Aggregator{Store: s.table, QuarantineStore: s.table, Catalog: s.Catalog, Now: s.Now,
		Sleep: s.Retrier.Sleep, Rand: s.Retrier.Rand}
	for some := range slices.Chunk(s.partial(rows), s.batch()) {
		targets := lists.Map(some, func(row rollup.Row) aggregate.Target {
			return aggregate.Target{Series: s.series, At: row.Key.Start, Tier: tierUnit(s.kind, level)}
		})
		report := agg.Recompute(ctx, targets, aggregate.RepairOptions{Mark: aggregate.MarkNone})
		if len(report.Failures) > 0 {
			return report.Failures[0].Err
		}
		if err := s.wait(ctx, len(some)); err != nil {
			return err
		}
	}
	return nil
}

// perRow returns how long n rows take at a rate a second.
func perRow(rate, n int) time.Duration { return time.Duration(n) * time.Second / time.Duration(rate) }

// wholeFrom moves the time from which fields are whole after the partial rows of a tier.
// Call it for each tier, finest first: a partial row that contains the time so far is
// explained by finer ones. The result depends on the arguments only.
func wholeFrom(fields rollup.AddedFields, spec *rollup.Spec, unit tier.Unit, partial []rollup.Row) {
	for _, row := range partial {
		for _, lacks := range spec.Partial(&row.Fold) {
			i := slices.IndexFunc(fields, func(f rollup.AddedField) bool {
				return f.Role == lacks.Role && f.Name == lacks.Name
			})
			if i >= 0 && row.Key.Start >= fields[i].WholeFrom {
				fields[i].WholeFrom = unit.BucketAt(row.Key.Start).End
			}
		}
	}
}
