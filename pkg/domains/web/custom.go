package web

import (
	"github.com/tidemark-db/tidemark/internal/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// CustomEvents are events that a page reports besides its views: a sign-up, a purchase, a
// click. An event without a name reports the time spent on a page and how far it was scrolled,
// since the last such event of the view.
var CustomEvents = catalog.Kind{
	Name:    "CUSTOMEVENT",
	Path:    "customevents",
	Subject: Site,
	Measures: []rollup.MeasureSpec{
		{Name: webfield.Duration, Scale: 0, Percentiles: true},
		{Name: webfield.Depth, Scale: 0},
	},
	Dimensions: customDimensions(),
	Distinct:   []string{webfield.Visitor},
	Late:       catalog.KeepLate,
	IDs:        catalog.RequiredID,
	Latest:     catalog.NoLatest,
	Shards:     4,
	Retention:  retention(),
}

func customDimensions() []rollup.DimensionSpec {
	all := []rollup.DimensionSpec{{Name: webfield.Name, Top: 100}, {Name: webfield.Path, Top: 100}}
	for _, field := range webfield.Props() {
		all = append(all, rollup.DimensionSpec{Name: field, Top: 40})
	}
	return all
}
