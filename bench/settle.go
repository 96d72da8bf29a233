package bench

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// latency is the duration of a request to the table in the sections below.
const latency = 5 * time.Millisecond

// plainStore is a table that uses the standard libraries only: it reads rows one by one,
// and events through the SDK's maps.
type plainStore struct {
	client *dynamodb.Client
	table  *dynamo.Table
}

func (s plainStore) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	return s.table.Row(ctx, key)
}

func (s plainStore) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	events, err := standardEvents(ctx, s.client, r)
	return storage.EventPage{Events: events}, err
}

func (s plainStore) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	return s.table.Rows(ctx, unit, r)
}

func (s plainStore) PutRow(ctx context.Context, row *rollup.Row,
	prev rollup.Rev) (storage.WriteResult, error) {
	return s.table.PutRow(ctx, row, prev)
}

func kinds() *catalog.Catalog { return must(catalog.New(iot.Kinds()...)) }

func aggregator(store aggregate.Store) *aggregate.Aggregator {
	return &aggregate.Aggregator{Store: store, Catalog: kinds(), Now: func() model.Time {
		return began + 3600_000
	}}
}

// settleOurs is an invocation of the aggregate function, from payload to response.
func settleOurs(d *tablestream.Decoder, a *aggregate.Aggregator, payload []byte) {
	report := a.Process(context.Background(), must(d.Decode(payload)).Changes)
	if len(report.Failures) > 0 {
		panic(report.Failures[0].Err)
	}
	keep(report.Written)
}

func settleStandard(a *aggregate.Aggregator, payload []byte) {
	report := a.Process(context.Background(), must(standardDecode(payload)))
	if len(report.Failures) > 0 {
		panic(report.Failures[0].Err)
	}
	keep(report.Written)
}

func settling(o options) *section {
	s := &section{
		title: "An invocation of aggregate",
		intro: fmt.Sprintf("A batch of 1,000 events, k of each series, from payload to response, with a table in the same process that responds to "+
			"every request after %v. It includes decoding, recomputing hour, day and month of each series, writing the rows, and all "+
			"work of the SDK, on this machine's cores. The standard way decodes as above and reads rows one by one and events "+
			"through the SDK's maps, with the same aggregator. *Deferred*, as shipped, is an hour of series that "+
			"report once a minute: each batch of the hour, the sweep of its hours, and the sweep of a 24th of its "+
			"days. *Immediate* is ours with `mode: immediate`.", latency),
		head: []string{"k", "way", "billed ms per 1,000 events (range)", "times deferred (range)"},
	}
	const n = 1000
	deferring, hour := deferringKinds(), eventsPage(hourOfEvents("sensor_0001", eventsAnHour))
	goals := map[int]float64{1: 6, 60: 3} // by k
	for _, k := range []int{1, 10, 60} {
		payload := streamPayload(n, (n+k-1)/k, fixed)
		server := &service{latency: latency, events: eventsPage(hourOfEvents("sensor_0001", k))}
		client := server.client()
		table := dynamo.New(client, "tidemark")
		var d tablestream.Decoder
		ours, standard := aggregator(table), aggregator(plainStore{client, table})
		samples := race(o.rounds, o.each,
			contender{name: "deferred", per: n * eventsAnHour / k, run: func() {
				settleDeferredHour(deferring, hour, payload, eventsAnHour/k)
			}},
			contender{name: "immediate", per: n, run: func() { settleOurs(&d, ours, payload) }},
			contender{name: "standard way", per: n, run: func() { settleStandard(standard, payload) }},
		)
		if least := goals[k]; least > 0 {
			r, spread := samples["deferred"].ratio(samples["standard way"])
			what := fmt.Sprintf("the standard way takes ≥ %v × the time of deferred tiers at k = %d", least, k)
			s.goal(r >= least, what, "%s × (%s)", short(r), spread)
		}
		for _, way := range []string{"deferred", "immediate", "standard way"} {
			r, spread := samples["deferred"].ratio(samples[way])
			ms := func(ns float64) string { return short(ns * n / 1e6) }
			s.row(fmt.Sprint(k), way, fmt.Sprintf("%s (%s–%s)", ms(samples[way].median()), ms(least(samples[way].ns)),
				ms(most(samples[way].ns))), fmt.Sprintf("%s (%s)", short(r), spread))
		}
	}
	s.note("At k = 60 an hour of a series is in one batch, so nothing is saved by deferring: its batch puts " +
		"invalidations, and its sweep reads them, folds, writes and deletes, each after the other. Such batches " +
		"are what `mode: immediate` is for.")
	s.note("Most of the time is waiting for the table. A row takes a read of its children and a write, 64 concurrently, tier after " +
		"tier. Rows are read ahead, a hundred in a request.")
	return s
}

// growth measures how the time of a batch grows with its series, without latency.
func growth(o options) *section {
	server := &service{events: eventsPage(hourOfEvents("sensor_0001", 1))}
	table := dynamo.New(server.client(), "tidemark")
	var few, many tablestream.Decoder
	small, large := streamPayload(700, 700, fixed), streamPayload(7000, 7000, fixed)
	a := aggregator(table)
	samples := race(o.rounds, o.each,
		contender{name: "700 series", per: 1, run: func() { settleOurs(&few, a, small) }},
		contender{name: "7,000 series", per: 1, run: func() { settleOurs(&many, a, large) }},
	)
	s := &section{
		title: "Ten times the series",
		intro: "A batch with one event of each series, from payload to response, with a table without latency: processor time only, " +
			"including the SDK's.",
		head: []string{"batch", "ms (range)"},
	}
	for _, name := range []string{"700 series", "7,000 series"} {
		x := samples[name]
		s.row(name, fmt.Sprintf("%s (%s–%s)", short(x.median()/1e6), short(least(x.ns)/1e6), short(most(x.ns)/1e6)))
	}
	o.cpu.look = time.Duration(samples["7,000 series"].median() / (7000 * 3)) // hour, day and month
	r, spread := samples["700 series"].ratio(samples["7,000 series"])
	s.goal(r <= 10.5, "10 × the series in ≤ 10.5 × the time", "%s × (%s)", short(r), spread)
	return s
}
