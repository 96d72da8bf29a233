package cost

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"text/tabwriter"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// amounts are what a load takes in a month: counts in millions, sizes in GB. month is 1, or 0 to
// leave out what does not depend on the load. A request is billed once for each 5, 64 or 512 KB.
func amounts(u Units, batch int, perDay, storedDays, month float64) map[unit]float64 {
	count := perDay * hoursOfMonth / 24 / 1e6
	metered := func(bytes float64) float64 {
		return count / float64(batch) * math.Ceil(float64(batch)*u.Bytes/bytes)
	}
	return map[unit]float64{
		per5KB: metered(5 << 10), per64KB: metered(64 << 10), per512KB: metered(512 << 10),
		months: month, events: count, requests: count / float64(batch), sentGB: count * u.Bytes / 1e3,
		writes: count * u.Write, reads: count * u.Read, storedGB: perDay * storedDays * (u.Bytes + itemOverhead) / 1e9,
	}
}

// sum is a mode of the table, and all that every configuration has, with a source.
func sum(all []price, a map[unit]float64, mode, source string) (total float64) {
	for _, p := range all {
		if p.group == alwaysPart || p.group == tablePart && p.name == mode || p.group == sourcePart && p.name == source {
			total += p.of(a)
		}
	}
	return total
}

// daysStored is how long events of a kind are stored, for a year at most.
func daysStored(k catalog.Kind) float64 { return min(k.Retention.Raw, 365*tier.Day24).Hours() / 24 }

// AllIn returns what a number of events a day costs in a month, on demand, with a source that sends so many
// in a request: each part in words, and the sum.
func AllIn(u Units, batch int, perDay, storedDays float64, source string) (parts []string, total float64) {
	a := amounts(u, batch, perDay, storedDays, 1)
	for _, p := range prices {
		if dollars := p.of(a); dollars > 0 && (p.name == onDemand || p.group == alwaysPart || p.name == source) {
			parts, total = append(parts, fmt.Sprintf("%s $%.2f", p.name, dollars)), total+dollars
		}
	}
	return parts, total
}

func (p price) of(a map[unit]float64) (sum float64) {
	for _, unit := range slices.Sorted(maps.Keys(p.dollars)) {
		sum += p.dollars[unit] * a[unit]
	}
	return sum
}

// winsFrom is the number of events a day from which on an alternative is cheaper than a table that is billed
// on demand.
func winsFrom(p price, all []price, u Units, batch int, storedDays float64) float64 {
	one, none := amounts(u, batch, 1, storedDays, 0), amounts(u, batch, 0, storedDays, 1)
	return (p.of(none) - sum(all, none, onDemand, p.against)) / max(sum(all, one, onDemand, p.against)-p.of(one), 0)
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
	all, perDay, days := prices, perSecond*86400, daysStored(k)
	a := amounts(u, f.Batch, perDay, days, 1)
	fmt.Fprintf(out, "\n%s: %.0f events a day of %.0f bytes, %d in a request, %.2f write and %.2f read units each; $ a month\n", k.Name, perDay, u.Bytes, f.Batch, u.Write, u.Read)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "PART\tCHOICE\tPRICE\tTOTAL ON DEMAND\tTOTAL PROVISIONED")
	for _, p := range all {
		fmt.Fprintf(w, "%s\t%s\t%.2f", p.group, p.name, p.of(a))
		switch p.group {
		case sourcePart:
			fmt.Fprintf(w, "\t%.2f\t%.2f", sum(all, a, onDemand, p.name), sum(all, a, provisioned, p.name))
		case insteadPart:
			fmt.Fprintf(w, "\tcheaper than %s from %.0f events a day on", p.against, winsFrom(p, all, u, f.Batch, days))
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil || !k.LatestInTransaction() {
		return err
	}
	k.Latest = catalog.DerivedLatest
	if u, err = Measure(k, load); err != nil {
		return err
	}
	saved := prices[0].of(a) - prices[0].of(amounts(u, f.Batch, perDay, days, 1))
	fmt.Fprintf(out, "With latest: derived, an event takes %.2f write and %.2f read units: %.2f less on demand.\n", u.Write, u.Read, saved)
	return nil
}

// Quotas of an account, in place of ceilings that a stage does not set, and prices in us-east-1.
const (
	quotaUnits       = 40000 // a second, of a table
	quotaConcurrency = 1000
	PerGBSecond      = 13.3334e-6 // of a function on ARM
	perWCUHour       = .00065     // provisioned
	perRCUHour       = .00013
	PerRequest       = 1e-6 // of the HTTP API
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
		functions := float64(megabytes) / 1024 * PerGBSecond * secondsOfMonth
		route := float64(s.Throttle.Rate) * secondsOfMonth * PerRequest
		fmt.Fprintf(w, "%s\t%.0f\t%.0f\t%.0f\n", s.Name, 3*table, functions, route)
	}
	return w.Flush()
}
