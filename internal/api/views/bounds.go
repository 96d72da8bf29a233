package views

import "github.com/tidemark-db/tidemark/pkg/model"

// Bounds say which changes of the table a result has, and what is not known of its range. JSON has them as
// fields. A List has no place for them in its other formats, so they are passed beside the list.
type Bounds struct {
	Progress
	Missing   []Missing
	WholeFrom *model.Time // of events; nil if none of the range can have expired
}

// Bounded is a result with bounds: each that has a Progress.
type Bounded interface {
	Bounds() Bounds
}

// Bounds returns the progress. A result that also has Missing has a method of its own.
func (p Progress) Bounds() Bounds { return Bounds{Progress: p} }

// Bounds returns the bounds of the counts.
func (v AlertCounts) Bounds() Bounds { return Bounds{Progress: v.Progress, Missing: v.Missing} }

// Bounds returns the bounds of the chart.
func (c Chart) Bounds() Bounds { return Bounds{Progress: c.Progress, Missing: c.Missing} }

// Bounds returns the bounds of the history.
func (h History) Bounds() Bounds { return Bounds{WholeFrom: h.WholeFrom} }

// Bounds returns the bounds of the increases.
func (v Increases) Bounds() Bounds { return Bounds{Progress: v.Progress, Missing: v.Missing} }

// Bounds returns the bounds of the list of members.
func (m Members) Bounds() Bounds { return Bounds{Progress: m.Progress, Missing: m.Missing} }

// Bounds returns the bounds of the rollups.
func (r Rollups) Bounds() Bounds { return Bounds{Progress: r.Progress, Missing: r.Missing} }

// Bounds returns the bounds of the list of values.
func (t Top) Bounds() Bounds { return Bounds{Progress: t.Progress, Missing: t.Missing} }

// Bounds returns the bounds of the total.
func (t Total) Bounds() Bounds { return Bounds{Progress: t.Progress, Missing: t.Missing} }
