package main

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/text/encoding"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/base/timetext"
	"github.com/tidemark-db/tidemark/internal/data/formats"
	"github.com/tidemark-db/tidemark/internal/data/replay"
	"github.com/tidemark-db/tidemark/internal/local/ownmachine"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// importFlags say what the files are, and how they are sent.
type importFlags struct {
	kind, columns, rebase, journal string
	batch, concurrency             int
	wait, strict, dryRun           bool
	clock                          timetext.Clock
	types                          map[string]columns.Type
	mark                           columns.Mark
	encoding                       encoding.Encoding
	shape                          formats.Shape
	constants, source              string
	web                            formats.Web
	secret                         string // ARN
}

// register registers the flags.
func (f *importFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "",
		"`kind` of the observations, by name or plural (default: the first that is declared)")
	cmd.Flags().StringVar(&f.columns, "map", "",
		"the `columns` of CSV, or members of JSON, as subject=device,time=ts,value=value (default: guessed)")
	cmd.Flags().Func("zone",
		"`time zone` of times of CSV that have no offset, such as Europe/Berlin or +01:00", f.setZone)
	cmd.Flags().Func("time-format",
		"`format` of the times of CSV, such as '%d.%m.%Y %H:%M', or s, ms, us, ns, or excel (default: guessed)",
		f.setTimeFormat)
	cmd.Flags().StringVar(&f.source, "source", "", "map objects and rows by this `row` of sources, or preset")
	cmd.Flags().StringVar(&f.constants, "set", "",
		"`fields` that are the same in every row, such as subject=station_1")
	cmd.Flags().IntVar(&f.shape.Skip, "skip", 0, "skip `lines` above the header of CSV")
	cmd.Flags().IntVar(&f.shape.SkipBelow, "skip-below", 0,
		"skip `rows` between the header and the data of CSV, such as units")
	cmd.Flags().StringSliceVar(&f.shape.Header, "columns", nil,
		"`names` of the columns of CSV without a header line")
	cmd.Flags().StringSliceVar(&f.shape.Missing, "missing", nil,
		"`cells` of CSV that say that there is no value, such as --missing=-999")
	cmd.Flags().Func("types",
		"`types` of columns of CSV, such as firmware=text,temperature=number; text, number, "+
			"bool or time (default: decided from the cells)", f.setTypes)
	cmd.Flags().Func("decimal",
		"the `mark` of decimals of CSV, comma or point, where the cells of a column do not say", f.setDecimal)
	cmd.Flags().Func("encoding", "`encoding` of text that is not Unicode, such as windows-1252",
		f.setEncoding)
	cmd.Flags().StringVar(&f.web.Format, "format", "",
		"the files are logs of a web server, or exports of another program for web analytics: "+
			formats.WebFormats())
	cmd.Flags().StringVar(&f.web.Site, "site", "",
		"`id` of the site in these files (default: the host that a line of the log names)")
	cmd.Flags().StringVar(&f.rebase, "rebase", "",
		"shift all event times by the same amount, so that the newest is this `time`: "+
			"now, or such as 2026-11-01T14:00:00Z")
	cmd.Flags().BoolVar(&f.wait, "wait", false,
		`wait until the rollups include everything (needs a running "tidemark dev")`)
	cmd.Flags().BoolVar(&f.dryRun, "dry-run", false,
		"only print the columns, rows, subjects, rejected rows, price and time")
	cmd.Flags().StringVar(&f.journal, "journal", "",
		"`path` of the record of progress (default: made from the input, in this folder)")
	cmd.Flags().StringVar(&f.secret, "secret", "", "`ARN` of the deployment's secret for site keys (env "+
		config.EnvSiteSecret+"), from which the secrets of pseudonyms are derived")
	cmd.Flags().IntVar(&f.batch, "batch", 500, "the most `observations` in a request")
	cmd.Flags().IntVar(&f.concurrency, "concurrency", 4, "the most `requests` at the same time")
	cmd.Flags().BoolVar(&f.strict, "strict", false,
		"reject observations with a measure that is not a number; without it they are stored, "+
			"and rollups count the value as invalid")
}

func (f *importFlags) setZone(name string) (err error) {
	if f.clock.Zone = timetext.FixedZone(name); f.clock.Zone != nil {
		return nil
	}
	f.clock.Zone, err = times.Zone(name)
	return err
}

func (f *importFlags) setTimeFormat(format string) error { return f.clock.SetFormat(format) }

