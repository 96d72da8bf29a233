package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The default order of a response.
const (
	newestFirst = true
	oldestFirst = false
)

// The limits of a response: events or rollups, and points of a chart.
const (
	defaultLimit = 100
	maxLimit     = 1000
	maxPoints    = 10_000
)

// params are the parameters of one request. Each is validated when it is read: before what was read is
// used, check err.
type params struct {
	values httpapi.Parameters
	zone   *time.Location // of days and of dates
	failed *error         // about the first parameter that is invalid
}

// err returns the problem of the first invalid parameter among those that were read.
func (p params) err() error { return *p.failed }

func (p params) fail(problem error) {
	if *p.failed == nil {
		*p.failed = problem
	}
}

// parseParams returns a problem for a parameter that is not in known. Only a route that
// merges several subjects accepts several streams.
func parseParams(raw string, known []string) (params, error) {
	merges := slices.Contains(known, "with")
	values, problem := httpapi.ParseParameters(raw, known, func(name string) bool {
		return repeatable()[name] && (name != "stream" || merges)
	})
	if problem != nil {
		return params{}, problem
	}
	return params{values: values, zone: time.UTC, failed: new(error)}, nil
}

// without returns p without some parameters.
func (p params) without(names ...string) params {
	rest := maps.Clone(p.values.Values)
	for _, name := range names {
		delete(rest, name)
	}
	return params{values: httpapi.Parameters{Values: rest}, zone: p.zone, failed: p.failed}
}

func (p params) text(name string) string { return p.values.Get(name) }

// all returns the values of a repeatable parameter.
func (p params) all(name string) []string { return p.values.Values[name] }

// boolean returns a parameter that is true or false; its default is false.
func (p params) boolean(name string) bool {
	b, problem := p.values.Boolean(name)
	if problem != nil {
		p.fail(problem)
	}
	return b
}

func (p params) consistent() bool { return p.boolean("consistent") }

// number returns a whole number from 1; its default is 0.
func (p params) number(name string) int64 {
	n, err := strconv.ParseInt(p.values.Get(name), 10, 64)
	if p.values.Has(name) && (err != nil || n < 1) {
		p.fail(problemBadLimit.New("%s: want a whole number from 1", name))
	}
	return n
}

// time returns one bound of the range, or missing if the request has none.
func (p params) time(name string, missing model.Time) model.Time {
	if !p.values.Has(name) {
		return missing
	}
	text := p.values.Get(name)
	t, err := times.ParseIn(text, p.zone)
	switch {
	case err != nil && strings.Contains(text, " "):
		p.fail(problemBadTime.New("%s: %v; a plus sign in a query string means a space: write %%2B", name, err))
	case err != nil:
		p.fail(problemBadTime.New("%s: %v", name, err))
	}
	return t
}

// timeRange returns the range [from, to). A missing bound leaves that end open.
func (p params) timeRange() (from, to model.Time) {
	return p.time("from", model.MinTime), p.time("to", model.MaxTime+1)
}

// last returns the span before now that replaces from and to; its default is 0.
func (p params) last() time.Duration {
	if !p.values.Has("last") {
		return 0
	}
	span, err := times.ParseSpan(p.text("last"))
	switch {
	case err != nil:
		p.fail(problemBadSpan.New("last: %v", err))
	case span <= 0 || p.values.Has("from") || p.values.Has("to"):
		p.fail(problemBadSpan.New("last: want a duration of more than 0, without from and to"))
	}
	return span
}

// silentByDefault is the span of a request for silent subjects that names none.
const silentByDefault = 30 * time.Minute

// silentFor returns the span of a request for silent subjects.
func (p params) silentFor() time.Duration {
	if !p.values.Has("for") {
		return silentByDefault
	}
	span, err := times.ParseSpan(p.text("for"))
	if err != nil || span <= 0 {
		p.fail(problemBadSpan.New("for: want a duration of more than 0, such as 30m"))
	}
	return span
}

// points returns the maximum number of points of a chart.
func (p params) points() int { return p.upTo("points", query.DefaultPoints, maxPoints, "") }

func (p params) limit() int { return p.limitOr(defaultLimit) }

func (p params) limitOr(missing int) int {
	return p.upTo("limit", missing, maxLimit, "; read more with next")
}

// upTo returns a whole number from 1 to most, or missing if the request has none.
func (p params) upTo(name string, missing, most int, remedy string) int {
	if !p.values.Has(name) {
		return missing
	}
	n, err := strconv.Atoi(p.text(name))
	if err != nil || n < 1 || n > most {
		p.fail(problemBadLimit.New("%s: want a whole number from 1 to %d%s", name, most, remedy))
	}
	return n
}

// newest reports whether the newest comes first, or returns missing if the request has
// no order.
func (p params) newest(missing bool) bool {
	order := p.values.Get("order")
	if p.values.Has("order") && order != "newest" && order != "oldest" {
		p.fail(problemBadOrder.New("order: want newest or oldest, whichever comes first in the response"))
	}
	return order == "newest" || missing && order != "oldest"
}

// paging holds the parameters that history and rollups share.
type pageRange struct {
	from, to           model.Time
	last               time.Duration // instead of from and to; 0 is none
	newest, consistent bool
	limit              int
	cursor             string
}

func (p params) paging(newestFirst bool) pageRange {
	from, to := p.timeRange()
	return pageRange{
		from: from, to: to, last: p.last(), newest: p.newest(newestFirst), consistent: p.consistent(),
		limit: p.limit(), cursor: p.text("cursor"),
	}
}
