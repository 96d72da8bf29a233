package promapi

import (
	"cmp"
	"context"
	"errors"
	"math"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/util/stats"
)

// instant evaluates a query at one time; the default is now.
func (a *API) instant(ctx context.Context, r request) (result, error) {
	at, err := evaluationTime(r.values, "time", a.Query.Now().Time())
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
	return r.run(ctx, q)
}

// queryRange evaluates a query at each step of a range.
func (a *API) queryRange(ctx context.Context, r request) (result, error) {
	start, err := evaluationTime(r.values, "start", time.Time{})
	if err != nil {
		return result{}, err
	}
	end, err := evaluationTime(r.values, "end", time.Time{})
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
	return r.run(ctx, q)
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
			err = badData("anchored and smoothed are not supported: they read samples before the range, " +
				"which may have expired")
		}
		return nil
	})
	return promql.NewPrometheusQueryOpts(false, 0, nil), text, err
}

// run evaluates a query, within the time and up to the number of series that the request wants.
func (r request) run(ctx context.Context, q promql.Query) (result, error) {
	defer q.Close()
	n, err := r.number("limit")
	if err != nil {
		return result{}, err
	}
	if text := r.values.Get("timeout"); text != "" {
		timeout, err := parseDuration(text)
		if err != nil {
			return result{}, badData("timeout %.32q: %v", text, err)
		}
		var stop context.CancelFunc
		ctx, stop = context.WithTimeout(ctx, timeout)
		defer stop()
	}
	found := q.Exec(ctx)
	if found.Err != nil {
		return result{}, &evaluationError{found.Err}
	}
	warnings, infos := noteTexts(found.Warnings, q.String())
	switch v := found.Value.(type) {
	case promql.Matrix:
		found.Value, warnings = limited(v, n, warnings)
	case promql.Vector:
		found.Value, warnings = limited(v, n, warnings)
	}
	data := map[string]any{"resultType": found.Value.Type(), "result": found.Value}
	if r.values.Get("stats") != "" {
		data["stats"] = stats.NewQueryStats(q.Stats())
	}
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

// number returns a number of a parameter; 0 without it.
func (r request) number(name string) (int, error) {
	text := r.values.Get(name)
	n, err := strconv.Atoi(text)
	if text != "" && (err != nil || n < 0) {
		return 0, badData("%s %.32q: want a number from 0", name, text)
	}
	return n, nil
}

// limited returns at most n values, all if n is 0, and adds a warning if there are more.
func limited[S ~[]E, E any](values S, n int, warnings []string) (S, []string) {
	const truncated = "results truncated due to limit"
	if n == 0 || n >= len(values) {
		return values, warnings
	}
	if !slices.Contains(warnings, truncated) {
		warnings = append(warnings, truncated)
	}
	return values[:n], warnings
}

// limitedResult returns at most as many values as the request wants.
func limitedResult[T any](r request, values []T, warnings []string) (result, error) {
	n, err := r.number("limit")
	values, warnings = limited(values, n, warnings)
	return result{Data: values, Warnings: warnings}, err
}

var errDuration = errors.New("want a number of seconds, or a duration such as 5m, above 0")

// parseDuration reads a step or a timeout.
func parseDuration(text string) (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(text, 64); err == nil {
		if !(seconds >= 0.001 && seconds < math.MaxInt64/float64(time.Second)) {
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

// The ends of all time, as clients of Prometheus write them.
var (
	earliest = time.UnixMilli(math.MinInt64 / 1000)
	latest   = time.UnixMilli(math.MaxInt64 / 1000)
	allTime  = map[string]time.Time{
		"-292273086-05-16T16:47:06Z": earliest, "292277025-08-18T07:12:54.999999999Z": latest,
	}
)

// parseTime reads a time, in seconds or as RFC 3339. Without a default it is required.
func parseTime(values url.Values, name string, otherwise time.Time) (time.Time, error) {
	text := values.Get(name)
	if text == "" && !otherwise.IsZero() {
		return otherwise, nil
	}
	if at, ok := allTime[text]; ok {
		return at, nil
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

// evaluationTime reads a time at which a query is evaluated. The engine counts such times in nanoseconds: it
// would evaluate at another time what is too far from 1970.
func evaluationTime(values url.Values, name string, otherwise time.Time) (time.Time, error) {
	at, err := parseTime(values, name, otherwise)
	if err == nil && (at.Year() < 1678 || at.Year() > 2261) {
		err = badData("%s %.32q: a query is evaluated from 1678 to 2261", name, values.Get(name))
	}
	return at, err
}
