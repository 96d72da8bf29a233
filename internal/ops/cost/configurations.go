package cost

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Part is one part of a bill.
type Part struct {
	Name    string
	Dollars float64 // a month
}

// Total returns the sum of a bill.
func Total(bill []Part) (sum float64) {
	for _, p := range bill {
		sum += p.Dollars
	}
	return sum
}

// newUse returns what a load of a kind is in a stage. Its series send at the rate of the load.
func newUse(u Units, load Load, k catalog.Kind, stage *config.Stage, perDay float64) use {
	return use{
		Units: u, batch: load.Batch, perDay: perDay, storedDays: daysStored(k.Retention),
		series: perDay * load.Every.Hours() / 24,
		lean:   stage.Monitoring == config.LeanMonitoring, traced: stage.Tracing,
		fronted: stage.CloudFront != (config.CloudFront{}),
		checked: stage.CloudFront.WebACL != "" || stage.CloudFront.Rate > 0,
	}
}

// Bill returns what a number of events a day of a kind cost in a month in a stage, without the stage's
// price at rest: with the mode of its table, and by a source, or "" for the one that the stage has for the
// kind.
func Bill(u Units, load Load, k catalog.Kind, stage *config.Stage, perDay float64, source string) []Part {
	if source == "" {
		source = defaultSource(stage, string(k.Subject.Name))
	}
	return bill(newUse(u, load, k, stage, perDay), tableMode(stage), source)
}

func tableMode(stage *config.Stage) string {
	if stage.Billing.Provisioned() {
		return Provisioned
	}
	return OnDemand
}

// bill returns the parts that cost something.
func bill(u use, mode, source string) (parts []Part) {
	for _, p := range prices {
		chosen := p.group == alwaysPart || p.name == mode || p.name == source
		if dollars := p.of(u); chosen && dollars > 0 {
			parts = append(parts, Part{p.name, dollars})
		}
	}
	return parts
}

// winsFrom is the number of events a day from which on an alternative is cheaper than the configuration;
// infinite if it never is.
func winsFrom(p price, u use, mode string) float64 {
	cheaper := func(perDay float64) bool {
		u.series, u.perDay = u.series/u.perDay*perDay, perDay
		return p.of(u) < Total(bill(u, mode, p.against))
	}
	low, high := 1., 1e10
	if !cheaper(high) {
		return math.Inf(1)
	}
	for high/low > 1.0001 {
		if middle := math.Sqrt(low * high); cheaper(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// printConfigurations prints what a number of events of a kind costs: by the configuration, and by each
// other one.
func (f Forecast) printConfigurations(out io.Writer, k catalog.Kind, stage *config.Stage, load Load) error {
	perSecond, err := parsePerSecond(f.Events)
	if err != nil {
		return err
	}
	u, err := measurePadded(k, &load, f.Size)
	if err != nil {
		return err
	}
	source, mode := defaultSource(stage, string(k.Subject.Name)), tableMode(stage)
	now := newUse(u, load, k, stage, perSecond*86400)
	fmt.Fprintf(out, "\n%s: %.0f events a day of %.0f bytes, from %.0f series, %d in a request: %.2f write and "+
		"%.2f read units each\n", k.Name, now.perDay, u.Bytes, math.Ceil(now.series), f.Batch, u.Write, u.Read)
	fmt.Fprintf(out, "In stage %s, at list prices of us-east-1, %s; $ a month\n", stage.Name, AsOf)
	parts := bill(now, mode, source)
	for _, p := range parts {
		fmt.Fprintf(out, "%10.2f  %s\n", p.Dollars, p.Name)
	}
	total := Total(parts)
	fmt.Fprintf(out, "%10.2f  IN TOTAL, beside the stage at rest: make deploy-dry STAGE=%s\n", total, stage.Name)
	fmt.Fprintln(out, "Other configurations, in total:")
	if k.LatestInTransaction() {
		k.Latest = catalog.DerivedLatest
		if u, err = Measure(k, load); err != nil {
			return err
		}
		derived := newUse(u, load, k, stage, now.perDay)
		fmt.Fprintf(out, "%10.2f  with latest: derived, an event takes %.2f write and %.2f read units\n",
			Total(bill(derived, mode, source)), u.Write, u.Read)
	}
	f.printOthers(out, now, mode, source)
	return nil
}

// printOthers prints each other table and source, and what can be used in place of Tidemark.
func (f Forecast) printOthers(out io.Writer, now use, mode, source string) {
	for _, p := range prices {
		switch {
		case p.group == tablePart && p.name != mode:
			fmt.Fprintf(out, "%10.2f  %s\n", Total(bill(now, p.name, source)), p.name)
		case p.group == sourcePart && p.name != source:
			fmt.Fprintf(out, "%10.2f  by %s\n", Total(bill(now, mode, p.name)), p.name)
		}
	}
	fmt.Fprintln(out, "Instead, single instances that you operate:")
	for _, p := range prices {
		if p.group == insteadPart {
			fmt.Fprintf(out, "%10.2f  %s; cheaper than %s from %.0f events a day on\n",
				p.of(now), p.name, p.against, winsFrom(p, now, mode))
		}
	}
}

// measurePadded measures a kind, with events of a size at least. load gets their padding.
func measurePadded(k catalog.Kind, load *Load, size int) (Units, error) {
	u, err := Measure(k, *load)
	if load.Pad = size - int(math.Round(u.Bytes)) - len(padding); err == nil && load.Pad > 0 {
		u, err = Measure(k, *load)
	}
	load.Pad = max(0, load.Pad)
	if err == nil && u.Bytes == 0 {
		err = fmt.Errorf("an event of %d bytes is rejected: it is larger than a stored event can be", size)
	}
	return u, err
}

// findStage returns the stage of a name, or without one the last that is declared.
func findStage(settings *config.Config, name string) (*config.Stage, error) {
	at := len(settings.Stages) - 1
	if name != "" {
		at = slices.IndexFunc(settings.Stages, func(s config.Stage) bool { return s.Name == name })
	}
	if at < 0 {
		return nil, fmt.Errorf("--stage %s: tidemark.yaml declares no such stage", name)
	}
	return &settings.Stages[at], nil
}
