package plausible

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// This file says when a site began: its oldest stored event, or an older one that the list of series has.

// allTime is the name of the range that ends today and has all before.
const allTime = `"all"`

// beginAll lets a range of all time begin on the day on which the site began, which is today without any
// event: periods would otherwise be cut for years without the site.
func (r *run) beginAll(ctx context.Context, table *query.Service, all span) (span, error) {
	first := min(table.Now(), all.to-1)
	for _, series := range r.series() {
		listed, isListed, err := table.FirstEvent(ctx, series)
		if err != nil {
			return all, err
		}
		if isListed {
			first = min(first, listed)
		}
		q := query.History{Series: series, From: all.from, To: all.to, Limit: 1}
		for e, err := range table.EachEvent(ctx, q) {
			if err != nil {
				return all, err
			}
			first = min(first, e.At)
			break
		}
	}
	y, m, d := first.Time().In(all.zone).Date()
	all.from = max(all.from, all.day(y, m, d))
	return all, nil
}

// series are the series of page views and custom events that a query counts.
func (r *run) series() (all []query.Series) {
	for _, name := range []string{views, events} {
		kind, ok := r.kinds.Kind(name)
		if !ok {
			continue
		}
		for _, stream := range r.streams() {
			all = append(all, query.Series{Kind: kind, Subject: r.Site, Stream: stream})
		}
	}
	return all
}

// streams are the streams of people and, on request, of what was imported.
func (r *run) streams() []string {
	if r.Include.Imports {
		return []string{"", webfield.ImportedStream}
	}
	return []string{""}
}

// beganAfter reports whether the site is listed and no event of the query is older than a time: the events of
// a new site are complete however long ago the range begins.
func (r *run) beganAfter(ctx context.Context, table *query.Service, at model.Time) (bool, error) {
	for _, series := range r.series() {
		first, listed, err := table.FirstEvent(ctx, series)
		known := listed || series.Kind.Name != views || series.Stream != ""
		if err != nil || !known || listed && first < at {
			return false, err
		}
	}
	return true, nil
}

// unlisted returns the ranges of a progress from which the list of series may lack events that have expired:
// those that were stored before a time.
func unlisted(p query.Progress, at model.Time) (lacks query.Progress) {
	if p.KnownThrough(at) < at {
		lacks.ProcessedThrough = p.ProcessedThrough
	}
	lacks.Unprocessed = slices.DeleteFunc(slices.Clone(p.Unprocessed),
		func(u query.Unprocessed) bool { return u.From >= at })
	return lacks
}
