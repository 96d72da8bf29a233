package cost

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/usererr"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// Forecast is a load whose costs are printed.
type Forecast struct {
	Rate   string // of the events of a series, such as 4/h
	Batch  int    // events in a request
	Series int    // series of each kind; 0 is 1,000, or with Events what follows from it
	Events string // of a kind in all, such as 1e6/day: its cost in each configuration; "" prints none
	Stage  string // whose settings are priced; "" is the last one that is declared
	// Processes share the events at random; see Load.
	Processes int
	Size      int // bytes of such an event, if its declared fields have fewer
}

// Print prints what the events of kinds of a configuration cost, in a month: those named, or all. The
// error is one of usage if f or a name is not valid.
func (f Forecast) Print(out io.Writer, settings *config.Config, kindNames []string) error {
	every, err := ParseRate(f.Rate)
	if err != nil {
		return usererr.Errorf("--rate: %w", err)
	}
	switch {
	case f.Processes < 0 || f.Processes > 1000:
		return usererr.Errorf("--processes is 1 to 1000")
	case f.Batch < 1 || f.Batch > 1000 || f.Series < 0:
		return usererr.Errorf("--batch is 1 to 1000, and --series at least 1")
	case f.Series > 0 && f.Events != "":
		return usererr.Errorf("--series follows from --events and --rate: leave it out")
	}
	stage, err := findStage(settings, f.Stage)
	if err != nil {
		return usererr.Errorf("%w", err)
	}
	kinds, err := chosenKinds(settings, kindNames)
	if err != nil {
		return err
	}
	all, err := settings.Catalog()
	if err != nil {
		return err
	}
	load := Load{Every: every, Batch: f.Batch, Processes: f.Processes}
	if f.Events == "" {
		f.Series = cmp.Or(f.Series, 1000)
		return f.printKinds(out, all, kinds, stage, load)
	}
	for _, k := range kinds {
		load.Sessions = FoldedSessions(all, k.Name)
		if err := f.printConfigurations(out, k, stage, load); err != nil {
			return usererr.Errorf("--events, --size: %w", err)
		}
	}
	return printFlood(out, settings)
}

// printKinds prints what a number of series of each kind costs.
func (f Forecast) printKinds(
	out io.Writer, all *catalog.Catalog, kinds []catalog.Kind, stage *config.Stage, load Load,
) error {
	fmt.Fprintf(out, "%d series at %s, %d in a request; $ a month\n", f.Series, f.Rate, f.Batch)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tWRITE UNITS\tREAD UNITS\tTABLE\tPROVISIONED\tSTORED EVENTS\t"+
		"HTTP API AND INGEST\tOR AWS IOT")
	for _, k := range kinds {
		load.Sessions = FoldedSessions(all, k.Name)
		u, err := Measure(k, load)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f", k.Name, u.Write, u.Read)
		load := newUse(u, load, k, stage, float64(f.Series)*86400/load.Every.Seconds())
		for _, p := range prices {
			if p.column {
				fmt.Fprintf(w, "\t%.2f", p.of(load))
			}
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// chosenKinds returns the kinds of a configuration that have events: the named ones, or all.
func chosenKinds(settings *config.Config, typed []string) ([]catalog.Kind, error) {
	all, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	chosen, err := names.Kinds(all, typed)
	if err != nil {
		return nil, err
	}
	return lists.Filter(all.Kinds, func(k catalog.Kind) bool {
		isChosen := func(c *catalog.Kind) bool { return c.Name == k.Name }
		return k.HasEvents() && (len(typed) == 0 || slices.ContainsFunc(chosen, isChosen))
	}), nil
}

// PrintRates prints for each kind which tiers should be immediate at a rate.
func PrintRates(out io.Writer, settings *config.Config, rate string) error {
	every, err := ParseRate(rate)
	if err != nil {
		return usererr.Errorf("--rate: %w", err)
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
