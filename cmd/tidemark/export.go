package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func exportCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "export",
		Short:   "Write out what the table holds",
		Example: "  tidemark export rollups --tier day > days.csv",
		Args:    asUsage(cobra.NoArgs),
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(exportRollupsCommand(to))
	return cmd
}

type exportFlags struct{ tier, format, out string }

func exportRollupsCommand(to *connection) *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "rollups",
		Short: "Write every rollup of the table as CSV or NDJSON, a line a measure",
		Long: `Write every rollup that has not expired, a line a measure, sorted by kind, subject,
stream, tier, bucket and measure. It scans the whole table.

The columns are
  ` + exportHeader + `
bucket is the bucket's start, sum is exact, and what has no valid value is empty (in
NDJSON null). Percentiles are those of the measures declared with them.

Exit status: 0 written; 2 asked wrongly; 3 the table could not be read or the output
not written.`,
		Example: `  tidemark export rollups --tier day > days.csv
  tidemark export rollups --tier all --format ndjson --out rollups.ndjson`,
		Args: asUsage(cobra.NoArgs),
	}
	cmd.Flags().StringVar(&flags.tier, "tier", "all", "`tier`: minute, hour, day, month, or all")
	cmd.Flags().StringVar(&flags.format, "format", "csv", "`format`: csv or ndjson")
	cmd.Flags().StringVar(&flags.out, "out", "", "write to `file` instead of standard output")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return exportRollups(cmd, to, flags) }
	return cmd
}

func exportRollups(cmd *cobra.Command, to *connection, flags exportFlags) error {
	format, ok := exportFormats[flags.format]
	if !ok {
		return usagef("--format %s: want csv or ndjson", flags.format)
	}
	if _, err := tier.ParseUnit(flags.tier); err != nil && flags.tier != "all" {
		return usagef("--tier: %v, or all", err)
	}
	table, err := to.openTable(cmd.Context())
	if err != nil {
		return err
	}
	kinds, err := to.catalog()
	if err != nil {
		return err
	}
	e := exporter{kinds: kinds, tier: flags.tier, now: model.TimeOf(time.Now()), format: format}
	if err := eachItem(cmd.Context(), table, e.take); err != nil {
		return err
	}
	return writeTo(flags.out, cmd.OutOrStdout(), e.write)
}

// eachItem scans the table and hands items over one by one; the next page is fetched
// while one is worked on.
func eachItem(ctx context.Context, table *dynamo.Table, take func(item.Item) error) error {
	pages := make(chan []item.Item, 1)
	work, ctx := errgroup.WithContext(ctx)
	work.Go(func() error {
		defer close(pages)
		for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
			items, next, err := table.Scan(ctx, after)
			if err != nil {
				return err
			}
			select {
			case pages <- items:
			case <-ctx.Done():
				return ctx.Err()
			}
			after = next
		}
		return nil
	})
	work.Go(func() error {
		for items := range pages {
			for _, it := range items {
				if err := take(it); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return work.Wait()
}

// writeTo writes to the named file, or to w where no name is given. A file that could
// not be written whole is an error, not a shorter file.
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
