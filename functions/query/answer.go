package main

import (
	"github.com/tidemark-db/tidemark/pkg/envelope"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
)

// eventView is an event, or a current, as JSON.
type eventView struct {
	At         *model.Time     `json:"at"` // null in a current that no event has made yet
	ID         string          `json:"id"`
	Fields     envelope.Fields `json:"fields"`
	Unreadable bool            `json:"unreadable,omitempty"` // stored, but not to be decoded
}

type historyView struct {
	Events []eventView `json:"events"`
	Next   *string     `json:"next"`
}

type rollupView struct {
	Bucket     model.Time               `json:"bucket"`
	End        model.Time               `json:"end"`
	Tier       string                   `json:"tier"`
	Exact      bool                     `json:"exact"`
	Open       bool                     `json:"open"`
	Truncated  bool                     `json:"truncated"`
	Unreadable int64                    `json:"unreadable"`
	Events     int64                    `json:"events"`
	Kinds      map[string]int64         `json:"kinds,omitempty"` // events by kind, where several are merged
	Measures   map[string]query.Figures `json:"measures"`
	Dimensions map[string]query.Shares  `json:"dimensions,omitempty"` // the most frequent values of each
	Distinct   map[string]distinctView  `json:"distinct,omitempty"`
}

// distinctView is how many different values a field had.
type distinctView struct {
	Count int64 `json:"count"`
	Exact bool  `json:"exact"` // false where it is estimated, within a few per cent
}

// shownValues are the values of a dimension in a rollup; top answers more.
const shownValues = 10

type rollupsView struct {
	Rollups []rollupView `json:"rollups"`
	Next    *string      `json:"next"`
}

func viewHistory(page query.EventPage) historyView {
	v := historyView{Events: make([]eventView, len(page.Events)), Next: cursorView(page.Next)}
	for i := range page.Events {
		e := &page.Events[i]
		v.Events[i] = eventView{At: &e.At, ID: e.ID, Fields: envelope.Fields(e.Attrs), Unreadable: e.Unreadable}
	}
	return v
}

func viewCurrent(c *model.Current) eventView {
	v := eventView{ID: c.ID, Fields: envelope.Fields(c.Attrs)}
	if c.Ordered {
		v.At = &c.At
	}
	return v
}

func viewRollups(page query.RollupPage) rollupsView {
	v := rollupsView{Rollups: make([]rollupView, len(page.Rollups)), Next: cursorView(page.Next)}
	for i, r := range page.Rollups {
		v.Rollups[i] = viewRollup(r)
	}
	return v
}

func viewRollup(r query.Rollup) rollupView {
	v := rollupView{
		Bucket: r.Bucket.Start, End: r.Bucket.End, Tier: r.Bucket.Unit.String(),
		Exact: r.Exact, Open: r.Open, Truncated: r.Summary.Truncated(),
		Unreadable: r.Unreadable, Events: r.Summary.Events(),
		Measures: map[string]query.Figures{},
	}
	for _, name := range r.Summary.Names() {
		v.Measures[name] = query.FiguresOf(r.Measure(name))
	}
	v.Kinds, v.Dimensions, v.Distinct = kindsView(r.Kinds), map[string]query.Shares{}, map[string]distinctView{}
	for _, name := range r.Summary.DimensionNames() {
		d, _ := r.Summary.Dimension(name)
		v.Dimensions[name] = query.SharesOf(d, shownValues)
	}
	for _, name := range r.Summary.DistinctNames() {
		n, exact := r.Summary.Distinct(name)
		v.Distinct[name] = distinctView{n, exact}
	}
	return v
}

func kindsView(kinds []query.KindEvents) map[string]int64 {
	v := map[string]int64{}
	for _, k := range kinds {
		v[k.Kind] = k.Events
	}
	return v
}

func cursorView(next string) *string {
	if next == "" {
		return nil
	}
	return &next
}
