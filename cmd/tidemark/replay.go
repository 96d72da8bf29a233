package main

import (
	"cmp"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/data/columns"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

type replayFlags struct {
	kind, columns, rebase string
	batch, concurrency    int
	wait, strict          bool
	clock                 timetext.Clock
	types                 map[string]columns.Type
	mark                  columns.Mark
	shape                 replay.Shape
	constants, source     string
	web                   replay.Web
	secret                string // ARN
}

const replayHelp = `Load observations from JSON or CSV files

Send the observations of files to the HTTP API, in the order of the files. Use it to load
existing data, or test data.

A file is JSON, with one object a line, one array, or one object after the other, in the
form that the API accepts; or it is CSV with a header line and commas, semicolons or tabs.
UTF-16 and gzip are read too; "-" is standard input. Parquet is read as CSV is. The
"sources" of tidemark.yaml say what the points of InfluxDB line protocol become.

The columns of CSV are guessed from the header and shown before anything is sent; --map
names them instead. The fields subject, stream, time and id have these short names; any
other field has its own name. An empty cell of a declared measure is sent as null, which
counts as an invalid value; any other empty cell is left out. A declared measure of which no
value is a number stops the command, in each format; --types NAME=text reads it as text.

A time in CSV is RFC 3339, epoch seconds or milliseconds, or such as 2026-11-01 14:00. One
without an offset needs --zone; a time that clocks of the zone skip, or show twice, is
rejected. --time-format names another form: %Y %m %d %H %M %S %p %z, as strptime has them.

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
3 failed.

Examples:
  tidemark replay readings.ndjson
  tidemark replay --wait --rebase now loggers.csv.gz \
    --map subject=device,stream=metric,time=ts,id=rec,value=value
  tidemark replay --format combined --site example.com access.log.gz
  zcat old.ndjson.gz | tidemark replay --url https://example.execute-api.eu-west-1.amazonaws.com -`

func replayCommand(to *connection) *cobra.Command {
	var flags replayFlags
	cmd := &cobra.Command{
		Use:  "replay FILE…",
		Long: replayHelp,
		RunE: func(cmd *cobra.Command, files []string) error {
			return runReplay(cmd, to, flags, files)
		},
	}
	flags.register(cmd)
	cmd.Flags().StringVar(&flags.rebase, "rebase", "", "shift all event times by the same amount, so that the newest is this `time`: now, or such as 2026-11-01T14:00:00Z")
	cmd.Flags().BoolVar(&flags.wait, "wait", false, `wait until the rollups include everything (needs a running "tidemark dev")`)
	return cmd
}

// register registers the flags of every command that sends files.
func (f *replayFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "", "`kind` of the observations, by name or plural (default: the first that is declared)")
	cmd.Flags().StringVar(&f.columns, "map", "", "the files are CSV with these `columns`, such as subject=device,time=ts,value=value (default: guessed)")
	cmd.Flags().Func("zone", "`time zone` of times of CSV that have no offset, such as Europe/Berlin", f.setZone)
	cmd.Flags().Func("time-format", "`format` of the times of CSV, such as '%d.%m.%Y %H:%M', or s, ms, us, ns, or excel (default: guessed)", f.setTimeFormat)
	cmd.Flags().StringVar(&f.source, "source", "", "map objects and rows by this `row` of sources, or preset")
	cmd.Flags().StringVar(&f.constants, "set", "", "`fields` that are the same in every row, such as subject=station_1")
	cmd.Flags().IntVar(&f.shape.Skip, "skip", 0, "skip `lines` above the header of CSV")
	cmd.Flags().IntVar(&f.shape.SkipBelow, "skip-below", 0, "skip `rows` between the header and the data of CSV, such as units")
	cmd.Flags().StringSliceVar(&f.shape.Header, "columns", nil, "`names` of the columns of CSV without a header line")
	cmd.Flags().Func("types", "`types` of columns of CSV, such as firmware=text,temperature=number; text, number, bool or time (default: decided from the cells)", f.setTypes)
	cmd.Flags().Func("decimal", "the `mark` of decimals of CSV, comma or point, where the cells of a column do not say", f.setDecimal)
	cmd.Flags().StringVar(&f.web.Format, "format", "", "the files are logs of a web server, or exports of another program for web analytics: "+replay.WebFormats())
	cmd.Flags().StringVar(&f.web.Site, "site", "", "`id` of the site in these files (default: the host that a line of the log names)")
	cmd.Flags().StringVar(&f.secret, "secret", "", "`ARN` of the deployment's secret for site keys (env "+config.EnvSiteSecret+"), from which the secrets of pseudonyms are derived")
	cmd.Flags().IntVar(&f.batch, "batch", 500, "the most `observations` in a request")
	cmd.Flags().IntVar(&f.concurrency, "concurrency", 4, "the most `requests` at the same time")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "reject observations with a measure that is not a number; without it they are stored, and rollups count the value as invalid")
}

func (f *replayFlags) setZone(name string) (err error) {
	f.clock.Zone, err = times.Zone(name)
	return err
}

func (f *replayFlags) setTimeFormat(format string) error { return f.clock.SetFormat(format) }

