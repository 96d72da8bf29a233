package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/data/export"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const exportHelp = `Write events or rollups to files, here or in S3

Write what the table stores, to analyse it with other tools or to keep it for longer than
the table does. An export reads the list of series and what each series has, never the
whole table.

With --to, each kind has one file for each day of events, or month of rollups, and a
manifest lists the files with their rows and digests. Another export to the same folder
writes the days that are new, and those that had not ended three days before the last one.

Examples:
  tidemark export rollups --tier day > days.csv
  tidemark export rollups devices/sensor_01 --tier day --zone Europe/Berlin > berlin.csv
  tidemark export events --to s3://bucket/tidemark --format parquet
  tidemark export check s3://bucket/tidemark`

func exportCommand(to *connection) *cobra.Command {
	return group("export", exportHelp, exportRollupsCommand(to), exportEventsCommand(to), exportCheckCommand())
}

func registerExport(f *export.Command, cmd *cobra.Command, format, formats string) {
	cmd.Flags().StringVar(&f.Format, "format", format, "`format`: "+formats)
	cmd.Flags().StringVar(&f.To, "to", "", "write files to this `folder`, or s3://BUCKET/PREFIX")
	cmd.Flags().StringSliceVar(&f.Kinds, "kind", nil,
		"only this `kind`, by name or plural; may be repeated (default: all)")
	cmd.Flags().BoolVar(&f.Full, "full", false, "with --to: read every day again, also days with complete files")
}

const exportRollupsHelp = `Write rollups of the table as CSV, NDJSON or Parquet

Write every rollup that has not expired, one measure a line, sorted by kind, subject,
stream, tier, bucket and measure. With SUBJECT, such as devices/sensor_01 or
by-site/berlin, write its rollups; with a type, such as devices, the rollups of all its
subjects.

With --zone, --tier day, week, week-sunday, month or quarter counts the days of that time
zone, cut from buckets and events, as "tidemark rollups --zone" does. The last two columns
are date, such as 2026-11-12, and zone. If the hourly rows have expired, older days are UTC
days, and their zone is UTC. A day of which a part is not known is not exact. A day of which
nothing is known has one line, with exact false and without a number of events.

The columns are
  kind,subject,stream,tier,bucket,measure,count,invalid,sum,min,max,avg,stddev,first,last,p50,p95,p99,exact,events,field,value,distinct,wholeFrom,truncated,increase,resets,rate,timeMean,coveredSeconds,rounded,event,highest,highestPlaces,lowest,lowestPlaces
bucket is the start of the bucket and sum is exact, except that numbers in Parquet are
floating-point numbers. A measure without valid values has empty figures (null in NDJSON).
Only measures that are declared with percentiles have them.

In rows of groups, highest and lowest are the ten members with the highest and the lowest
values as JSON, such as [{"member":"sensor_01","value":31.5}], and highestPlaces and
lowestPlaces how many members are known: 10, or fewer after a purge. With fewer members than
places, these are all. Both are empty if the members are not known.

After the measures of a bucket, there is a line for each field with distinct counts, and
for each value of a dimension with its events. A bucket of page views has only these,
after one line with its number of events.

Exit status: 0 written; 2 wrong usage; 3 the table could not be read, or the output not
written.

Examples:
  tidemark export rollups --tier day > days.csv
  tidemark export rollups --tier all --format ndjson --out rollups.ndjson
  tidemark export rollups devices/sensor_01 --tier day --zone Europe/Berlin > berlin.csv`

func exportRollupsCommand(to *connection) *cobra.Command {
	var flags export.Command
	cmd := &cobra.Command{Use: "rollups [SUBJECT]", Long: exportRollupsHelp}
	cmd.Flags().StringVar(&flags.Tier, "tier", export.AllTiers, "`tier`: "+tier.UnitNames()+", or all")
	cmd.Flags().StringVar(&flags.Out, "out", "", "write to this `file` instead of standard output")
	cmd.Flags().Func("zone", "write the days, weeks, months or quarters of a `time zone` such as Europe/Berlin",
		func(name string) (err error) {
			flags.Zone, err = times.Zone(name)
			return err
		})
	text, filesOnly := export.FormatNames()
	registerExport(&flags, cmd, "csv", text+", with --to or --out also "+filesOnly)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return runExport(cmd, to, flags, export.RollupRows, args...)
	}
	return cmd
}

const exportEventsHelp = `Write all events of the table as NDJSON, CSV or Parquet files

Write every event that has not expired, one a line, sorted by kind, day, subject, stream,
time and id. A line of NDJSON is the observation that stores the event again. CSV and
Parquet have a column for each declared measure, and the column "fields" with all fields.

Exit status: 0 written; 2 wrong usage; 3 the table could not be read, or a file not
written.`

func exportEventsCommand(to *connection) *cobra.Command {
	var flags export.Command
	cmd := &cobra.Command{Use: "events", Long: exportEventsHelp}
	text, filesOnly := export.FormatNames()
	registerExport(&flags, cmd, "ndjson", text+" or "+filesOnly)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return runExport(cmd, to, flags, export.Events) }
	return cmd
}

const exportCheckHelp = `Compare the files of an export with its manifest

Read all files of an export and compare them with the sizes and digests in its manifests.

Exit status: 0 all are as exported; 1 some are missing or changed; 3 not readable.`

func exportCheckCommand() *cobra.Command {
	return &cobra.Command{
		Use:  "check FOLDER",
		Long: exportCheckHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			ok, err := export.RunCheck(cmd.Context(), args[0], cmd.OutOrStdout())
			if err == nil && !ok {
				err = checkFailed
			}
			return err
		},
	}
}

func runExport(cmd *cobra.Command, to *connection, flags export.Command, dataset export.Dataset,
	subject ...string) error {
	if err := flags.Check(dataset); err != nil {
		return err
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return err
	}
	for _, text := range subject {
		if flags.Subjects, err = arguments.Subjects(text, kinds); err != nil {
			return err
		}
		if err := flags.Check(dataset); err != nil {
			return err
		}
	}
	return flags.Run(cmd.Context(), dataset, table, kinds, wallClock, cmd.OutOrStdout(), cmd.ErrOrStderr())
}
