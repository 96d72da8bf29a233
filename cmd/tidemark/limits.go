package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/internal/ops/limits"
)

const limitsHelp = `Show how many series a configuration takes, and which limit is reached first

Show each limit of the account and of the design, with the number of series at which it is reached, how
to raise it, and what happens to more series; then the price of a flood of the worst requests that a
stage accepts. Run it before you connect a fleet.

The units of an event are measured: the deployed code runs on a table in memory. Quotas are the defaults of
an account in a large Region, in November 2026. Service Quotas has yours, which may be lower, above all in a
new account. Each source is shown as if all series used it alone. Nothing is read from AWS.

Exit status: 0 done; 2 wrong usage; 3 failed.

Examples:
  tidemark config limits
  tidemark config limits READING --rate 1/s --batch 60 --stage prod`

func limitsCommand(to *connection) *cobra.Command {
	var rate, stage string
	var batch int
	cmd := &cobra.Command{Use: "limits [KIND]", Long: limitsHelp}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		to.FromEnvironment()
		settings, err := to.Settings()
		if err != nil {
			return err
		}
		chosen, err := namedStage(settings, stage)
		if err != nil {
			return err
		}
		load, err := limitsLoad(settings, strings.Join(args, ""), rate, batch)
		if err != nil {
			return err
		}
		limits.Print(cmd.OutOrStdout(), settings, chosen, load)
		return limits.PrintFloods(cmd.OutOrStdout(), settings, chosen)
	}
	cmd.Flags().StringVar(&rate, "rate", "1/m", "`rate` of the events of a series, such as 4/h")
	cmd.Flags().IntVar(&batch, "batch", 1, "`number` of events in a request, 1 to 1000")
	cmd.Flags().StringVar(&stage, "stage", "", "`name` of a stage of tidemark.yaml (default: the last one)")
	return cmd
}

// namedStage returns the stage of a name, or without one the last that is declared.
func namedStage(settings *config.Config, name string) (*config.Stage, error) {
	at := len(settings.Stages) - 1
	if name != "" {
		at = slices.IndexFunc(settings.Stages, func(s config.Stage) bool { return s.Name == name })
	}
	if at < 0 {
		return nil, usagef("--stage %s: tidemark.yaml declares no such stage", cmp.Or(name, "NAME"))
	}
	return &settings.Stages[at], nil
}

// limitsLoad measures what each series sends.
func limitsLoad(settings *config.Config, kind, rate string, batch int) (limits.Load, error) {
	every, err := cost.ParseRate(rate)
	if err != nil {
		return limits.Load{}, usagef("--rate: %w", err)
	}
	if batch < 1 || batch > 1000 {
		return limits.Load{}, usagef("--batch %d: want 1 to 1000", batch)
	}
	kinds, err := settings.Catalog()
	if err != nil {
		return limits.Load{}, usagef("%w", err)
	}
	found, err := names.Kind(kinds, kind)
	if err != nil {
		return limits.Load{}, err
	}
	if !found.HasEvents() {
		return limits.Load{}, usagef("%s has no events of its own: pass another kind", found.Name)
	}
	return limits.NewLoad(*found, every, batch)
}
