// Package columns has the columns of events and rollups in files, for exports that write them and for the
// description that Athena reads.
package columns

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/figure"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Column is a column of CSV and Parquet.
type Column struct {
	Name string
	Type Type
}

// Type is the type of a column.
type Type int

// The types.
const (
	Text Type = iota
	Integer
	Number
	Boolean
	Timestamp // milliseconds
	Object    // JSON
)

// Dataset is what an archive has: events or rollups.
type Dataset struct {
	Name    string
	Unit    tier.Unit // of the time in a file
	Has     func(*catalog.Kind) bool
	Columns func(*catalog.Kind) []Column
}

// The datasets.
var (
	Events = Dataset{Name: "events", Unit: tier.Day, Has: (*catalog.Kind).HasEvents, Columns: eventColumns}
	// Rollups are split by month: a series has 24 hours and one day in a day, which are less
	// than one read returns.
	Rollups = Dataset{Name: "rollups", Unit: tier.Month, Has: hasRollups, Columns: rollupColumns}
)

func hasRollups(k *catalog.Kind) bool { return len(k.Retention.Tiers) > 0 }

// AllTimes is the time of the one file of a kind whose events have no times.
const AllTimes = "all"

// Folder returns the folder of all files of a kind: events/kind=READING.
func (d Dataset) Folder(k *catalog.Kind) string { return d.Name + "/kind=" + k.Name }

// Fields is the column of all fields of an event as one JSON object, exact. The columns of declared measures
// repeat numbers for other programs.
const Fields = "fields"

func eventColumns(k *catalog.Kind) []Column {
	all := []Column{
		{k.Subject.Field, Text}, {catalog.StreamField, Text}, {catalog.TimeField, Timestamp},
		{catalog.IDField, Text},
	}
	for _, m := range k.Measures {
		all = append(all, Column{m.Name, Number})
	}
	return append(all, Column{Fields, Object})
}

// Header names the columns of rollups.
var Header = strings.Join(lists.Map(rollupColumns(nil), func(c Column) string { return c.Name }), ",")

func rollupColumns(*catalog.Kind) []Column {
	all := lists.Map([]string{"kind", "subject", "stream", "tier", "bucket", "measure"}, text)
	all = append(append(all, figures(figure.Columns)...), Column{"exact", Boolean})
	for _, name := range views.ValueColumns() {
		all = append(all, Column{name, valueTypes[name]})
	}
	all = append(all, Column{"wholeFrom", Text}, Column{"truncated", Boolean})
	all = append(append(all, figures(figure.Steps)...), text(views.EventColumn))
	return append(all, lists.Map(query.MemberColumns, members)...)
}

// LocalRollups are the columns of rollups of the periods of a time zone.
func LocalRollups() []Column {
	return append(rollupColumns(nil), lists.Map(views.PeriodColumns, text)...)
}

func text(name string) Column { return Column{name, Text} }

// valueTypes are the types of columns of values that are not text.
var valueTypes = map[string]Type{"events": Integer, "distinct": Integer}

func figures(of []figure.Column) []Column {
	return lists.Map(of, func(c figure.Column) Column {
		switch c.Value(figure.Figures{}).(type) {
		case int64, *int64:
			return Column{c.Name, Integer}
		default:
			return Column{c.Name, Number}
		}
	})
}

func members(c query.MemberColumn) Column {
	if _, count := c.Value(query.TopMembers{}).(*int64); count {
		return Column{c.Name, Integer}
	}
	return Column{c.Name, Object}
}

// MeansQuery is a query of a table of rollups, in the SQL of Athena: an example to change.
func MeansQuery(table string) string {
	return `SELECT subject, measure, sum("sum") / sum("count") AS mean, max("max") AS highest
FROM ` + table + `
WHERE tier = 'day' AND measure <> '' AND month >= date_format(current_date - interval '1' month, '%Y-%m')
GROUP BY subject, measure
ORDER BY mean DESC
LIMIT 10
`
}
