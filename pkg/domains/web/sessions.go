package web

import (
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// sessionGap is the pause after which a view begins another session; sessionLateness is how late
// views may be without reading the visitor's other views.
const (
	sessionGap      = 30 * time.Minute
	sessionLateness = 10 * time.Minute
)

// Sessions are the visits of a visitor: page views with no pause of more than 30 minutes. They have
// the source, the campaign and the device of their first view.
var Sessions = catalog.Kind{
	Name:    "SESSION",
	Path:    "sessions",
	Subject: Site,
	Sessions: &catalog.Sessions{
		Of: PageViews.Name, By: webfield.Visitor, Gap: sessionGap, Follow: tier.Day24,
		First: ofFirstView(),
		Last:  []catalog.SessionField{{Name: webfield.Exit, Of: webfield.Path}},
	},
	Measures: []rollup.MeasureSpec{
		{Name: webfield.Views, Scale: 0, Percentiles: true},
		{Name: webfield.Duration, Scale: 0, Percentiles: true, Unit: milliseconds},
		{Name: webfield.Bounce, Scale: 0},
	},
	Dimensions: append([]rollup.DimensionSpec{
		{Name: webfield.Entry, Top: 100, Detail: 8 << 10},
		{Name: webfield.Exit, Top: 80, Detail: 4 << 10},
		{Name: webfield.Referrer, Top: 80, Detail: 4 << 10},
		{Name: webfield.Country, Top: 250, Detail: 6 << 10},
		{Name: webfield.Device, Top: 16, Detail: 2 << 10},
		{Name: webfield.SourceEntry, Of: [2]string{webfield.Source, webfield.Entry}, Top: 40, Detail: 4 << 10},
		{Name: webfield.CountryEntry, Of: [2]string{webfield.Country, webfield.Entry}, Top: 25, Detail: 4 << 10},
		{Name: webfield.CampaignEntry, Of: [2]string{"utm_campaign", webfield.Entry}, Top: 20, Detail: 2 << 10},
	}, detailed(visitDimensions(), 3<<10)...),
	Distinct:  []string{webfield.Visitor},
	IndexBy:   webfield.Visitor,
	Late:      catalog.KeepLate,
	Latest:    catalog.NoLatest,
	Retention: sessionRetention(),
}

// detailed returns dimensions with details of their most frequent values.
func detailed(all []rollup.DimensionSpec, bytes int) []rollup.DimensionSpec {
	for i := range all {
		all[i].Detail = bytes
	}
	return all
}

// ofFirstView returns the fields that sessions have from their first views.
func ofFirstView() []catalog.SessionField {
	all := []catalog.SessionField{{Name: webfield.Entry, Of: webfield.Path}}
	for _, name := range []string{webfield.Referrer, webfield.Country, webfield.Device} {
		all = append(all, catalog.SessionField{Name: name, Of: name})
	}
	for _, d := range visitDimensions() {
		all = append(all, catalog.SessionField{Name: d.Name, Of: d.Name})
	}
	return all
}

// sessionRetention is the retention of the other kinds, without minutes. Buckets close when the sessions
// in them have usually ended.
func sessionRetention() tier.Policy {
	p := retention()
	p.Tiers = p.Tiers[1:]
	for level := range p.Tiers {
		p.Tiers[level].Grace = sessionGap + sessionLateness
	}
	return p
}
