package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/times"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// readFlags are the flags of every command that reads series of a subject.
type readFlags struct {
	kinds, streams []string
	consistent     bool
	output         string

	from, to string
	last     times.Span
	limit    int
	newest   bool
	times    printing.Times
}

// registerSeries registers the flags that choose the series and the output format.
func (f *readFlags) registerSeries(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.kinds, "kind", nil,
		"`kind` of event, by name or plural; required if the subject has several kinds")
	cmd.Flags().StringArrayVar(&f.streams, "stream", nil,
		"`stream` of the series (default: events without a stream)")
	cmd.Flags().BoolVar(&f.consistent, "consistent", false, "strongly consistent reads, at twice the cost")
	cmd.Flags().StringVar(&f.output, "output", tableOutput, "output `format`: table, json, ndjson or csv")
	cmd.Flags().Func("zone",
		"read times without an offset in a `time zone` such as Europe/Berlin, and show them in it "+
			"(default UTC; for rollups and top the profile's)", f.setZone)
	cmd.Flags().Func("time-format", "`format` of the times of tables: "+timeFormats+" (default iso)",
		f.setTimeFormat)
}

func (f *readFlags) setZone(name string) (err error) {
	f.times.Zone, err = times.Zone(name)
	return err
}

const timeFormats = "iso, short, unix or unixms"

func (f *readFlags) setTimeFormat(name string) error {
	if f.times.Format = name; printing.TimeFormats[name] == nil {
		return fmt.Errorf("want %s", timeFormats)
	}
	return nil
}

// registerRange registers the flags that choose a range of time.
func (f *readFlags) registerRange(cmd *cobra.Command, limit int, what string, newest bool) {
	f.registerBounds(cmd)
	cmd.Flags().IntVar(&f.limit, "limit", limit, "the most "+what+" to show; 0 shows all")
	cmd.Flags().BoolVar(&f.newest, "newest", newest, "newest first")
}

// registerBounds registers the flags of the bounds of a range.
func (f *readFlags) registerBounds(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.from, "from", "",
		"`time` at which the range begins, such as 2026-11-01 or 2026-11-01T14:00:00Z")
	cmd.Flags().StringVar(&f.to, "to", "", "`time` before which the range ends")
	cmd.Flags().Var(&f.last, "last", "the `duration` up to now, such as 24h or 7d, instead of --from and --to")
}

// seriesReader reads the series that the flags and the subject argument choose.
type seriesReader struct {
	*query.Service
	rollups query.Rollups // With and Streams are merged with its Series
	meter   *model.ReadMeter
}

// units returns the units of the measures of the kinds that are read.
func (r *seriesReader) units() printing.Units {
	return query.Units(append([]*catalog.Kind{r.rollups.Kind}, r.rollups.With...)...)
}

// open returns a reader of the series, and a context that measures what it reads.
func (f *readFlags) open(cmd *cobra.Command, to *connection,
	subject string) (context.Context, *seriesReader, error) {
	ctx, r, kinds, err := f.openTable(cmd, to)
	if err != nil {
		return nil, nil, err
	}
	of, err := arguments.Subject(subject, kinds)
	if err != nil {
		return nil, nil, err
	}
	found, err := arguments.Kinds(kinds, of, f.kinds)
	if err != nil {
		return nil, nil, err
	}
	r.rollups = query.Rollups{Series: query.Series{Kind: found[0], Subject: of.ID}, With: found[1:],
		Consistent: f.consistent}
	if len(f.streams) > 0 {
		r.rollups.Stream, r.rollups.Streams = f.streams[0], f.streams[1:]
	}
	return ctx, r, nil
}

// openInZone is open; unless --zone names one, the time zone is taken from the subject's profile.
func (f *readFlags) openInZone(cmd *cobra.Command, to *connection,
	subject string) (context.Context, *seriesReader, error) {
	ctx, r, err := f.open(cmd, to, subject)
	if err != nil || f.times.Zone != nil {
		return ctx, r, err
	}
	zone, err := r.Zone(ctx, model.Subject{Type: r.rollups.Kind.Subject.Name, ID: r.rollups.Subject})
	if err != nil {
		return nil, nil, readFailure(err)
	}
	if zone != time.UTC {
		f.times.Zone = zone
		fmt.Fprintf(cmd.ErrOrStderr(),
			"days and times are of %s, the time zone of the profile; --zone names another\n", zone)
	}
	return ctx, r, nil
}

// openTable returns a reader of the table, without a series.
func (f *readFlags) openTable(cmd *cobra.Command,
	to *connection) (context.Context, *seriesReader, *catalog.Catalog, error) {
	if _, ok := outputFormats[f.output]; !ok && f.output != tableOutput {
		return nil, nil, nil, usagef("--output %s: want table, json, ndjson or csv", f.output)
	}
	table, kinds, err := to.OpenTableKinds(cmd.Context())
	if err != nil {
		return nil, nil, nil, err
	}
	ctx, meter := model.WithReadMeter(cmd.Context())
	live := &query.Live{
		Store: table, Watermarks: table, Stream: table, Kind: query.CatalogKinds(kinds), Now: wallClock,
	}
	return ctx, &seriesReader{Service: &query.Service{Store: live, Now: wallClock}, meter: meter}, kinds, nil
}

