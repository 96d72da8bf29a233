package cost

import (
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/embedded"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// price is what one part of a configuration costs: of the table, of what every configuration has,
// of a source, or of what could be used instead of Tidemark.
type price struct {
	Group, Name string
	Column      bool               // it is in the table of all kinds
	Source      string             // that an alternative is compared with
	Dollars     map[string]float64 // of each unit of amounts
}

//go:embed prices.json
var priceList []byte

// prices are list prices in us-east-1, November 2026. Sources include the invocations of ingest (20 ms
// at 512 MB) and their logs (1.5 KB); instances are single ones, without those who operate them.
func prices() []price { return embedded.JSON[[]price](priceList) }

// amounts are what a load takes in a month: counts in millions, sizes in GB. month is 1, or 0 to
// leave out what does not depend on the load. A request is billed once for each 5, 64 or 512 KB.
func amounts(u Units, batch int, perDay, storedDays, month float64) map[string]float64 {
	events := perDay * hoursOfMonth / 24 / 1e6
	metered := func(bytes float64) float64 {
		return events / float64(batch) * math.Ceil(float64(batch)*u.Bytes/bytes)
	}
	return map[string]float64{
		"5KB": metered(5 << 10), "64KB": metered(64 << 10), "512KB": metered(512 << 10),
		"month": month, "event": events, "request": events / float64(batch), "sentGB": events * u.Bytes / 1e3,
		"write": events * u.Write, "read": events * u.Read, "storedGB": perDay * storedDays * (u.Bytes + itemOverhead) / 1e9,
	}
}

// sum is the cheapest of the table's modes, and all of what every configuration has, with a source.
func sum(all []price, a map[string]float64, source string) (total float64) {
	table := math.Inf(1)
	for _, p := range all {
		switch {
		case p.Group == "table":
			table = min(table, p.of(a))
		case p.Group == "always" || p.Group == "source" && p.Name == source:
			total += p.of(a)
		}
	}
	return total + table
}

// daysOf is how long events of a kind are stored, for a year at most.
func daysOf(k catalog.Kind) float64 { return min(k.Retention.Raw, 365*tier.Day24).Hours() / 24 }

// AllIn returns what a number of events a day costs in a month, on demand, with a source that sends so many in a
// request: each part in words, and the sum.
func AllIn(u Units, batch int, perDay, storedDays float64, source string) (parts []string, total float64) {
	a := amounts(u, batch, perDay, storedDays, 1)
	for _, p := range prices() {
		if dollars := p.of(a); dollars > 0 && (p.Name == "on demand" || p.Group == "always" || p.Name == source) {
			parts, total = append(parts, fmt.Sprintf("%s $%.2f", p.Name, dollars)), total+dollars
		}
	}
	return parts, total
}

func (p price) of(a map[string]float64) (sum float64) {
	for _, unit := range slices.Sorted(maps.Keys(p.Dollars)) {
		sum += p.Dollars[unit] * a[unit]
	}
	return sum
}

// winsFrom is the number of events a day from which on an alternative is cheaper.
func winsFrom(p price, all []price, u Units, batch int, storedDays float64) float64 {
	one, none := amounts(u, batch, 1, storedDays, 0), amounts(u, batch, 0, storedDays, 1)
	return (p.of(none) - sum(all, none, p.Source)) / max(sum(all, one, p.Source)-p.of(one), 0)
}

// printConfigurations prints what a number of events of a kind costs in each configuration.
func (f Forecast) printConfigurations(out io.Writer, k catalog.Kind, load Load) error {
	perSecond, err := parsePerSecond(f.Events)
	if err != nil {
		return err
	}
	u, err := Measure(k, load)
	if load.Pad = f.Size - int(math.Round(u.Bytes)) - len(padding); err == nil && load.Pad > 0 {
		u, err = Measure(k, load)
	}
	if err == nil && u.Bytes == 0 {
		err = fmt.Errorf("an event of %d bytes is rejected: it is larger than a stored event can be", f.Size)
	}
	if err != nil {
		return err
	}
	all, perDay, days := prices(), perSecond*86400, daysOf(k)
	a := amounts(u, f.Batch, perDay, days, 1)
	fmt.Fprintf(out, "\n%s: %.0f events a day of %.0f bytes, %d in a request, %.2f write and %.2f read units each; $ a month\n", k.Name, perDay, u.Bytes, f.Batch, u.Write, u.Read)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PART\tCHOICE\tPRICE\tIN TOTAL")
	for _, p := range all {
		fmt.Fprintf(w, "%s\t%s\t%.2f", p.Group, p.Name, p.of(a))
		switch p.Group {
		case "source":
			fmt.Fprintf(w, "\t%.2f", sum(all, a, p.Name))
		case "instead":
			fmt.Fprintf(w, "\tcheaper than %s from %.0f events a day on", p.Source, winsFrom(p, all, u, f.Batch, days))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// Quotas of an account, in place of ceilings that a stage does not set, and prices in us-east-1.
const (
	quotaUnits       = 40000 // a second, of a table
	quotaConcurrency = 1000
	perGBSecond      = 13.3334e-6 // of a function
	perWCUHour       = .00065     // provisioned
	perRCUHour       = .00013
	perRequest       = 1e-6 // of the HTTP API
)

// printFlood prints what a flood that never ends costs at most. Every write may also be one of both indexes.
func printFlood(out io.Writer, settings *config.Config) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nA flood that does not end, at most, $ a month:\nSTAGE\tTABLE AND INDEXES\tFUNCTIONS\tEACH ROUTE")
	aggregate := settings.Functions.Aggregate.Memory
	for _, s := range settings.Stages {
		table := secondsOfMonth * (float64(cmp.Or(s.Ceiling.WriteUnits, quotaUnits))*PerWrite + float64(cmp.Or(s.Ceiling.ReadUnits, quotaUnits))*PerRead)
		if b := s.Billing; b.Provisioned() {
			table = hoursOfMonth * (float64(max(b.WriteUnits, b.Autoscale.WriteUnits))*perWCUHour + float64(max(b.ReadUnits, b.Autoscale.ReadUnits))*perRCUHour)
		}
		r := s.Reserved
		megabytes := r.Ingest*settings.Functions.Ingest.Memory + r.Query*settings.Functions.Query.Memory +
			r.Aggregate*aggregate + max(quotaConcurrency-r.Ingest-r.Query-r.Aggregate, 0)*aggregate
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\n", s.Name, 3*table, float64(megabytes)/1024*perGBSecond*secondsOfMonth, float64(s.Throttle.Rate)*secondsOfMonth*perRequest)
	}
	return w.Flush()
}
