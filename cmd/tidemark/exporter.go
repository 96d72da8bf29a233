package main

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// exporter gathers the rollups of a scanned table. A row becomes its lines of text as
// soon as it is read, so that what is held until all can be sorted is the text alone;
// the rows of a spread series wait for their bucket's other shards.
type exporter struct {
	kinds  *catalog.Catalog
	tier   string // "all" or one
	now    model.Time
	format exportFormat

	lines  []exportLine
	shards map[rollup.Key][]rollup.Row // by the key without its shard
}

// exportLine is a line of the output and what it is sorted by.
type exportLine struct {
	key     rollup.Key
	measure string
	text    string
}

// take looks at one item of the table; what is no rollup asked for is passed over.
func (e *exporter) take(it item.Item) error {
	key, err := keys.ParseRow(it.Key())
	if err != nil || e.tier != "all" && key.Tier != e.tier {
		return nil
	}
	row, err := item.Row(it)
	switch {
	case err != nil:
		return err
	case !query.Shows(e.ladder(key.Series.Kind), &row, e.now):
		return nil
	case key.Series.Shard == 0:
		return e.add(key, &row.Fold)
	}
	key.Series.Shard = 0
	if e.shards == nil {
		e.shards = map[rollup.Key][]rollup.Row{}
	}
	e.shards[key] = append(e.shards[key], row)
	return nil
}

// ladder is a kind's; that of a kind nobody declares any more has no tiers.
func (e *exporter) ladder(kind string) tier.Ladder {
	if k, ok := e.kinds.Kind(kind); ok {
		return k.Ladder
	}
	return tier.Ladder{}
}

// add makes the lines of a bucket.
func (e *exporter) add(key rollup.Key, fold *rollup.Fold) error {
	for _, name := range fold.Summary.Names() {
		m, _ := fold.Summary.Measure(name)
		text, err := e.format.line(exportRecord{
			Kind: key.Series.Kind, Subject: key.Series.Subject.ID, Stream: key.Series.Stream,
			Tier: key.Tier, Bucket: key.Start.Time().Format(bucketLayout), Measure: name,
			Figures: query.FiguresOf(m), Exact: fold.Exact,
		})
		if err != nil {
			return err
		}
		e.lines = append(e.lines, exportLine{key, name, text})
	}
	return nil
}

// merge puts the shards of each bucket together.
func (e *exporter) merge() error {
	for key, rows := range e.shards {
		kind, ok := e.kinds.Kind(key.Series.Kind)
		if !ok {
			return usagef("the table has rollups of kind %s, which the configuration does not declare: give the tidemark.yaml it was made with by --config", key.Series.Kind)
		}
		whole := rollup.NewFold(kind.Spec())
		for i := range rows {
			whole.AddRow(&rows[i])
		}
		if err := e.add(key, whole); err != nil {
			return err
		}
	}
	e.shards = nil
	return nil
}

// write writes all lines in order.
func (e *exporter) write(w io.Writer) error {
	if err := e.merge(); err != nil {
		return err
	}
	slices.SortFunc(e.lines, compareLines)
	if _, err := io.WriteString(w, e.format.header); err != nil {
		return err
	}
	for _, line := range e.lines {
		if _, err := io.WriteString(w, line.text); err != nil {
			return err
		}
	}
	return nil
}

func compareLines(a, b exportLine) int {
	return cmp.Or(
		strings.Compare(a.key.Series.Kind, b.key.Series.Kind),
		strings.Compare(a.key.Series.Subject.ID, b.key.Series.Subject.ID),
		strings.Compare(a.key.Series.Stream, b.key.Series.Stream),
		strings.Compare(a.key.Tier, b.key.Tier),
		cmp.Compare(a.key.Start, b.key.Start),
		strings.Compare(a.measure, b.measure),
	)
}
