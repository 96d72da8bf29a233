package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/export"
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
		RunE:    showHelp,
	}
	cmd.AddCommand(exportRollupsCommand(to), exportEventsCommand(to), exportCheckCommand())
	return cmd
}

func registerExport(f *export.Command, cmd *cobra.Command, format, formats string) {
	cmd.Flags().StringVar(&f.Format, "format", format, "`format`: "+formats)
	cmd.Flags().StringVar(&f.To, "to", "", "write files to this `folder`, or s3://BUCKET/PREFIX")
	cmd.Flags().StringSliceVar(&f.Kinds, "kind", nil, "only this `kind`, by name or plural; may be repeated (default: all)")
	cmd.Flags().BoolVar(&f.Full, "full", false, "with --to: read every day again, also those of complete files")
}

func exportRollupsCommand(to *connection) *cobra.Command {
	var flags export.Command
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
	}
	cmd.Flags().StringVar(&flags.Tier, "tier", export.AllTiers, "`tier`: "+tier.UnitNames()+", or all")
	cmd.Flags().StringVar(&flags.Out, "out", "", "write to this `file` instead of standard output")
	registerExport(&flags, cmd, "csv", "csv or ndjson, with --to also parquet")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runExport(cmd, to, flags, export.RollupRows) }
	return cmd
}

func exportEventsCommand(to *connection) *cobra.Command {
	var flags export.Command
	cmd := &cobra.Command{
		Use:   "events",
		Short: "Write all events of the table as NDJSON, CSV or Parquet files",
		Long: `Write every event that has not expired, one a line, sorted by kind, day, subject, stream,
time and id. A line of NDJSON is the observation that stores the event again. CSV and
Parquet have a column for each declared measure, and the column "fields" with all fields.

Exit status: 0 written; 2 wrong usage; 3 the table could not be read, or a file not
written.`,
	}
	registerExport(&flags, cmd, "ndjson", "ndjson, csv or parquet")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runExport(cmd, to, flags, export.Events) }
	return cmd
}

func exportCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "check FOLDER",
		Short: "Compare the files of an export with its manifest",
		Long: `Read all files of an export and compare them with the sizes and digests in its manifests.

Exit status: 0 all are as exported; 1 some are missing or changed; 3 not readable.`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ok, err := export.RunCheck(cmd.Context(), args[0], cmd.OutOrStdout())
			if err == nil && !ok {
				err = checkFailed
			}
			return err
		},
	}
}

func runExport(cmd *cobra.Command, to *connection, flags export.Command, dataset export.Dataset) error {
	if err := flags.Check(dataset); err != nil {
		return err
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	return flags.Run(cmd.Context(), dataset, table, kinds, wallClock, cmd.OutOrStdout(), cmd.ErrOrStderr())
}
