package cost

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/usage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Forecast is a load whose costs are printed.
type Forecast struct {
	Rate   string // of the events of a series, such as 4/h
	Batch  int    // events in a request
	Series int    // series of each kind
	Events string // of a kind in all, such as 1e6/day: its cost in each configuration; "" prints none
	Size   int    // bytes of such an event, if they are more than those of its declared fields
}

// Print prints what the events of kinds of a configuration cost, in a month: those named, or all. The
// error is one of usage if f or a name is not valid.
func (f Forecast) Print(out io.Writer, settings *config.Config, names []string) error {
	every, err := ParseRate(f.Rate)
	if err != nil {
		return usage.Errorf("--rate: %w", err)
	}
	if f.Batch < 1 || f.Batch > 1000 || f.Series < 1 {
		return usage.Errorf("--batch is 1 to 1000, and --series at least 1")
	}
	kinds, err := chosenKinds(settings, names)
	if err != nil {
		return err
	}
	load := Load{Every: every, Batch: f.Batch}
	fmt.Fprintf(out, "%d series at %s, %d in a request; $ a month\n", f.Series, f.Rate, f.Batch)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tWRITE UNITS\tREAD UNITS\tTABLE\tPROVISIONED\tSTORED EVENTS\tHTTP API AND INGEST\tOR AWS IOT")
	for _, k := range kinds {
		u, err := Measure(k, load)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f", k.Name, u.Write, u.Read)
		a := amounts(u, f.Batch, float64(f.Series)*86400/every.Seconds(), daysOf(k), 1)
		for _, p := range prices() {
			if p.Column {
				fmt.Fprintf(w, "\t%.2f", p.of(a))
			}
		}
		fmt.Fprintln(w)
	}
	if err := w.Flush(); err != nil || f.Events == "" {
		return err
	}
	for _, k := range kinds {
		if err := f.printConfigurations(out, k, load); err != nil {
			return usage.Errorf("--events, --size: %w", err)
		}
	}
	return printFlood(out, settings)
}

// chosenKinds returns the kinds of a configuration that have events: the named ones, or all.
func chosenKinds(settings *config.Config, names []string) ([]catalog.Kind, error) {
	all, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, found := all.Kind(name); !found {
			return nil, usage.Errorf("the configuration has no kind %s", name)
		}
	}
	return lists.Filter(all.Kinds, func(k catalog.Kind) bool {
		return k.HasEvents() && (len(names) == 0 || slices.Contains(names, k.Name))
	}), nil
}

// PrintRates prints for each kind which tiers should be immediate at a rate.
func PrintRates(out io.Writer, settings *config.Config, rate string) error {
	every, err := ParseRate(rate)
	if err != nil {
		return usage.Errorf("--rate: %w", err)
	}
	kinds, err := chosenKinds(settings, nil)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if len(k.Retention.Tiers) == 0 {
			continue
		}
		text, err := Recommend(k, every)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s at %s: %s\n", k.Name, rate, text)
	}
	return nil
}
