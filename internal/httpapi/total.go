package httpapi

import (
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Total is the summary of any range of time as JSON: a Rollup whose bucket is the range and
// whose tier is "total".
type Total struct {
	Rollup
	Whole bool `json:"whole"` // nothing is missing
	// Parts are what each part of the range was read from, oldest first.
	Parts []Segment `json:"parts"`
	// Missing are the parts of which the rows or events have expired that would cut them to
	// the millisecond; the total has no event of them.
	Missing []Segment `json:"missing,omitempty"`
	// CompleteThrough is that of Rollups.
	CompleteThrough *model.Time `json:"completeThrough,omitempty"`
}

// Names of tiers in a Total.
const (
	totalTier  = "total"
	eventsTier = "events"
)

// TotalOf returns t as JSON.
func TotalOf(t query.RangeTotal) Total {
	bucket := tier.Bucket{Unit: tier.Hour, Start: t.From, End: min(t.To, model.MaxTime)}
	v := Total{
		Rollup: RollupOf(query.Rollup{Bucket: bucket, Open: t.Open, Kinds: t.Kinds, Fold: t.Fold}),
		Whole:  len(t.Missing) == 0, Parts: partsOf(t.Parts), CompleteThrough: t.CompleteThrough,
	}
	v.Tier = totalTier
	for _, m := range t.Missing {
		v.Missing = append(v.Missing, Segment{Tier: eventsTier, From: m.From, To: min(m.To, model.MaxTime)})
	}
	return v
}

func partsOf(parts []query.Segment) []Segment {
	all := make([]Segment, len(parts))
	for i, p := range parts {
		all[i] = Segment{Tier: eventsTier, From: p.From, To: min(p.To, model.MaxTime)}
		if p.Unit != 0 {
			all[i].Tier = p.Unit.String()
		}
	}
	return all
}

// Lines has one line.
func (t Total) Lines() []any { return []any{t} }

// Table has the rows of a rollup.
func (t Total) Table() Table { return rollupTable([]Rollup{t.Rollup}) }
