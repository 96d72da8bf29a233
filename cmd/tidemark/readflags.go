package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// readFlags are those that commands which read a subject's series share.
type readFlags struct {
	kinds, streams []string
	consistent     bool
	output         string

	from, to string
	last     time.Duration
	limit    int
	newest   bool
}

// registerSeries registers the flags that say which series, and how it is shown.
func (f *readFlags) registerSeries(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.kinds, "kind", nil, "`kind` of event, as READING or readings; needed where the subject has several")
	cmd.Flags().StringArrayVar(&f.streams, "stream", nil, "`stream` of the series; without it, the events that have none")
	cmd.Flags().BoolVar(&f.consistent, "consistent", false, "see every write that came before, at twice the read units")
	cmd.Flags().StringVar(&f.output, "output", tableForm, "`form` of the answer: table, json, ndjson or csv")
}

// registerRange registers those that say which part of it.
func (f *readFlags) registerRange(cmd *cobra.Command, limit int, what string, newest bool) {
	cmd.Flags().StringVar(&f.from, "from", "", "first `time` of the range: RFC 3339, a date, or epoch seconds")
	cmd.Flags().StringVar(&f.to, "to", "", "`time` the range ends before")
	cmd.Flags().DurationVar(&f.last, "last", 0, "the `span` before now, as 5m or 24h, in place of --from and --to")
	cmd.Flags().IntVar(&f.limit, "limit", limit, "how many "+what+" at most; 0 means all")
	cmd.Flags().BoolVar(&f.newest, "newest", newest, "the newest first")
}

// question is what a read command reads, and by what.
type question struct {
	*query.Service
	of    query.Rollups // its Series is the first; With, Streams are what is merged with it
	meter *model.Meter
}

// open is what the flags and an argument like devices/sensor_01 say.
func (f *readFlags) open(cmd *cobra.Command, to *connection, subject string) (context.Context, *question, error) {
	if !outputs[f.output] {
		return nil, nil, usagef("--output %s: want table, json, ndjson or csv", f.output)
	}
	table, err := to.openTable(cmd.Context())
	if err != nil {
		return nil, nil, err
	}
	kinds, err := to.catalog()
	if err != nil {
		return nil, nil, err
	}
	of, err := findSubject(subject, kinds)
	if err != nil {
		return nil, nil, err
	}
	found, err := kindsOf(kinds, of, f.kinds)
	if err != nil {
		return nil, nil, err
	}
	ctx, meter := model.Metered(cmd.Context())
	r := &question{Service: &query.Service{Store: table, Now: wallClock}, meter: meter}
	r.of = query.Rollups{Series: query.Series{Kind: found[0], Subject: of.ID}, With: found[1:], Consistent: f.consistent}
	if len(f.streams) > 0 {
		r.of.Stream, r.of.Streams = f.streams[0], f.streams[1:]
	}
	return ctx, r, nil
}

// one is the series, where it must be one.
func (r *question) one() (query.Series, error) {
	if len(r.of.With) > 0 {
		names := append([]string{r.of.Kind.Name}, kindNames(r.of.With)...)
		return query.Series{}, usagef("%s have several kinds of event: say which by --kind %s", r.of.Kind.Subject.Path, strings.Join(names, " or --kind "))
	}
	if len(r.of.Streams) > 0 {
		return query.Series{}, usagef("--stream: want one stream: several are merged in rollups only")
	}
	return r.of.Series, nil
}

// sayNothing tells people that there is nothing to show, and why that may be.
func (r *question) sayNothing(w io.Writer) {
	fmt.Fprintf(w, "nothing of %s in this range: is the id right, and the stream?\n", r.of.Series)
}

// sayCost tells people what their question cost.
func (r *question) sayCost(w io.Writer) {
	c := r.meter.Cost()
	fmt.Fprintf(w, "read units %g, items %s, requests %s\n", c.Units, grouped(c.Items), grouped(c.Requests))
}

// The forms of an answer beside the table, which people read.
const tableForm = "table"

var (
	outputs     = map[string]bool{tableForm: true, "json": true, "ndjson": true, "csv": true}
	outputForms = map[string]envelope.Form{"json": envelope.FormJSON, "ndjson": envelope.FormNDJSON, "csv": envelope.FormCSV}
)

// show writes an answer in the form asked for, the same that the API gives it; asTable
// writes the table, and what is said about it.
func (f *readFlags) show(cmd *cobra.Command, r *question, answer any, asTable func() error) error {
	form, ok := outputForms[f.output]
	if !ok {
		if err := asTable(); err != nil {
			return err
		}
		r.sayCost(cmd.ErrOrStderr())
		return nil
	}
	if err := form.Write(cmd.OutOrStdout(), answer); err != nil {
		return fmt.Errorf("write the answer: %w", err)
	}
	if form.Type == envelope.FormJSON.Type {
		fmt.Fprintln(cmd.OutOrStdout())
	}
	return nil
}

// between is the range of time that the flags say; ends that they do not are open.
func (f *readFlags) between(now model.Time) (from, to model.Time, err error) {
	if f.last != 0 {
		if f.last < 0 || f.from != "" || f.to != "" {
			return 0, 0, usagef("--last: want a span as 5m or 24h, and neither --from nor --to beside it")
		}
		return now.Add(-f.last), now + 1, nil
	}
	return parseRange(f.from, f.to)
}

// parseRange reads the flags of a range; an end that is not said is open.
func parseRange(fromText, toText string) (from, to model.Time, err error) {
	if from, err = parseWhen("from", fromText, model.MinTime); err != nil {
		return 0, 0, err
	}
	to, err = parseWhen("to", toText, model.MaxTime+1)
	return from, to, err
}

// buckets is the range of the buckets of a unit that the flags say.
func (f *readFlags) buckets(unit tier.Unit, now model.Time) (from, to model.Time, err error) {
	from, to, err = f.between(now)
	if err == nil && f.last > 0 {
		from, to = query.Last(f.last, unit, now)
	}
	return from, to, err
}

// ranged reports whether the flags say anything of a range.
func (f *readFlags) ranged() bool { return f.from != "" || f.to != "" || f.last != 0 }

// parseWhen reads a time as people type it; a bare date is its first moment in UTC.
func parseWhen(flag, text string, absent model.Time) (model.Time, error) {
	if text == "" {
		return absent, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return model.TimeOf(day), nil
	}
	at, err := model.ParseTime(text, model.RejectFiner)
	if err != nil {
		return 0, usagef("--%s: %v, or a date (2026-04-20)", flag, err)
	}
	return at, nil
}

// mistakes are the errors of reading that the person who asked can mend.
var mistakes = []error{
	query.ErrRange, query.ErrLimit, query.ErrSeries, query.ErrNoTier, query.ErrNoCurrent, query.ErrNoDimension,
	query.ErrTooLong, query.ErrTooMany, query.ErrTooWide, model.ErrCondition,
}

// readFailure gives an error of reading the exit status it ends in.
func readFailure(err error) error {
	for _, usage := range mistakes {
		if errors.Is(err, usage) {
			return usagef("%w", err)
		}
	}
	return err
}
