package httpapi

import (
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Chart is the rollups of a range in the tier that suits it, as JSON.
type Chart struct {
	From     model.Time `json:"from"` // the requested range, widened to complete buckets
	To       model.Time `json:"to"`
	Reason   string     `json:"reason"`   // why these tiers were chosen
	Segments []Segment  `json:"segments"` // the tier of each part, oldest first
	// CompleteFrom is set if stored data does not reach back to From: data before
	// CompleteFrom has expired.
	CompleteFrom *model.Time `json:"wholeFrom"`
	// CompleteThrough is that of Rollups.
	CompleteThrough *model.Time `json:"completeThrough,omitempty"`
	Rollups         []Rollup    `json:"rollups"`
	OtherStreams
}

// Segment is a part of a chart's range with one tier.
type Segment struct {
	Tier string     `json:"tier"`
	From model.Time `json:"from"`
	To   model.Time `json:"to"`
}

// ChartOf returns c as JSON.
func ChartOf(c query.Curve) Chart {
	v := Chart{From: c.From, To: c.To, Reason: c.Reason, CompleteThrough: c.CompleteThrough, Rollups: make([]Rollup, len(c.Rollups))}
	if c.CompleteFrom > c.From {
		v.CompleteFrom = &c.CompleteFrom
	}
	for _, s := range c.Segments {
		v.Segments = append(v.Segments, Segment{Tier: s.Unit.String(), From: s.From, To: s.To})
	}
	for i, r := range c.Rollups {
		v.Rollups[i] = RollupOf(r)
	}
	return v
}

// Lines has one line for each bucket.
func (c Chart) Lines() []any { return linesOf(c.Rollups) }

// Table has one row for each measure of each bucket.
func (c Chart) Table() Table { return rollupTable(c.Rollups) }
