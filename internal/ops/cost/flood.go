package cost

import (
	"cmp"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// Quotas of an account, in place of ceilings that a stage does not set.
const (
	quotaUnits       = 40000 // a second, of a table
	quotaConcurrency = 1000
)

// printFlood prints what a flood that never ends costs at most. Every write may also be one of both indexes.
func printFlood(out io.Writer, settings *config.Config) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nA flood that does not end, at most, $ a month:\n"+
		"STAGE\tTABLE AND INDEXES\tFUNCTIONS\tEACH ROUTE")
	aggregate := settings.Functions.Aggregate.Memory
	for _, s := range settings.Stages {
		writes := float64(cmp.Or(s.Ceiling.WriteUnits, quotaUnits))
		reads := float64(cmp.Or(s.Ceiling.ReadUnits, quotaUnits))
		table := secondsOfMonth * (writes*WriteUnit.Dollars + reads*ReadUnit.Dollars)
		if b := s.Billing; b.Provisioned() {
			writes = float64(max(b.WriteUnits, b.Autoscale.WriteUnits))
			reads = float64(max(b.ReadUnits, b.Autoscale.ReadUnits))
			table = hoursOfMonth * (writes*WriteHour.Dollars + reads*ReadHour.Dollars)
		}
		r := s.Reserved
		megabytes := r.Ingest*settings.Functions.Ingest.Memory + r.Query*settings.Functions.Query.Memory +
			r.Aggregate*aggregate + max(quotaConcurrency-r.Ingest-r.Query-r.Aggregate, 0)*aggregate
		functions := float64(megabytes) / 1024 * GBSecond.Dollars * secondsOfMonth
		route := float64(s.Throttle.Rate) * secondsOfMonth * APIRequest.Dollars
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\n", s.Name, 3*table, functions, route)
	}
	return w.Flush()
}
