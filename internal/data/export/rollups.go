// Package export writes what a table stores for use elsewhere: rollups as one table of text, events and
// rollups as files by kind and time with a manifest, and single items decoded for reading.
package export

import (
	"context"
	"io"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/columns"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// AllTiers is the name that selects every tier.
const AllTiers = "all"

// Rollups writes all rollups of a tier, or of AllTiers, as "csv" or "ndjson". They are sorted by kind,
// subject, stream, tier, bucket and measure, then by field and falling count. It reads the list of series,
// then the rows of each series. progress is called after each series with 1, and may be nil.
func (s Source) Rollups(ctx context.Context, w io.Writer, unit, format string, progress func(int)) error {
	read := func(ctx context.Context, of *listed, emit func(entry) error) error {
		return s.readRollups(ctx, of.Series, unit, model.MinTime, model.MaxTime+1, emit)
	}
	return s.table(ctx, w, format, columns.Rollups.Columns(nil), read, progress)
}

// table writes what readSeries emits of each series as one table.
func (s Source) table(ctx context.Context, w io.Writer, format string, header []columns.Column,
	readSeries func(ctx context.Context, of *listed, emit func(entry) error) error, progress func(int)) error {
	all, err := s.series(ctx)
	if err != nil {
		return err
	}
	out, err := formats[format].open(w, header)
	if err != nil {
		return err
	}
	read := func(ctx context.Context, i int, emit func(entry) error) error {
		if progress != nil {
			defer progress(1)
		}
		return readSeries(ctx, &all[i], emit)
	}
	if err := inOrder(ctx, len(all), s.Parallel, read, out.write); err != nil {
		return err
	}
	return out.close()
}

// readRollups reads the buckets that start in a range: one query for each tier.
func (s Source) readRollups(ctx context.Context, of query.Series, unit string, from, to model.Time,
	emit func(entry) error) error {
	tiers := slices.Clone(of.Kind.Retention.Tiers)
	slices.SortFunc(tiers, func(a, b tier.Tier) int { return strings.Compare(a.Unit.String(), b.Unit.String()) })
	for _, t := range tiers {
		if unit != AllTiers && unit != t.Unit.String() {
			continue
		}
		for r, err := range s.Query.EachRollup(ctx, query.Rollups{Series: of, Unit: t.Unit, From: from, To: to}) {
			if err != nil {
				return err
			}
			for _, line := range newRecords(of, &r) {
				if err := emit(line); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// newRecords returns a record for each measure of a bucket, for each distinct count, and for
// each stored value of a dimension. A bucket without any of them has one record. So has a bucket of which
// nothing is known: without a number of events, and not exact.
func newRecords(of query.Series, r *query.Rollup) (records []record) {
	bucket := record{
		Kind: of.Kind.Name, Subject: of.Subject, Stream: of.Stream,
		Tier: r.TierName(), Bucket: r.Bucket.Start.Time().Format(bucketLayout), Exact: r.Exact,
		Events:    new(r.Summary.Events()),
		Truncated: r.Summary.Truncated(),
	}
	if r.Err != nil {
		bucket.Events, bucket.Exact = nil, false
		return []record{bucket}
	}
	for _, name := range r.Summary.Names() {
		m := r.Measure(name)
		line := bucket
		line.Measure, line.Figures = name, figure.New(m)
		line.Exact, line.WholeFrom = views.LineExact(r.Exact, r.Partial, rollup.MeasureRole, name)
		if of.Kind.GroupsOf != "" {
			line.TopMembers = r.TopMembers(name)
		}
		records = append(records, line)
	}
	if len(records) == 0 {
		records = append(records, bucket)
	}
	for _, v := range views.NewValueRows(r, 0) {
		line := bucket
		line.Events, line.Field = new(v.Events), v.Field
		line.Value, line.Distinct = v.Value, v.Distinct
		line.Event = v.Event
		line.Exact, line.WholeFrom = views.LineExact(r.Exact, r.Partial, v.Role, v.Stored)
		records = append(records, line)
	}
	return records
}
