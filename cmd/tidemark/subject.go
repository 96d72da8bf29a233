package main

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/query"
)

// seriesFlags say which series a read command reads, beside its argument.
type seriesFlags struct {
	kind       string
	stream     string
	consistent bool
}

func (f *seriesFlags) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.kind, "kind", "", "`kind` of event, as READING or readings; needed where the subject has several")
	cmd.Flags().StringVar(&f.stream, "stream", "", "`stream` of the series; without it, the events that have none")
	cmd.Flags().BoolVar(&f.consistent, "consistent", false, "see every write that came before, at twice the read units")
}

// open is the series that an argument like devices/sensor_01 names, and what reads it.
func (f *seriesFlags) open(ctx context.Context, to *connection, subject string) (query.Series, *query.Service, error) {
	table, err := to.openTable(ctx)
	if err != nil {
		return query.Series{}, nil, err
	}
	kinds, err := to.catalog()
	if err != nil {
		return query.Series{}, nil, err
	}
	kind, id, err := f.find(kinds, subject)
	if err != nil {
		return query.Series{}, nil, err
	}
	now := func() model.Time { return model.TimeOf(time.Now()) }
	return query.Series{Kind: kind, Subject: id, Stream: f.stream}, &query.Service{Store: table, Now: now}, nil
}

// find is the kind, and the subject's id.
func (f *seriesFlags) find(kinds *catalog.Catalog, subject string) (*catalog.Kind, string, error) {
	path, id, _ := strings.Cut(subject, "/")
	of, ok := kinds.SubjectByPath(path)
	if !ok || id == "" {
		return nil, "", usagef("%q: want a subject as %s", subject, strings.Join(subjectForms(kinds), " or "))
	}
	var fit []*catalog.Kind
	var names []string
	for i := range kinds.Kinds {
		k := &kinds.Kinds[i]
		if k.Subject != of {
			continue
		}
		names = append(names, k.Name)
		if f.kind == "" || f.kind == k.Name || f.kind == k.Path {
			fit = append(fit, k)
		}
	}
	switch len(fit) {
	case 1:
		return fit[0], id, nil
	case 0:
		return nil, "", usagef("--kind %s: %s have %s", f.kind, of.Path, strings.Join(names, ", "))
	default:
		return nil, "", usagef("%s have several kinds of event: say which by --kind %s", of.Path, strings.Join(names, " or --kind "))
	}
}

func subjectForms(kinds *catalog.Catalog) (forms []string) {
	for _, s := range kinds.Subjects() {
		forms = append(forms, s.Path+"/ID")
	}
	return forms
}

// rangeFlags say which part of a series is read.
type rangeFlags struct {
	from, to string
	last     time.Duration
	limit    int
}

func (f *rangeFlags) register(cmd *cobra.Command, limit int, what string) {
	cmd.Flags().StringVar(&f.from, "from", "", "first `time` of the range: RFC 3339, a date, or epoch seconds")
	cmd.Flags().StringVar(&f.to, "to", "", "`time` the range ends before")
	cmd.Flags().IntVar(&f.limit, "limit", limit, "how many "+what+" at most; 0 means all")
}

func (f *rangeFlags) parse() (from, to model.Time, err error) {
	if from, err = parseWhen("from", f.from, model.MinTime); err != nil {
		return 0, 0, err
	}
	to, err = parseWhen("to", f.to, model.MaxTime+1)
	return from, to, err
}

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

// readFailure gives an error of reading the exit status it ends in.
func readFailure(err error) error {
	for _, usage := range []error{query.ErrRange, query.ErrLimit, query.ErrSeries, query.ErrNoTier, query.ErrNoCurrent, query.ErrNoDimension} {
		if errors.Is(err, usage) {
			return usagef("%w", err)
		}
	}
	return err
}
