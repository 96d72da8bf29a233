package promapi_test

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	prom "github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/promql"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The same engine over all samples of a tier has the same result as the API, which reads of each selector
// only what its range, offset, @ and subqueries need.
func TestQuery_EqualsTheEngineOverAllSamples(t *testing.T) {
	for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Week, tier.Month} {
		t.Run(unit.String(), func(t *testing.T) {
			a, from := newTierAPI(t, unit)
			stored := archiveTier(t, a, unit, from)
			met := map[string]int{}
			rapid.Check(t, func(t *rapid.T) {
				d := draw{t: t, unit: unit, from: from}
				met[d.compare(a, stored)]++
			})
			t.Logf("queries by result: %v", met)
			if met["samples"] == 0 || met["no samples"] == 0 {
				t.Errorf("%v: want queries with samples and without", met)
			}
		})
	}
}

// compare sends a query to the API, and to its engine over all samples, and returns which result both have.
func (d draw) compare(a *promapi.API, stored *archive) string {
	for range 3 {
		d.times = append(d.times, inSeconds(d.at()))
	}
	text := d.vector(d.n(0, 3))
	path, params := "query", url.Values{"query": {text}}
	var want promql.Query
	var err error
	if start := d.at(); d.n(0, 1) == 0 {
		params.Set("time", inSeconds(start))
		want, err = a.Engine.NewInstantQuery(d.t.Context(), stored, nil, text, start.Time())
	} else {
		step := d.step()
		end := start.Add(time.Duration(d.n(0, 40)) * step)
		path = "query_range"
		params.Set("start", inSeconds(start))
		params.Set("end", inSeconds(end))
		params.Set("step", strconv.FormatFloat(step.Seconds(), 'f', 3, 64))
		want, err = a.Engine.NewRangeQuery(d.t.Context(), stored, nil, text, start.Time(), end.Time(), step)
	}
	r := a.Serve(d.t.Context(), &httpapi.Request{
		Method: "POST", Path: httpapi.PrometheusPath + "/api/v1/" + path, Body: params.Encode(),
	})
	if err != nil {
		d.require(r.Status == http.StatusBadRequest, params, r, err)
		return "refused"
	}
	defer want.Close()
	found := want.Exec(d.t.Context())
	switch {
	case r.Status == http.StatusBadRequest && strings.Contains(r.Body, "at most"):
		return "beyond a limit"
	case found.Err != nil:
		d.require(r.Status == http.StatusUnprocessableEntity, params, r, found.Err)
		return "error"
	}
	d.require(r.Status == http.StatusOK, params, r, nil)
	samples := decodeSamples(d.t, found.Value)
	var body struct {
		Data struct{ Result json.RawMessage }
	}
	if err := json.Unmarshal([]byte(r.Body), &body); err != nil {
		d.t.Fatal(err)
	}
	if problem := diffMatrices(decodeSamples(d.t, body.Data.Result), samples); problem != "" {
		d.t.Fatalf("%v: %s", params, problem)
	}
	if len(samples) == 0 {
		return "no samples"
	}
	return "samples"
}

func (d draw) require(ok bool, params url.Values, r httpapi.Response, want error) {
	if !ok {
		d.t.Fatalf("%v: %d %s, want error %v", params, r.Status, r.Body, want)
	}
}

// decodeSamples returns a matrix or a vector, as the engine has it or as JSON, as a matrix.
func decodeSamples(t *rapid.T, result any) (m prom.Matrix) {
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var series []struct {
		Metric prom.Metric
		Value  *prom.SamplePair
		Values []prom.SamplePair
	}
	if err := json.Unmarshal(text, &series); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, s := range series {
		if s.Value != nil {
			s.Values = append(s.Values, *s.Value)
		}
		m = append(m, &prom.SampleStream{Metric: s.Metric, Values: s.Values})
	}
	return m
}

// newTierAPI returns an API over rows of one tier, of 120 buckets up to now.
func newTierAPI(t *testing.T, unit tier.Unit) (*promapi.API, model.Time) {
	t.Helper()
	from := unit.BucketAt(now).Start
	for range 120 {
		from = unit.BucketAt(from - 1).Start
	}
	readings := iot.Readings
	readings.Measures = []rollup.MeasureSpec{
		{Name: "energy", Scale: 3, Percentiles: true, Counter: true},
		{Name: "temperature", Scale: 3, Percentiles: true},
	}
	readings.Retention = tier.Policy{
		Raw: tier.Forever, Tiers: []tier.Tier{{Unit: unit, Retention: tier.Forever}},
	}
	kinds, err := catalog.New(readings)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	table, kind := memory.New(clock), &kinds.Kinds[0]
	for n, subject := range fleet {
		rows := map[model.Time]*rollup.Row{}
		level := int64(1000)
		for i, when := 0, from; when < now; i, when = i+1, when.Add(unit.Longest()/3) {
			level += int64(i*(n+3)) % 17
			if i%23 == 7 {
				level = 3
			}
			if attrs := tierReading(n, i, level); len(attrs) > 0 {
				addReading(kind, subject, rows, unit, when, attrs)
			}
		}
		for _, row := range rows {
			row.Exact = int64(row.Key.Start/3_600_000)%5 != 0
			row.Rev, row.WrittenAt = rollup.Rev{1}, now
			if _, err := table.PutRow(t.Context(), row, rollup.Rev{}); err != nil {
				t.Fatal(err)
			}
		}
		series := kind.Series(subject, "", model.Order{})
		listed := storage.ListedSeries{Series: series, First: from, Last: now}
		if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
			t.Fatal(err)
		}
	}
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	return &promapi.API{
		Catalog: kinds, Query: &query.Service{Store: table, Now: clock}, Log: log,
		Engine: promapi.NewEngine(log, time.Minute), Limits: config.Default().Limits,
	}, from
}

// tierReading is the i-th reading of a subject; nil if it has none. Measures pause at different times, and a
// temperature is a text in some buckets.
func tierReading(subject, i int, level int64) (attrs model.Attrs) {
	number := func(name string, n int64) {
		attrs = append(attrs, model.Attr{Name: name, Value: model.NumberValue(model.NewDecimal(n))})
	}
	bucket := i / 3
	pauses := subject == 1 && (bucket%11 < 3 || bucket/24 == 2)
	if pauses && bucket%11 == 1 {
		return nil
	}
	if subject == 2 && bucket%2 == 0 {
		number("battery.level", int64(i%5))
	}
	if !pauses {
		number("energy", level)
	}
	switch {
	case bucket%7 == 3:
		attrs = append(attrs, model.Attr{Name: "temperature", Value: model.TextValue("bad")})
	case bucket%13 != 5:
		number("temperature", int64(i*(subject+7))%97-30)
	}
	return attrs
}
