package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/data/replay"
)

const importHelp = `Load files, here or in S3, and continue after interruptions

Send the observations of files to the HTTP API, in the order of the files. Use it to load
existing data, or test data. "replay" is another name of it, which keeps no journal.

A journal records which observations have an outcome. Run the same command again after a
crash: it sends what has none, and removes the journal when it is done. Rows that are rejected are in a file
next to the journal, with their lines and reasons; a row that cannot be read does not end the import.
Standard input, "-", and --rebase have no journal: there, a row that cannot be read ends the command.

A file is JSON, with one object a line, one array, or one object after the other, in the
form that the API accepts or with members that are named as columns are; or it is CSV with
a header line and commas, semicolons or tabs, as Excel saves a sheet.
UTF-16, gzip, zstd and bzip2 are read too, and other text by --encoding. Parquet is read as CSV
is; so is what "tidemark export events", Amazon Timestream (UNLOAD as CSV or Parquet), AWS IoT
SiteWise (bulk CSV), InfluxDB 1 and 2 (query results as CSV), DynamoDB and MongoDB (JSON with
the types of values), loggers of Campbell (TOA5) and
Australian meters (NEM12) write. A folder, or s3://BUCKET/PREFIX/ with a slash at its end, means
all files in it; folders such as device=d1, as Spark and DuckDB write them, are columns of the
files below them. The "sources" of tidemark.yaml say what the points of InfluxDB line protocol
become.

The columns of CSV are guessed from the header, and the members of JSON from their names, and
shown before anything is sent; --map names them instead, or, if it names no value, amends
them. A member of JSON within another one is MEMBER.NAME. The fields subject, stream, time and
id have these short names; any other field has its own name. In a table whose
columns are sensors, --map subject=*,time=ts,temperature=* makes each other column a
subject. An empty cell of a declared measure is sent as null, which counts as an invalid
value; any other empty cell is left out. A declared measure of which no value is a number
stops the command, in each format; --types NAME=text reads it as text. Words such as NULL, NaN, N/A
and #DIV/0! are no values; --missing=-999 names other cells that are none.

A time in a file is RFC 3339, epoch seconds or milliseconds, or such as 2026-11-01 14:00. One
without an offset needs --zone, or a title such as "Time (UTC+1)"; a time that clocks of the
zone skip, or show twice, is rejected. Dates such as 1/11/2026 are read if others of their
column say which part is the day, as 25/11/2026 does. The time of an interval, such as
2026-11-01 14:00 - 14:15, is its beginning. --time-format names another form:
%Y %m %d %H %M %S %p %z, as strptime has them.

--source reads objects and rows of another program by its row of "sources", or by a preset
such as ttn. --set gives what all rows have in common, such as the subject.

--format reads logs of web servers and exports of other programs for web analytics: combined
(Apache, nginx), vhost_combined, cloudfront, alb, goatcounter (CSV, versions 1 and 2),
goatcounter-json (its zip archive) and plausible (a zip archive, or its files). A page view
of a log is a GET with status 200 or 304 of a path without the ending of a file, or with a
page's ending; --kind requests takes the other requests. A line has an identity: reading it
again counts nothing. Crawlers are in the stream "bots"; addresses and user agents are not
stored. Hits of GoatCounter are in the stream "imported"; its events need --kind
customevents. Days that Plausible has counted, and hours and days that GoatCounter has, are
of the kind IMPORTEDDAY, which tidemark.yaml must declare; without it, the message of the
command has the lines to add. A deployed stack needs --secret: pseudonyms of visitors and
ids of lines are hashes under keys that are derived from it.

Requests run in parallel, but the order within each series is kept. A request whose
outcome is not known is sent again. That is safe, except that a kind with "ids: minted"
may then store an event twice.

Exit status: 0 every observation was accepted; 1 some were rejected; 2 wrong usage;
3 failed, or interrupted.

Examples:
  tidemark import --dry-run history.parquet
  tidemark import --wait --rebase now loggers.csv.gz \
    --map subject=device,stream=metric,time=ts,id=rec,value=value
  tidemark import --format combined --site example.com access.log.gz
  tidemark import --format plausible --site example.com export.zip
  tidemark import --kind readings s3://bucket/events/kind=READING/
  zcat old.ndjson.gz | tidemark import --url https://example.execute-api.eu-west-1.amazonaws.com -`

func importCommand(to *connection) *cobra.Command {
	var flags importFlags
	cmd := &cobra.Command{Use: "import FILE…", Aliases: []string{"replay"}, Long: importHelp}
	flags.register(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		once := cmd.CalledAs() == "replay" || flags.rebase != "" || slices.Contains(args, formats.StdinName)
		switch {
		case once && flags.journal != "":
			return usagef("--journal: standard input, --rebase and replay keep no journal: omit it")
		case flags.dryRun && flags.rebase != "":
			return usagef("--dry-run does not shift times: omit --rebase")
		case once && !flags.dryRun:
			return sendOnce(cmd, to, flags, args)
		}
		return importFiles(cmd, to, flags, args)
	}
	return cmd
}

// importFiles sends whole files, and continues where an earlier process stopped.
func importFiles(cmd *cobra.Command, to *connection, flags importFlags, args []string) error {
	if err := to.NeedURL(); err != nil && !flags.dryRun {
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
	sender, err := flags.sender(cmd.Context(), to, in)
	if err != nil {
		return err
	}
	load := replay.Import{
		Input: in, Sender: sender, Limits: settings.Limits, Journal: flags.journal,
		DryRun: flags.dryRun, Now: wallClock,
	}
	rejected, err := load.Run(cmd.Context(), args, cmd.OutOrStdout(), cmd.ErrOrStderr())
	if err != nil || flags.dryRun {
		return rejectedError(rejected, err)
	}
	return rejectedError(rejected, flags.await(cmd, to))
}

// rejectedError returns err, or without one that some observations were rejected.
func rejectedError(rejected int, err error) error {
	if err != nil || rejected == 0 {
		return err
	}
	return checkFailed
}
