package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/internal/usertime"
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

// params are the parameters of one request. Each is validated when it is read.
type params struct {
	values httpapi.Parameters
	zone   *time.Location // of days and of dates
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
	return params{values, time.UTC}, nil
}

// without returns p without some parameters.
func (p params) without(names ...string) params {
	rest := maps.Clone(p.values.Values)
	for _, name := range names {
		delete(rest, name)
	}
	return params{httpapi.Parameters{Values: rest}, p.zone}
}

func (p params) text(name string) string { return p.values.Get(name) }

// all returns the values of a repeatable parameter.
func (p params) all(name string) []string { return p.values.Values[name] }

// boolean returns a parameter that is true or false; its default is false.
func (p params) boolean(name string) (bool, error) {
	b, problem := p.values.Boolean(name)
	if problem != nil {
		return false, problem
	}
	return b, nil
}

func (p params) consistent() (bool, error) { return p.boolean("consistent") }

// number returns a whole number from 1; its default is 0.
func (p params) number(name string) (int64, error) {
	if !p.values.Has(name) {
		return 0, nil
	}
	n, err := strconv.ParseInt(p.values.Get(name), 10, 64)
	if err != nil || n < 1 {
		return 0, problemLimit.New("%s: want a whole number from 1", name)
	}
	return n, nil
}

// time returns one bound of the range, or missing if the request has none.
func (p params) time(name string, missing model.Time) (model.Time, error) {
	if !p.values.Has(name) {
		return missing, nil
	}
	text := p.values.Get(name)
	t, err := usertime.ParseIn(text, p.zone)
	if err != nil && strings.Contains(text, " ") {
		return 0, problemTime.New("%s: %v; a plus sign in a query string means a space: write %%2B", name, err)
	}
	if err != nil {
		return 0, problemTime.New("%s: %v", name, err)
	}
	return t, nil
}

// timeRange returns the range [from, to). A missing bound leaves that end open.
func (p params) timeRange() (from, to model.Time, err error) {
	if from, err = p.time("from", model.MinTime); err != nil {
		return 0, 0, err
	}
	to, err = p.time("to", model.MaxTime+1)
	return from, to, err
}

// last returns the span before now that replaces from and to; its default is 0.
func (p params) last() (time.Duration, error) {
	if !p.values.Has("last") {
		return 0, nil
	}
	span, err := usertime.ParseSpan(p.text("last"))
	switch {
	case err != nil:
		return 0, problemLast.New("last: %v", err)
	case span <= 0 || p.values.Has("from") || p.values.Has("to"):
		return 0, problemLast.New("last: want a duration of more than 0, without from and to")
	}
	return span, nil
}

// points returns the maximum number of points of a chart.
func (p params) points() (int, error) { return p.upTo("points", query.DefaultPoints, maxPoints, "") }

func (p params) limit() (int, error) { return p.limitOr(defaultLimit) }

func (p params) limitOr(missing int) (int, error) {
	return p.upTo("limit", missing, maxLimit, "; read more with next")
}

// upTo returns a whole number from 1 to most, or missing if the request has none.
func (p params) upTo(name string, missing, most int, remedy string) (int, error) {
	if !p.values.Has(name) {
		return missing, nil
	}
	n, err := strconv.Atoi(p.text(name))
	if err != nil || n < 1 || n > most {
		return 0, problemLimit.New("%s: want a whole number from 1 to %d%s", name, most, remedy)
	}
	return n, nil
}

// newest reports whether the newest comes first, or returns missing if the request has
// no order.
func (p params) newest(missing bool) (bool, error) {
	switch p.values.Get("order") {
	case "newest":
		return true, nil
	case "oldest":
		return false, nil
	}
	if p.values.Has("order") {
		return false, problemOrder.New("order: want newest or oldest, whichever comes first in the response")
	}
	return missing, nil
}

// paging holds the parameters that history and rollups share.
type paging struct {
	from, to           model.Time
	last               time.Duration // instead of from and to; 0 is none
	newest, consistent bool
	limit              int
	cursor             string
}

func (p params) paging(newestFirst bool) (g paging, err error) {
	if g.from, g.to, err = p.timeRange(); err != nil {
		return g, err
	}
	if g.last, err = p.last(); err != nil {
		return g, err
	}
	if g.newest, err = p.newest(newestFirst); err != nil {
		return g, err
	}
	if g.consistent, err = p.consistent(); err != nil {
		return g, err
	}
	g.cursor = p.text("cursor")
	g.limit, err = p.limit()
	return g, err
}