// single returns the series if the flags choose exactly one.
func (r *seriesReader) single() (query.Series, error) {
	if len(r.rollups.With) > 0 {
		names := append([]string{r.rollups.Kind.Name}, arguments.KindNames(r.rollups.With)...)
		return query.Series{}, usagef("%s have several kinds of event: choose one with --kind %s",
			r.rollups.Kind.Subject.Path, strings.Join(names, " or --kind "))
	}
	if len(r.rollups.Streams) > 0 {
		return query.Series{}, usagef("--stream: this command reads one stream; only rollups can be merged")
	}
	return r.rollups.Series, nil
}

// seriesText returns the series with its subject as it is typed, such as devices/sensor_01 READING.
func (r *seriesReader) seriesText() string {
	of := r.rollups.Kind.Subject
	return of.Path + strings.TrimPrefix(r.rollups.Series.String(), of.Name)
}

// printNone says that nothing was found, and which streams there are.
func (r *seriesReader) printNone(ctx context.Context, w io.Writer) {
	series := r.seriesText()
	streams, err := r.Streams(ctx, r.rollups.Series)
	switch {
	case err != nil || len(streams) == 0:
		fmt.Fprintf(w, "%s has no events: check the id, or wait some seconds after the first one; "+
			"\"tidemark ls\" lists what is stored\n", series)
	case !slices.Contains(streams, r.rollups.Stream):
		fmt.Fprintf(w, "%s has no events; it has the streams %s: pass --stream\n", series, quoted(streams))
	default:
		fmt.Fprintf(w, "%s has nothing in this range: \"tidemark ls\" shows when it was seen\n", series)
	}
}

func quoted(texts []string) string { return strings.Join(lists.Map(texts, strconv.Quote), ", ") }

// printCost prints what the command has read.
func (r *seriesReader) printCost(w io.Writer) {
	c := r.meter.Cost()
	fmt.Fprintf(w, "read units %g, items %s, requests %s\n", c.Units, terminal.Grouped(c.Items),
		terminal.Grouped(c.Requests))
}

// tableOutput is the output format for people; the others are the HTTP API's.
const tableOutput = "table"

var outputFormats = map[string]views.Format{"json": views.FormatJSON, "ndjson": views.FormatNDJSON,
	"csv": views.FormatCSV}

// bounds say which changes a result has, and what is not known of its range.
type bounds struct {
	query.Progress
	missing   []query.Segment
	wholeFrom *model.Time // of events
}

// print prints a result in the chosen format; printTable prints the table, with what is missing. The bounds
// of other formats go to the error output, because a list of rows has no place for them.
func (f *readFlags) print(
	cmd *cobra.Command, r *seriesReader, result any, b bounds, printTable func() error,
) error {
	log := cmd.ErrOrStderr()
	if f.output != tableOutput {
		if err := printAs(cmd, f.output, result); err != nil {
			return err
		}
		if err := printing.Missing(log, b.missing); err != nil {
			return err
		}
	} else if err := printTable(); err != nil {
		return err
	}
	printing.Progress(log, b.Progress, r.Now())
	if b.wholeFrom != nil {
		fmt.Fprintf(log, "not known: events before %s may have expired\n", b.wholeFrom)
	}
	if f.output == tableOutput {
		r.printCost(log)
	}
	return nil
}

// printAs prints a result in an output format other than the table.
func printAs(cmd *cobra.Command, output string, result any) error {
	format, ok := outputFormats[output]
	switch {
	case !ok:
		return usagef("--output %s: want table, json, ndjson or csv", output)
	case !format.Supports(result):
		return usagef("--output %s: the result is not a list: want table or json", output)
	}
	if err := format.Write(cmd.OutOrStdout(), result); err != nil {
		return fmt.Errorf("write the output: %w", err)
	}
	if format.Type == views.FormatJSON.Type {
		fmt.Fprintln(cmd.OutOrStdout())
	}
	return nil
}

// timeRange returns the half-open range that the flags choose; an end without a flag is open.
func (f *readFlags) timeRange(now model.Time) (from, to model.Time, err error) {
	if f.last != 0 {
		if f.from != "" || f.to != "" {
			return 0, 0, usagef("--last cannot be combined with --from and --to: remove one of them")
		}
		return now.Add(-time.Duration(f.last)), now + 1, nil
	}
	return arguments.RangeIn(cmp.Or(f.times.Zone, time.UTC), f.from, f.to)
}

// bucketRange is timeRange for buckets of a unit.
func (f *readFlags) bucketRange(unit tier.Unit, now model.Time) (from, to model.Time, err error) {
	from, to, err = f.timeRange(now)
	if err == nil && f.last > 0 {
		from, to = query.Last(time.Duration(f.last), unit, now)
	}
	return from, to, err
}

// hasRange reports whether any flag chooses a range.
func (f *readFlags) hasRange() bool { return f.from != "" || f.to != "" || f.last != 0 }

// usageErrors are the errors of package query that the user corrects by other flags.
var usageErrors = []error{
	query.ErrRange, query.ErrOrder, query.ErrLimit, query.ErrSeries, query.ErrNoTier, query.ErrNoLatest,
	query.ErrNoEvents, query.ErrNoDimension, query.ErrNoMembers, query.ErrNoCounter, query.ErrRanking,
	query.ErrOneBucket,
	query.ErrTooLong, query.ErrTooMany, query.ErrTooWide, model.ErrCondition, times.ErrZone,
}

// readFailure makes the errors that usageErrors lists usage errors.
func readFailure(err error) error {
	for _, one := range usageErrors {
		if errors.Is(err, one) {
			return usagef("%w", err)
		}
	}
	return err
}
