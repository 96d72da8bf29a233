package main

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The order of an answer where the request does not say.
const (
	newestFirst = true
	oldestFirst = false
)

// How many events or rollups an answer holds.
const (
	defaultLimit = 100
	maxLimit     = 1000
	maxPoints    = 10_000
)

// params are the parameters of a request, each checked when it is read.
type params struct {
	values envelope.Parameters
}

// parseParams refuses parameters that a route does not take. Several streams are merged
// where several subjects are, and nowhere else.
func parseParams(raw string, known []string) (params, error) {
	merges := slices.Contains(known, "with")
	values, problem := envelope.ParseParameters(raw, known, func(name string) bool {
		return parameters[name].many && (name != "stream" || merges)
	})
	if problem != nil {
		return params{}, problem
	}
	return params{values}, nil
}

func (p params) text(name string) string { return p.values.Get(name) }

// time reads a bound of the range; absent means that end is open.
func (p params) time(name string, absent model.Time) (model.Time, error) {
	if !p.values.Has(name) {
		return absent, nil
	}
	text := p.values.Get(name)
	t, err := model.ParseTime(text, model.RejectFiner)
	if err != nil && strings.Contains(text, " ") {
		return 0, problemTime.New("%s: %v; a plus sign in a query string means a space: write %%2B", name, err)
	}
	if err != nil {
		return 0, problemTime.New("%s: %v", name, err)
	}
	return t, nil
}

// between is the range that the request says; an absent bound leaves that end open.
func (p params) between() (from, to model.Time, err error) {
	if from, err = p.time("from", model.MinTime); err != nil {
		return 0, 0, err
	}
	to, err = p.time("to", model.MaxTime+1)
	return from, to, err
}

// last is the span before now that the request says in place of a range; absent is 0.
func (p params) last() (time.Duration, error) {
	if !p.values.Has("last") {
		return 0, nil
	}
	span, err := time.ParseDuration(p.text("last"))
	if err != nil || span <= 0 || p.values.Has("from") || p.values.Has("to") {
		return 0, problemLast.New("want a duration as 5m or 24h, and neither from nor to beside it")
	}
	return span, nil
}

// points is how many points a chart has at most.
func (p params) points() (int, error) {
	if !p.values.Has("points") {
		return query.DefaultPoints, nil
	}
	n, err := strconv.Atoi(p.text("points"))
	if err != nil || n < 1 || n > maxPoints {
		return 0, problemLimit.New("points: want a whole number from 1 to %d", maxPoints)
	}
	return n, nil
}

func (p params) limit() (int, error) { return p.limitOr(defaultLimit) }

func (p params) limitOr(absent int) (int, error) {
	if !p.values.Has("limit") {
		return absent, nil
	}
	n, err := strconv.Atoi(p.values.Get("limit"))
	if err != nil || n < 1 || n > maxLimit {
		return 0, problemLimit.New("want a whole number from 1 to %d; go on with next for more", maxLimit)
	}
	return n, nil
}

// newest reads the order; absent is what it is where the request does not say.
func (p params) newest(absent bool) (bool, error) {
	switch p.values.Get("order") {
	case "newest":
		return true, nil
	case "oldest":
		return false, nil
	}
	if p.values.Has("order") {
		return false, problemOrder.New("want newest or oldest: the one that comes first")
	}
	return absent, nil
}

func (p params) consistent() (bool, error) { return p.boolean("consistent") }

// boolean reads a parameter that is true or false; absent is false.
func (p params) boolean(name string) (bool, error) {
	b, problem := p.values.Boolean(name)
	if problem != nil {
		return false, problem
	}
	return b, nil
}

// all are the values of a parameter that may be given several times.
func (p params) all(name string) []string { return p.values.Values[name] }

// number reads a whole number from 1; absent is 0.
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

// paging is what history and rollups have in common.
type paging struct {
	from, to           model.Time
	newest, consistent bool
	limit              int
	cursor             string
}

func (p params) paging(newestFirst bool) (g paging, err error) {
	if g.from, g.to, err = p.between(); err != nil {
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
