// Package export writes what a table stores for use elsewhere: all rollups as CSV or
// NDJSON, and single items decoded for reading.
package export

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/pages"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// AllTiers is the value of Rollups.Tier that exports every tier.
const AllTiers = "all"

// Rollups collects the rollups of a scanned table and writes them sorted: Add every item,
// then Fold, then Write. Each row is kept as its lines of text, which take less memory than
// the row, until all can be sorted. The rows of a sharded series are kept until they can be
// merged.
type Rollups struct {
	Kinds  *catalog.Catalog
	Live   *query.Live // folds open buckets; its low watermarks are query.Swept, read before the scan
	Tier   string      // AllTiers or the name of one
	Now    model.Time
	Format Format

	lines  []line
	shards map[rollup.Key][]rollup.Row // by the key without its shard
	open   map[model.Series][]openRange
}

// openRange is the buckets of a unit whose stored rows may be out of date.
type openRange struct {
	unit tier.Unit
	from model.Time
}

// line is a line of the output and what it is sorted by.
type line struct {
	key   rollup.Key
	index int // within the bucket
	text  string
}

// Add takes one item of the table. It ignores items that are no visible rollup of the
// tier.
func (r *Rollups) Add(ctx context.Context, it item.Item) error {
	if e, err := keys.ParseEvent(it.Key()); err == nil {
		_, err := r.openOf(ctx, e.Series)
		return err
	}
	key, err := keys.ParseRow(it.Key())
	if err != nil || !r.selects(key.Tier) {
		return nil
	}
	open, err := r.openOf(ctx, key.Series)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(open, func(o openRange) bool { return o.unit.String() == key.Tier && key.Start >= o.from }) {
		return nil // it is folded
	}
	row, err := item.Row(it)
	if err != nil {
		return err
	}
	return r.add(&row)
}

func (r *Rollups) selects(unit string) bool { return r.Tier == AllTiers || r.Tier == unit }

// openOf returns the ranges of a series to fold, as of its first item.
func (r *Rollups) openOf(ctx context.Context, s model.Series) ([]openRange, error) {
	open, known := r.open[s]
	if known {
		return open, nil
	}
	for _, t := range r.retention(s.Kind).Tiers {
		from, err := r.Live.OpenFrom(ctx, t.Unit, s)
		if err != nil {
			return nil, err
		}
		if from <= model.MaxTime && r.selects(t.Unit.String()) {
			open = append(open, openRange{t.Unit, from})
		}
	}
	if r.open == nil {
		r.open = map[model.Series][]openRange{}
	}
	r.open[s] = open
	return open, nil
}

// Fold folds the open buckets of every series of which an item was added.
func (r *Rollups) Fold(ctx context.Context) error {
	for series, open := range r.open {
		for _, o := range open {
			if err := r.fold(ctx, series, o); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Rollups) fold(ctx context.Context, s model.Series, o openRange) error {
	read := func(after string) ([]rollup.Row, string, error) {
		page, err := r.Live.Rows(ctx, o.unit, storage.Range{Series: s, From: o.from, To: model.MaxTime, After: after})
		return page.Rows, page.Next, err
	}
	for row, err := range pages.Items(read) {
		if err != nil {
			return err
		}
		if err := r.add(&row); err != nil {
			return err
		}
	}
	return nil
}

// add takes a row that is up to date.
func (r *Rollups) add(row *rollup.Row) error {
	key := row.Key
	switch {
	case !query.Visible(r.retention(key.Series.Kind), row, r.Now):
		return nil
	case key.Series.Shard == 0:
		return r.addLines(key, &row.Fold, r.partial(row))
	}
	key.Series.Shard = 0
	if r.shards == nil {
		r.shards = map[rollup.Key][]rollup.Row{}
	}
	r.shards[key] = append(r.shards[key], *row)
	return nil
}

// retention returns the retention policy of a kind; that of an undeclared kind has no
// tiers.
func (r *Rollups) retention(kind string) tier.Policy {
	if k, ok := r.Kinds.Kind(kind); ok {
		return k.Retention
	}
	return tier.Policy{}
}

// partial returns the fields of a row that are not whole; none of an undeclared kind.
func (r *Rollups) partial(row *rollup.Row) rollup.AddedFields {
	if k, ok := r.Kinds.Kind(row.Key.Series.Kind); ok {
		return k.Spec().Partial(&row.Fold)
	}
	return nil
}

// addLines adds a line for each measure of a bucket, for each distinct count, and for each
// stored value of a dimension. A bucket without any of them has one line.
func (r *Rollups) addLines(key rollup.Key, fold *rollup.Fold, partial rollup.AddedFields) error {
	bucket := record{
		Kind: key.Series.Kind, Subject: key.Series.Subject.ID, Stream: key.Series.Stream,
		Tier: key.Tier, Bucket: key.Start.Time().Format(bucketLayout), Exact: fold.Exact, Events: fold.Summary.Events(),
	}
	var records []record
	for _, name := range fold.Summary.Names() {
		m, _ := fold.Summary.Measure(name)
		of := bucket
		of.Measure, of.Figures = name, query.FiguresOf(m)
		of.Exact, of.WholeFrom = httpapi.LineExact(fold.Exact, partial, rollup.MeasureRole, name)
		records = append(records, of)
	}
	if len(records) == 0 {
		records = append(records, bucket)
	}
	for _, v := range httpapi.ValueRowsOf(fold.Summary, 0) {
		of := bucket
		of.Events, of.Field, of.Value, of.Distinct = v.Events, v.Field, v.Value, v.Distinct
		of.Exact, of.WholeFrom = httpapi.LineExact(fold.Exact, partial, v.Role, v.Field)
		records = append(records, of)
	}
	for i, of := range records {
		text, err := r.Format.line(of)
		if err != nil {
			return err
		}
		r.lines = append(r.lines, line{key, i, text})
	}
	return nil
}

// mergeShards merges the rows of each bucket of a sharded series into one.
func (r *Rollups) mergeShards() error {
	for key, rows := range r.shards {
		kind, ok := r.Kinds.Kind(key.Series.Kind)
		if !ok {
			return usage.Errorf("the table has rollups of kind %s, which the configuration does not declare: pass the tidemark.yaml of this table with --config", key.Series.Kind)
		}
		merged, partial := rollup.NewFold(kind.Spec()), rollup.AddedFields(nil)
		for i := range rows {
			merged.AddRow(&rows[i])
			partial = partial.Merge(r.partial(&rows[i]))
		}
		if err := r.addLines(key, merged, partial); err != nil {
			return err
		}
	}
	r.shards = nil
	return nil
}

// Write writes the header and all lines, sorted by kind, subject, stream, tier, bucket
// and measure, then by field and falling count.
func (r *Rollups) Write(w io.Writer) error {
	if err := r.mergeShards(); err != nil {
		return err
	}
	slices.SortFunc(r.lines, compareLines)
	if _, err := io.WriteString(w, r.Format.header); err != nil {
		return err
	}
	for _, l := range r.lines {
		if _, err := io.WriteString(w, l.text); err != nil {
			return err
		}
	}
	return nil
}

func compareLines(a, b line) int {
	return cmp.Or(
		strings.Compare(a.key.Series.Kind, b.key.Series.Kind),
		strings.Compare(a.key.Series.Subject.ID, b.key.Series.Subject.ID),
		strings.Compare(a.key.Series.Stream, b.key.Series.Stream),
		strings.Compare(a.key.Tier, b.key.Tier),
		cmp.Compare(a.key.Start, b.key.Start),
		cmp.Compare(a.index, b.index),
	)
}
