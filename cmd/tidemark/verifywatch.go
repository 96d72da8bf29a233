package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func watchTable(cmd *cobra.Command, to *connection, flags verifyFlags, args []string) error {
	if len(args) > 0 || flags.subject != "" || flags.from != "" || flags.to != "" || flags.tier != "" ||
		flags.quick {
		return usagef("--watch recounts everything: of the other flags, it takes --units and --position")
	}
	if flags.units <= 0 {
		return usagef("--units %g: want read units a second, above 0", flags.units)
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	w := &verify.Watcher{
		Verifier: verify.Verifier{Store: table, Catalog: kinds, Now: wallClock,
			MaxExplained: printing.MaxDifferences},
		Units: flags.units, Patience: verify.Patience, Position: flags.position,
		Replace: files.Replace, Found: printWatched(cmd),
		Sleep: retry.Sleep,
		Record: func(ctx context.Context, v storage.Verification) error {
			return table.PutItem(ctx, item.FromVerification(v))
		},
	}
	return w.Run(cmd.Context())
}

// printWatched returns a function that prints the rows of a series that differ.
func printWatched(cmd *cobra.Command) func(context.Context, model.Series, *verify.Report) error {
	return func(_ context.Context, series model.Series, r *verify.Report) error {
		out := cmd.OutOrStdout()
		for _, f := range r.Differences {
			fmt.Fprintf(out, "%s %s %s %s: %s: %s\n", wallClock(), f.Key.Series, f.Key.Tier, f.Key.Start, f.Status,
				f.Detail)
		}
		if len(r.Undeclared) > 0 {
			fmt.Fprintf(out, "%s: %s\n", series, printing.UndeclaredKind)
		}
		return nil
	}
}
