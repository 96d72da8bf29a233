package promapi

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

// instant evaluates a query at one time; the default is now.
func (a *API) instant(ctx context.Context, r request) (result, error) {
	at, err := parseTime(r.values, "time", a.Query.Now().Time())
	if err != nil {
		return result{}, err
	}
	opts, text, err := r.evaluation(0, time.Second)
	if err != nil {
		return result{}, err
	}
	q, err := a.Engine.NewInstantQuery(ctx, a, opts, text, at)
	if err != nil {
		return result{}, badData("%v", err)
	}
	return a.run(ctx, q)
}

// queryRange evaluates a query at each step of a range.
func (a *API) queryRange(ctx context.Context, r request) (result, error) {
	start, err := parseTime(r.values, "start", time.Time{})
	if err != nil {
		return result{}, err
	}
	end, err := parseTime(r.values, "end", time.Time{})
	if err != nil {
		return result{}, err
	}
	step, err := parseDuration(r.values.Get("step"))
	switch {
	case err != nil:
		return result{}, badData("step %.32q: %v", r.values.Get("step"), err)
	case end.Before(start):
		return result{}, badData("end is before start")
	case end.Sub(start)/step > maxPoints:
		return result{}, badData("the range has more than %d steps: use a longer step or a shorter range",
			maxPoints)
	}
	opts, text, err := r.evaluation(end.Sub(start), step)
	if err != nil {
		return result{}, err
	}
	q, err := a.Engine.NewRangeQuery(ctx, a, opts, text, start, end, step)
	if err != nil {
		return result{}, badData("%v", err)
	}
	return a.run(ctx, q)
}

// evaluation returns the text of a query and its options. span is the length of the range in which it is
// evaluated at each step. A parameter that would change the result and is not supported is an error.
func (r request) evaluation(span, step time.Duration) (promql.QueryOpts, string, error) {
	text := r.values.Get("query")
	switch {
	case text == "":
		return nil, "", badData("query is missing")
	case r.values.Has("lookback_delta"):
		return nil, "", badData(
			"lookback_delta is not supported: a sample is valid until the end of the next bucket")
	}
	if err := short("query", text); err != nil {
		return nil, "", err
	}
	expr, err := promQL.ParseExpr(text)
	if err != nil {
		return nil, "", badData("%v", err)
	}
	if err := cmp.Or(checkSteps(expr, span), checkWork(expr, span, step)); err != nil {
		return nil, "", err
	}
	parser.Inspect(expr, func(n parser.Node, _ []parser.Node) error {
		if s, ok := n.(*parser.VectorSelector); ok && (s.Anchored || s.Smoothed) {
			err = badData("anchored and smoothed are not supported: they read samples before the range, which may have expired")
		}
		return nil
	})
	return promql.NewPrometheusQueryOpts(false, 0, nil), text, err
}

func (a *API) run(ctx context.Context, q promql.Query) (result, error) {
	defer q.Close()
	found := q.Exec(ctx)
	if found.Err != nil {
		return result{}, &evaluationError{found.Err}
	}
	warnings, infos := found.Warnings.AsStrings(q.String(), 10, 10)
	data := map[string]any{"resultType": found.Value.Type(), "result": found.Value}
	return result{Data: data, Warnings: warnings, Infos: infos}, nil
}

// eachSelector calls read for each match[] selector; without any, for all series.
func (r request) eachSelector(required bool, read func([]*labels.Matcher) error) error {
	selectors := r.values["match[]"]
	switch {
	case len(selectors) == 0 && required:
		return badData("match[] is missing")
	case len(selectors) == 0:
		return read(nil)
	case len(selectors) > maxSelectors:
		return badData("%d selectors match[], at most %d", len(selectors), maxSelectors)
	}
	for _, text := range selectors {
		if err := short("match[]", text); err != nil {
			return err
		}
		matchers, err := promQL.ParseMetricSelector(text)
		if err != nil {
			return badData("match[] %.64q: %v", text, err)
		}
		if err := read(matchers); err != nil {
			return err
		}
	}
	return nil
}

// limited returns at most as many values as the request wants, with a warning if there are more.
func limited[T any](r request, values []T) (result, error) {
	text := r.values.Get("limit")
	n, err := strconv.Atoi(text)
	switch {
	case text != "" && (err != nil || n < 0):
		return result{}, badData("limit %.32q: want a number from 0", text)
	case n > 0 && n < len(values):
		return result{Data: values[:n], Warnings: []string{"results truncated due to limit"}}, nil
	}
	return result{Data: values}, nil
}

var errDuration = errors.New("want a number of seconds, or a duration such as 5m, above 0")

// parseDuration reads a step.
func parseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if !(seconds >= 0.001 && seconds < 1e9) {
			return 0, errDuration
		}
		return time.Duration(seconds * float64(time.Second)), nil
	}
	d, err := model.ParseDuration(text)
	if err != nil || time.Duration(d) < time.Millisecond {
		return 0, errDuration
	}
	return time.Duration(d), nil
}

// parseTime reads a time, in seconds or as RFC 3339. Without a default it is required.
func parseTime(values url.Values, name string, otherwise time.Time) (time.Time, error) {
	text := values.Get(name)
	if text == "" && !otherwise.IsZero() {
		return otherwise, nil
	}
	if seconds, err := strconv.ParseFloat(text, 64); err == nil && math.Abs(seconds) < 1e11 {
		return time.UnixMilli(int64(math.Round(seconds * 1000))).UTC(), nil
	}
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return at, badData("%s %.32q: want seconds since 1970, or a time such as 2026-04-20T14:00:00Z", name, text)
	}
	return at, nil
}