func (f *replayFlags) setTypes(text string) (err error) {
	f.types, err = columns.Parse(text)
	return err
}

func (f *replayFlags) setDecimal(name string) error {
	for _, mark := range []columns.Mark{columns.Point, columns.Comma} {
		if name == mark.String() {
			f.mark = mark
			return nil
		}
	}
	return usagef("want comma or point")
}

func (f *replayFlags) sender(to *connection, kind *catalog.Kind) replay.Sender {
	return replay.Sender{URL: to.URL + "/v1/" + kind.Path, Strict: f.strict, Batch: f.batch, Lanes: f.concurrency}
}

func runReplay(cmd *cobra.Command, to *connection, flags replayFlags, files []string) error {
	ctx := cmd.Context()
	if err := to.NeedURL(); err != nil {
		return err
	}
	in, err := flags.input(cmd, to)
	if err != nil {
		return err
	}
	total, shift, err := in.Rebase(flags.rebase, wallClock(), files)
	if err != nil {
		return err
	}
	began := time.Now()
	if !slices.Contains(files, replay.StdinName) {
		in.Notice = nil // the survey has shown the columns
	}
	progress := terminal.NewProgress(cmd.ErrOrStderr(), "replay", "obs", total)
	sender := flags.sender(to, in.Kind)
	sender.Progress = progress.Add
	err = sender.Send(ctx, func(send func(replay.Observation) error) error {
		return in.Each(files, func(o replay.Observation) error {
			shifted, err := o.Shift(shift)
			if err != nil {
				return err
			}
			return send(shifted)
		})
	})
	progress.Done()
	sender.Counts.Print(cmd.OutOrStdout(), time.Since(began))
	if err != nil {
		return err
	}
	if flags.wait {
		began, p := time.Now(), terminal.NewProgress(cmd.ErrOrStderr(), "fold", "records", 0)
		err := stack.AwaitIdle(ctx, to.URL, p.Add)
		if err == nil {
			fmt.Fprintf(cmd.OutOrStdout(), "rollups complete after %s more\n", time.Since(began).Round(100*time.Millisecond))
		}
		if p.Done(); err != nil {
			return err
		}
	}
	if sender.Counts.Of(model.Rejected) > 0 {
		return checkFailed
	}
	return nil
}

func (f *replayFlags) input(cmd *cobra.Command, to *connection) (replay.Input, error) {
	to.Resolve()
	if f.batch < 1 || f.concurrency < 1 {
		return replay.Input{}, usagef("--batch and --concurrency must be 1 or more")
	}
	settings, err := to.Settings()
	if err != nil {
		return replay.Input{}, err
	}
	kinds, err := to.Catalog()
	if err != nil {
		return replay.Input{}, err
	}
	analytics, err := f.analytics(cmd, to, kinds)
	if err != nil {
		return replay.Input{}, err
	}
	kind, err := names.Kind(kinds, f.kind)
	if err != nil {
		return replay.Input{}, err
	}
	points := &points.Mapping{Rows: settings.Sources, Catalog: kinds}
	in := replay.Input{Stdin: cmd.InOrStdin(), Kind: kind, Clock: f.clock, Types: f.types, Mark: f.mark, Shape: f.shape, Points: points, Web: analytics, Notice: func(text string) { cmd.PrintErr(text) }}
	if f.source != "" {
		if row := points.Row(f.source); row == nil || row.Match == "*" {
			known := lists.Map(settings.Sources, func(r config.SourceRow) string { return r.Match })
			return in, usagef("--source: %q is no row of sources in tidemark.yaml, and no preset%s", f.source,
				names.DidYouMean(f.source, append(known, config.Presets()...)))
		}
		in.Source = f.source
	}
	if f.constants != "" {
		if in.Shape.Constants, err = replay.ParseConstants(f.constants, kind); err != nil {
			return in, usagef("--set: %w", err)
		}
	}
	if f.columns != "" {
		if in.Columns, err = replay.ParseColumns(f.columns, kind, in.Shape.Constants); err != nil {
			err = usagef("--map: %w", err)
		}
	}
	return in, err
}

// analytics returns how --format is read, nil without it, and sets the kind that it has by default.
func (f *replayFlags) analytics(cmd *cobra.Command, to *connection, kinds *catalog.Catalog) (*replay.Web, error) {
	if f.web.Format == "" {
		return nil, nil
	}
	kind, err := f.web.Kind(kinds)
	if err != nil {
		return nil, err
	}
	if f.web.Site != "" {
		if err := checkSite(f.web.Site); err != nil {
			return nil, err
		}
	}
	f.kind = cmp.Or(f.kind, kind)
	arn := cmp.Or(f.secret, os.Getenv(config.EnvSiteSecret))
	if at, err := url.Parse(to.URL); arn == "" && (err != nil || at.Host != "" &&
		!ownmachine.IsLoopback(at.Host)) {
		return nil, usagef("--format needs --secret for %s: without the deployment's secret anyone could tell visitors by their pseudonyms", to.URL)
	}
	f.web.Secret, err = secret.SiteKeys(cmd.Context(), arn, secret.Read)
	return &f.web, err
}
