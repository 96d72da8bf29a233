package main

import (
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/data/replay"
)

const importHelp = `Load history from files, here or in S3, and continue after interruptions

Send the observations of whole files to the HTTP API, and continue after an interruption
where it was. Use it for history; "tidemark replay" sends a few files, or standard input.

Files are as for "tidemark replay": also what "tidemark export events", Amazon Timestream
(UNLOAD as CSV or Parquet), AWS IoT SiteWise (bulk CSV), InfluxDB 1 and 2 (query results as
CSV) and loggers of Campbell (TOA5) write. A folder, or s3://BUCKET/PREFIX/ with a slash at
its end, means all files in it.

A journal records which observations have an outcome. Run the same command again after a
crash: it sends what has none. Rows that are rejected are in a file next to the journal,
with their lines and reasons; a row that cannot be read does not end the import.

Exit status: 0 every observation was accepted; 1 some were rejected; 2 wrong usage;
3 failed, or interrupted.

Examples:
  tidemark import --dry-run history.parquet
  tidemark import --format cloudfront --site example.com s3://bucket/logs/
  tidemark import --format plausible --site example.com export.zip
  tidemark import --kind readings s3://bucket/events/kind=READING/`

func importCommand(to *connection) *cobra.Command {
	var flags replayFlags
	var dryRun bool
	var journal string
	cmd := &cobra.Command{Use: "import FILE…|FOLDER|s3://BUCKET/KEY", Long: importHelp}
	flags.register(cmd)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only print the columns, rows, subjects, rejected rows, price and time")
	cmd.Flags().StringVar(&journal, "journal", "", "`path` of the record of progress (default: made from the input, in this folder)")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := to.NeedURL(); err != nil && !dryRun {
			return err
		}
		in, err := flags.input(cmd, to)
		if err != nil {
			return err
		}
		settings, err := to.Settings()
		if err != nil {
			return err
		}
		load := replay.Import{Input: in, Sender: flags.sender(to, in.Kind), Limits: settings.Limits, Journal: journal, DryRun: dryRun, Now: wallClock}
		if rejected, err := load.Run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil || rejected == 0 {
			return err
		}
		return checkFailed
	}
	return cmd
}