func (f *importFlags) setTypes(text string) (err error) {
	f.types, err = columns.Parse(text)
	return err
}

func (f *importFlags) setEncoding(name string) (err error) {
	f.encoding, err = formats.ParseEncoding(name)
	return err
}

func (f *importFlags) setDecimal(name string) error {
	for _, mark := range []columns.Mark{columns.Point, columns.Comma} {
		if name == mark.String() {
			f.mark = mark
			return nil
		}
	}
	return usagef("want comma or point")
}

func (f *importFlags) sender(ctx context.Context, to *connection, in formats.Input) (*replay.Sender, error) {
	s := &replay.Sender{URL: to.URL + "/v1/" + in.Kind.Path, Strict: f.strict, Batch: f.batch,
		Lanes: f.concurrency, Notice: in.Notice}
	if f.dryRun {
		return s, nil
	}
	var err error
	s.Client, err = to.HTTPClient(ctx)
	return s, err
}

// sendOnce sends the observations of files once, without a journal.
func sendOnce(cmd *cobra.Command, to *connection, flags importFlags, files []string) error {
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
	sender, err := flags.sender(ctx, to, in)
	if err != nil {
		return err
	}
	began := time.Now()
	if !slices.Contains(files, formats.StdinName) {
		in.Notice = nil // the survey has shown the columns
	}
	progress := terminal.NewProgress(cmd.ErrOrStderr(), "import", "obs", total)
	sender.Progress = progress.Add
	err = sender.Send(ctx, func(send func(formats.Observation) error) error {
		return in.Each(files, func(o formats.Observation) error {
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
	if err := flags.await(cmd, to); err != nil {
		return err
	}
	return rejectedError(sender.Counts.Count(model.Rejected), nil)
}

// await waits until the rollups include everything, if --wait says so.
func (f *importFlags) await(cmd *cobra.Command, to *connection) error {
	if !f.wait {
		return nil
	}
	began, p := time.Now(), terminal.NewProgress(cmd.ErrOrStderr(), "fold", "records", 0)
	err := stack.AwaitIdle(cmd.Context(), to.URL, p.Add)
	if err == nil {
		fmt.Fprintf(cmd.OutOrStdout(), "rollups complete after %s more\n",
			time.Since(began).Round(100*time.Millisecond))
	}
	p.Done()
	return err
}

func (f *importFlags) input(cmd *cobra.Command, to *connection) (formats.Input, error) {
	to.Resolve()
	if f.batch < 1 || f.concurrency < 1 {
		return formats.Input{}, usagef("--batch and --concurrency must be 1 or more")
	}
	settings, err := to.Settings()
	if err != nil {
		return formats.Input{}, err
	}
	kinds, err := to.Catalog()
	if err != nil {
		return formats.Input{}, err
	}
	analytics, err := f.analytics(cmd, to, kinds)
	if err != nil {
		return formats.Input{}, err
	}
	kind, err := names.Kind(kinds, f.kind)
	if err != nil {
		return formats.Input{}, fmt.Errorf("--kind: %w", err)
	}
	points := &points.Mapping{Rows: settings.Sources, Catalog: kinds}
	in := formats.Input{Stdin: cmd.InOrStdin(), Kind: kind, Clock: f.clock, Types: f.types, Mark: f.mark,
		Encoding: f.encoding, Shape: f.shape, Points: points, Web: analytics,
		Notice: func(text string) { cmd.PrintErr(terminal.PrintableLines(text)) }}
	if f.source != "" {
		if _, err := points.Named(f.source); err != nil {
			return in, usagef("--source: %w", err)
		}
		in.Source = f.source
	}
	if f.constants != "" {
		if in.Shape.Constants, err = formats.ParseConstants(f.constants, kind); err != nil {
			return in, usagef("--set: %w", err)
		}
	}
	if f.columns != "" {
		if in.Columns, err = formats.ParseColumns(f.columns, kind); err != nil {
			err = usagef("--map: %w", err)
		}
	}
	return in, err
}

// analytics returns how --format is read, nil without it, and sets the kind that it has by default.
func (f *importFlags) analytics(cmd *cobra.Command, to *connection,
	kinds *catalog.Catalog) (*formats.Web, error) {
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
		return nil, usagef("--format needs --secret for %s: without the deployment's secret anyone could "+
			"tell visitors by their pseudonyms", to.URL)
	}
	f.web.Secret, err = secret.SiteKeys(cmd.Context(), arn, secret.Read)
	return &f.web, err
}
