package telemetry

import "slices"

// catalogue has one row for each metric, in the order of the dashboard. There is one for each outcome of an
// observation (ForOutcome) and for each type of change (ForChange), so that one line of EMF can carry them
// all.
var catalogue = slices.Concat(ingestMetrics, rollupMetrics, alertMetrics, purgeMetrics, tableMetrics)

// The functions that publish metrics, by their folders under functions/.
const (
	ingest    = "ingest"
	aggregate = "aggregate"
	query     = "query"
	manage    = "manage"
	purge     = "purge"
)

// Catalogue returns a copy of all rows, in a fixed order.
func Catalogue() []Definition { return slices.Clone(catalogue) }

// Definition returns m's row of the catalogue; ok is false if m has none.
func (m Metric) Definition() (d Definition, ok bool) {
	i := slices.IndexFunc(catalogue, func(d Definition) bool { return d.Metric == m })
	if i < 0 {
		return Definition{}, false
	}
	return catalogue[i], true
}
