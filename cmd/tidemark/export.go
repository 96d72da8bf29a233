package main

import (
	"bufio"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/export"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/tablescan"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func exportCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write all rollups of the table to a file",
		Long:    `Write all rollups of the table as CSV or NDJSON, to analyse them with another tool.`,
		Example: "  tidemark export rollups --tier day > days.csv",
		Args:    asUsage(cobra.NoArgs),
		RunE:    showHelp,
	}
	cmd.AddCommand(exportRollupsCommand(to))
	return cmd
}

type exportFlags struct{ tier, format, out string }

func exportRollupsCommand(to *connection) *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "rollups",
		Short: "Write all rollups of the table as CSV or NDJSON",
		Long: `Write every rollup that has not expired, one measure a line, sorted by kind, subject,
stream, tier, bucket and measure. It scans the whole table.

The columns are
  ` + export.Header + `
bucket is the start of the bucket and sum is exact. A measure without valid values has
empty figures (null in NDJSON). Only measures that are declared with percentiles have
them.

After the measures of a bucket, there is a line for each field with distinct counts, and
for each value of a dimension with its events. A bucket of page views has only these,
after one line with its number of events.

Exit status: 0 written; 2 wrong usage; 3 the table could not be read, or the output not
written.`,
		Example: `  tidemark export rollups --tier day > days.csv
  tidemark export rollups --tier all --format ndjson --out rollups.ndjson`,
		Args: asUsage(cobra.NoArgs),
	}
	cmd.Flags().StringVar(&flags.tier, "tier", export.AllTiers, "`tier`: "+tier.UnitNames()+", or all")
	cmd.Flags().StringVar(&flags.format, "format", "csv", "`format`: csv or ndjson")
	cmd.Flags().StringVar(&flags.out, "out", "", "write to this `file` instead of standard output")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return exportRollups(cmd, to, flags) }
	return cmd
}

func exportRollups(cmd *cobra.Command, to *connection, flags exportFlags) error {
	format, ok := export.Formats[flags.format]
	if !ok {
		return usagef("--format %s: want csv or ndjson", flags.format)
	}
	if _, err := tier.ParseUnit(flags.tier); err != nil && flags.tier != export.AllTiers {
		return usagef("--tier: %w, or all", err)
	}
	table, kinds, err := to.openTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	swept, err := table.Sweeps(ctx)
	if err != nil {
		return err
	}
	live := &query.Live{Store: table, Watermarks: query.Swept(swept), Kind: query.KindsOf(kinds), Now: wallClock}
	all := export.Rollups{Kinds: kinds, Live: live, Tier: flags.tier, Now: wallClock(), Format: format}
	if err := tablescan.Each(ctx, table, func(it item.Item) error { return all.Add(ctx, it) }); err != nil {
		return err
	}
	if err := all.Fold(ctx); err != nil {
		return err
	}
	return writeTo(flags.out, cmd.OutOrStdout(), all.Write)
}

// writeTo writes to the named file, or to w if the name is empty.
func writeTo(name string, w io.Writer, write func(io.Writer) error) (err error) {
	if name != "" {
		file, err := os.Create(name)
		if err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
		defer func() {
			if closed := file.Close(); err == nil {
				err = closed
			}
		}()
		w = file
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := write(out); err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write the export: %w", err)
	}
	return nil
}
