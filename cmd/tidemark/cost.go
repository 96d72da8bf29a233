package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/cost"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

const costLong = `Show what the events of each kind cost, by the configuration. The units are measured: the
deployed code runs on a table in memory. An example event has all declared fields.

Prices are those of us-east-1, on demand unless the column says otherwise. Idle costs of a
stage are not included: "make deploy-dry" shows them.

Exit status: 0 done; 2 wrong usage; 3 failed.`

type costFlags struct {
	rate   string
	batch  int
	series int
}

func costCommand(to *connection) *cobra.Command {
	var flags costFlags
	cmd := &cobra.Command{
		Use:   "cost [KIND...]",
		Short: "Show what events cost, by the configuration",
		Long:  costLong,
		Example: `  tidemark cost READING --rate 1/m --series 1000
  tidemark cost --rate 1/s --batch 60`,
		RunE: func(cmd *cobra.Command, args []string) error {
			to.fromEnvironment()
			return printCost(cmd.OutOrStdout(), to, flags, args)
		},
	}
	cmd.Flags().StringVar(&flags.rate, "rate", "1/m", "`rate` of the events of a series, such as 4/h")
	cmd.Flags().IntVar(&flags.batch, "batch", 1, "`number` of events in a request")
	cmd.Flags().IntVar(&flags.series, "series", 1000, "`number` of series")
	return cmd
}

func printCost(out io.Writer, to *connection, flags costFlags, names []string) error {
	every, err := cost.ParseRate(flags.rate)
	if err != nil {
		return usagef("--rate: %w", err)
	}
	if flags.batch < 1 || flags.batch > 1000 || flags.series < 1 {
		return usagef("--batch is 1 to 1000, and --series at least 1")
	}
	settings, err := to.settings()
	if err != nil {
		return err
	}
	kinds, err := chosenKinds(settings, names)
	if err != nil {
		return err
	}
	load := cost.Load{Every: every, Batch: flags.batch}
	fmt.Fprintf(out, "%d series at %s, %d in a request; $ a month\n", flags.series, flags.rate, flags.batch)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "KIND\tWRITE UNITS\tREAD UNITS\tTABLE\tPROVISIONED\tSTORED EVENTS\tHTTP API\tOR AWS IOT")
	for _, k := range kinds {
		u, err := cost.Measure(k, load)
		if err != nil {
			return err
		}
		m := cost.MonthOf(u, load, flags.series, k.Retention.Raw)
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\n", k.Name, u.Write, u.Read, m.OnDemand, m.Provisioned, m.Storage, m.Requests, m.Messages)
	}
	return w.Flush()
}

// chosenKinds returns the kinds of a configuration that have events: the named ones, or all.
func chosenKinds(settings *config.Config, names []string) (some []catalog.Kind, _ error) {
	all, err := settings.Catalog()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, found := all.Kind(name); !found {
			return nil, usagef("the configuration has no kind %s", name)
		}
	}
	for _, k := range all.Kinds {
		if k.HasEvents() && (len(names) == 0 || slices.Contains(names, k.Name)) {
			some = append(some, k)
		}
	}
	return some, nil
}

// printRates prints for each kind which tiers should be immediate at a rate.
func printRates(out io.Writer, settings *config.Config, rate string) error {
	every, err := cost.ParseRate(rate)
	if err != nil {
		return usagef("--rate: %w", err)
	}
	kinds, err := chosenKinds(settings, nil)
	if err != nil {
		return err
	}
	for _, k := range kinds {
		if len(k.Retention.Tiers) == 0 {
			continue
		}
		text, err := cost.Recommend(k, every)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%s at %s: %s\n", k.Name, rate, text)
	}
	return nil
}
