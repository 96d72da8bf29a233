package web

import (
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
		{Name: FieldDuration, Scale: 0, Percentiles: true},
		{Name: FieldDepth, Scale: 0},
	},
	Dimensions: customDimensions(),
	Distinct:   []string{FieldVisitor},
	Late:       catalog.KeepLate,
	IDs:        catalog.RequiredID,
	Latest:     catalog.NoLatest,
	Shards:     4,
	Retention:  retention(),
}

// PropFields are the text fields of a custom event that have its properties, one in each: the
// event's name, the name of the property and its value. Each is a dimension, so that the
// counts of a property are the sums over all fields.
func PropFields() []string {
	return []string{"prop1", "prop2", "prop3", "prop4", "prop5", "prop6", "prop7", "prop8"}
}

func customDimensions() []rollup.DimensionSpec {
	all := []rollup.DimensionSpec{{Name: FieldName, Top: 100}, {Name: FieldPath, Top: 100}}
	for _, field := range PropFields() {
		all = append(all, rollup.DimensionSpec{Name: field, Top: 40})
	}
	return all
}
