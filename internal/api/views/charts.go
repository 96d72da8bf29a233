package views

import (
	"strconv"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Chart is the rollups of a range in the tier that suits it, as JSON.
type Chart struct {
	From     model.Time `json:"from"` // the requested range, widened to complete buckets
	To       model.Time `json:"to"`
	Reason   string     `json:"reason"`   // why these tiers were chosen
	Segments []Segment  `json:"segments"` // the tier of each part, oldest first
	// CompleteFrom is set if stored data does not reach back to From: data before CompleteFrom has expired.
	CompleteFrom *model.Time `json:"wholeFrom"`
	Missing      []Missing   `json:"missing,omitempty"` // what is not known of the range
	Progress
	Rollups []Rollup `json:"rollups"`
	OtherStreams
}

// Segment is a part of a chart's range with one tier.
type Segment struct {
	Tier string     `json:"tier"`
	From model.Time `json:"from"`
	To   model.Time `json:"to"`
}

// Missing is a part of a range of which it is not known whether it had events.
type Missing struct {
	Segment        // the tier is events, or of a range within a bucket its own
	Reason  string `json:"reason"`
}

func missingParts(all []query.Segment) []Missing {
	parts := newSegments(all)
	missing := make([]Missing, len(all))
	for i := range all {
		missing[i] = Missing{Segment: parts[i], Reason: all[i].Reason()}
	}
	return missing
}

// NewChart returns c as JSON.
func NewChart(c query.Curve) Chart {
	v := Chart{
		From: c.From, To: c.To, Reason: c.Reason, Missing: missingParts(c.Missing),
		Progress: FromProgress(c.Progress), Rollups: lists.Map(c.Rollups, NewRollup),
	}
	if c.CompleteFrom > c.From {
		v.CompleteFrom = &c.CompleteFrom
	}
	v.Segments = lists.Map(c.Segments, func(s query.Segment) Segment {
		return Segment{Tier: s.Unit.String(), From: s.From, To: s.To}
	})
	return v
}

// Lines has one line for each bucket.
func (c Chart) Lines() []any { return toLines(c.Rollups) }

// Table has one row for each measure of each bucket.
func (c Chart) Table() Table { return rollupTable(c.Rollups) }

// Total is the summary of any range of time as JSON: a Rollup whose bucket is the range and
// whose tier is "total".
type Total struct {
	Rollup
	Whole bool `json:"whole"` // nothing is missing
	// Parts are what each part of the range was read from, oldest first.
	Parts []Segment `json:"parts"`
	// Missing are the parts of which it is not known whether they had events; the total has none of these.
	Missing []Missing `json:"missing,omitempty"`
	Progress
}

// Names of tiers in a Total.
const (
	totalTier  = "total"
	eventsTier = "events"
)

// NewTotal returns t as JSON.
func NewTotal(t query.RangeTotal) Total {
	bucket := tier.Bucket{Unit: tier.Hour, Start: t.From, End: min(t.To, model.MaxTime)}
	v := Total{
		Rollup: NewRollup(query.Rollup{
			Bucket: bucket, Open: t.Open, Kinds: t.Kinds, Before: t.Before, Properties: t.Properties, Fold: t.Fold,
		}),
		Whole: len(t.Missing) == 0, Parts: newSegments(t.Parts), Missing: missingParts(t.Missing),
		Progress: FromProgress(t.Progress),
	}
	v.Tier = totalTier
	return v
}

func newSegments(parts []query.Segment) []Segment {
	return lists.Map(parts, func(p query.Segment) Segment {
		s := Segment{Tier: eventsTier, From: p.From, To: min(p.To, model.MaxTime)}
		if p.Unit != 0 {
			s.Tier = p.Unit.String()
		}
		return s
	})
}

// Lines has one line.
func (t Total) Lines() []any { return []any{t} }

// Table has the rows of a rollup.
func (t Total) Table() Table { return rollupTable([]Rollup{t.Rollup}) }

// Top is the most frequent values of a dimension as JSON.
type Top struct {
	Dimension string           `json:"dimension"`
	Tier      string           `json:"tier"`
	Buckets   int              `json:"buckets"`
	Open      bool             `json:"open"`
	Events    int64            `json:"events"`
	Kinds     map[string]int64 `json:"kinds,omitempty"`
	query.TopValues
	Partial []Partial `json:"partial,omitempty"` // as of a Rollup; only the dimension
	Missing []Missing `json:"missing,omitempty"` // what is not known of the range
	Progress
}

// NewTop returns the values of a dimension as JSON. total is the total of their range.
func NewTop(q query.Top, values query.TopValues, total query.Total) Top {
	t := Top{
		Dimension: q.Dimension, Tier: totalTier, Buckets: total.Buckets, Open: total.Open,
		Events: total.Summary.Events(), Kinds: CountKinds(total.Kinds), TopValues: values,
		Missing: missingParts(total.Missing), Progress: FromProgress(total.Progress),
	}
	if q.Unit != 0 {
		t.Tier = q.Unit.String()
	}
	if f, partial := total.Partial.Find(rollup.DimensionRole, q.Dimension); partial {
		t.Partial = NewPartials(rollup.AddedFields{f})
	}
	return t
}

// Lines has one line for each value.
func (t Top) Lines() []any { return toLines(t.Values) }

// Table has one row for each value.
func (t Top) Table() Table {
	return Table{Header: []string{t.Dimension, "count", "share", EventColumn},
		Rows: lists.Map(t.Values, func(v query.Share) []string {
			return []string{v.Value, strconv.FormatInt(v.Count, 10), floatText(&v.Share), v.Event}
		})}
}
