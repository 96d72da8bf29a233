package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/export"
	"github.com/tidemark-db/tidemark/internal/files"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/terminal"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func exportCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write events or rollups to files, here or in S3",
		Long: `Write what the table stores, to analyse it with other tools or to keep it for longer than
the table does. An export reads the list of series and what each series has, never the
whole table.

With --to, each kind has one file for each day of events, or month of rollups, and a
manifest lists the files with their rows and digests. Another export to the same folder
writes the days that are new, and those that had not ended three days before the last one.`,
		Example: "  tidemark export rollups --tier day > days.csv\n  tidemark export events --to s3://bucket/tidemark --format parquet\n  tidemark export check s3://bucket/tidemark",
		Args:    asUsage(cobra.NoArgs),
		RunE:    showHelp,
	}
	cmd.AddCommand(exportRollupsCommand(to), exportEventsCommand(to), exportCheckCommand())
	return cmd
}

type exportFlags struct {
	tier, format, out, to string
	kinds                 []string
	full                  bool
}

func (f *exportFlags) register(cmd *cobra.Command, format, formats string) {
	cmd.Flags().StringVar(&f.format, "format", format, "`format`: "+formats)
	cmd.Flags().StringVar(&f.to, "to", "", "write files to this `folder`, or s3://BUCKET/PREFIX")
	cmd.Flags().StringSliceVar(&f.kinds, "kind", nil, "only this `kind`, by name or plural; may be repeated (default: all)")
	cmd.Flags().BoolVar(&f.full, "full", false, "with --to: read every day again, also those of complete files")
}

func exportRollupsCommand(to *connection) *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "rollups",
		Short: "Write all rollups of the table as CSV, NDJSON or Parquet",
		Long: `Write every rollup that has not expired, one measure a line, sorted by kind, subject,
stream, tier, bucket and measure.

The columns are
  ` + export.Header + `
bucket is the start of the bucket and sum is exact, except that numbers in Parquet are
floating-point numbers. A measure without valid values has empty figures (null in NDJSON).
Only measures that are declared with percentiles have them.

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
	cmd.Flags().StringVar(&flags.out, "out", "", "write to this `file` instead of standard output")
	flags.register(cmd, "csv", "csv or ndjson, with --to also parquet")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if flags.to == "" {
			return exportTable(cmd, to, flags)
		}
		if flags.out != "" || flags.tier != export.AllTiers {
			return usagef("--to writes files with all tiers: leave out --out and --tier")
		}
		return exportArchive(cmd, to, flags, export.RollupRows)
	}
	return cmd
}

func exportEventsCommand(to *connection) *cobra.Command {
	var flags exportFlags
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Write all events of the table as NDJSON, CSV or Parquet files",
		Long: `Write every event that has not expired, one a line, sorted by kind, day, subject, stream,
time and id. A line of NDJSON is the observation that stores the event again. CSV and
Parquet have a column for each declared measure, and the column "fields" with all fields.

Exit status: 0 written; 2 wrong usage; 3 the table could not be read, or a file not
written.`,
		Args: asUsage(cobra.NoArgs),
	}
	flags.register(cmd, "ndjson", "ndjson, csv or parquet")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if flags.to == "" {
			return usagef("--to is missing: events are written to files; name a folder or s3://BUCKET/PREFIX")
		}
		return exportArchive(cmd, to, flags, export.Events)
	}
	return cmd
}

func exportCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FOLDER",
		Short: "Compare the files of an export with its manifest",
		Long: `Read all files of an export and compare them with the sizes and digests in its manifests.

Exit status: 0 all are as exported; 1 some are missing or changed; 3 not readable.`,
		Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			ok, err := export.RunCheck(cmd.Context(), args[0], cmd.OutOrStdout())
			if err == nil && !ok {
				err = checkFailed
			}
			return err
		},
	}
}

func exportSource(ctx context.Context, to *connection, flags exportFlags) (source export.Source, err error) {
	if err := export.CheckFormat(flags.format, flags.to != ""); err != nil {
		return source, err
	}
	table, kinds, err := to.openTableKinds(ctx)
	if err != nil {
		return source, err
	}
	selected, err := arguments.KindsNamed(kinds, flags.kinds)
	if err != nil {
		return source, err
	}
	swept, err := table.Sweeps(ctx)
	live := &query.Live{Store: table, Watermarks: query.Swept(swept), Kind: query.KindsOf(kinds), Now: wallClock}
	return export.Source{Query: &query.Service{Store: live, Now: wallClock}, Catalog: kinds, Kinds: selected, Parallel: 8}, err
}

func exportTable(cmd *cobra.Command, to *connection, flags exportFlags) error {
	if _, err := tier.ParseUnit(flags.tier); err != nil && flags.tier != export.AllTiers {
		return usagef("--tier: %w, or all", err)
	}
	source, err := exportSource(cmd.Context(), to, flags)
	if err != nil {
		return err
	}
	progress := terminal.NewProgress(cmd.ErrOrStderr(), "export", "series", 0)
	defer progress.Done()
	return files.WriteTo(cmd.Context(), flags.out, cmd.OutOrStdout(), func(w io.Writer) error {
		return source.Rollups(cmd.Context(), w, flags.tier, flags.format, progress.Add)
	})
}

func exportArchive(cmd *cobra.Command, to *connection, flags exportFlags, dataset export.Dataset) error {
	source, err := exportSource(cmd.Context(), to, flags)
	if err != nil {
		return err
	}
	archive := export.Archive{Source: source, Dataset: dataset, Format: flags.format, Settle: export.DefaultSettle, Full: flags.full, Now: wallClock()}
	return archive.RunTo(cmd.Context(), flags.to, cmd.OutOrStdout(), cmd.ErrOrStderr())
}
