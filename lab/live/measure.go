package live

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/lab/loggers"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// smoke runs the smoke test on the stack.
func (a *account) smoke(ctx context.Context) (string, error) {
	return a.command(ctx, a.checkout, "bin/tidemark", "smoke", "--table", a.outputs["TableName"], "--url",
		a.outputs["ApiUrl"])
}

// oracle sends the extract of the logger data, and compares each bucket with an independent oracle.
func (r *run) oracle(ctx context.Context) (string, error) {
	expects, err := loggers.ReadOracle(r.expected)
	if err != nil {
		return "", err
	}
	r.Oracle = window{From: r.now()}
	sent, err := r.tidemark(ctx, "replay", "--batch", "100", "--map", loggers.Map, r.data)
	if err != nil {
		return "", err
	}
	table, result := dynamo.New(r.db, r.outputs["TableName"]), loggers.Result{}
	err = r.until(ctx, 5*time.Minute, func() (bool, error) {
		rows, err := loggers.Rows(ctx, table)
		result = loggers.Compare(ofSeries(rows, expects), expects)
		return len(result.Wrong) == 0, err
	})
	r.Oracle.To = r.now()
	for key, e := range expects {
		if key.Tier == tier.Hour.String() {
			r.Oracle.Events += int(e.Count + e.Invalid)
		}
	}
	if errors.Is(err, errNotSeen) {
		err = fmt.Errorf("%d of %d buckets are wrong: %.3q", len(result.Wrong), len(expects), result.Wrong)
	}
	return fmt.Sprintf("%d of %d buckets equal; %s", result.Equal, result.Buckets,
		firstLine(strings.TrimSpace(sent))), err
}

// ofSeries returns the rows of the series that are expected.
func ofSeries(rows []rollup.Row, expects map[rollup.Key]loggers.Expect) []rollup.Row {
	series := map[model.Series]bool{}
	for k := range expects {
		series[k.Series] = true
	}
	return slices.DeleteFunc(rows, func(row rollup.Row) bool { return !series[row.Key.Series] })
}

// price is a list price of us-east-1, November 2026, in dollars a million.
type price struct {
	what, namespace, metric string
	million                 float64
	dimensions              []string
}

func (r *run) prices() []price {
	table := []string{"Name=TableName,Value=" + r.outputs["TableName"]}
	id, _, _ := strings.Cut(strings.TrimPrefix(r.outputs["ApiUrl"], "https://"), ".")
	all := []price{
		{
			what: "write units", namespace: "AWS/DynamoDB", metric: "ConsumedWriteCapacityUnits",
			million: 0.625, dimensions: table,
		},
		{
			what: "read units", namespace: "AWS/DynamoDB", metric: "ConsumedReadCapacityUnits",
			million: 0.125, dimensions: table,
		},
		{
			what: "requests of the API", namespace: "AWS/ApiGateway", metric: "Count", million: 1,
			dimensions: []string{"Name=ApiId,Value=" + id},
		},
	}
	for _, f := range []string{"ingest", "aggregate"} {
		name := []string{"Name=FunctionName,Value=" + r.stack + "-" + f}
		memory := map[string]float64{"ingest": 0.5, "aggregate": 1}[f]
		all = append(all, price{
			what: "invocations of " + f, namespace: "AWS/Lambda", metric: "Invocations", million: 0.2,
			dimensions: name,
		}, price{
			what: "milliseconds of " + f, namespace: "AWS/Lambda", metric: "Duration",
			million: 0.0000133334 * memory * 1000, dimensions: name,
		})
	}
	return all
}

// bill counts what the whole run and what the oracle's events consumed, beside what tidemark cost says
// of them.
func (r *run) bill(ctx context.Context) (string, error) {
	var out strings.Builder
	total, forEvents := 0.0, map[string]float64{}
	for _, p := range r.prices() {
		all, err := r.sum(ctx, p.namespace, p.metric, r.Began, p.dimensions...)
		if err != nil {
			return "", err
		}
		of, err := r.between(ctx, p)
		if err != nil {
			return "", err
		}
		forEvents[p.what] = of
		total += all * p.million / 1e6
		fmt.Fprintf(&out, "%s: %.0f, $%.4f; of them %.0f for the oracle\n", p.what, all, all*p.million/1e6, of)
	}
	events := max(1, r.Oracle.Events)
	said, err := r.tidemark(ctx, "cost", "READING", "--rate", "4/h", "--batch", "100")
	if err != nil {
		return "", err
	}
	fmt.Fprintf(&out, "%d events of the oracle: %.2f write units and %.2f read units an event; "+
		"tidemark cost --rate 4/h --batch 100 says\n%s",
		r.Oracle.Events, forEvents["write units"]/float64(events), forEvents["read units"]/float64(events), said)
	if total > dollars {
		err = fmt.Errorf("$%.2f are more than $%.0f:\n%s", total, dollars, &out)
	}
	return fmt.Sprintf("$%.4f in all, without the hourly parts of metrics, alarms and the key, "+
			"and without the second stage\n%s", total, &out),
		err
}

// between returns the sum of a metric while the oracle's events were processed.
func (r *run) between(ctx context.Context, p price) (float64, error) {
	words := []string{"cloudwatch", "get-metric-statistics", "--namespace", p.namespace, "--metric-name",
		p.metric, "--start-time", r.Oracle.From.UTC().Format(time.RFC3339), "--end-time",
		r.Oracle.To.Add(time.Minute).UTC().Format(time.RFC3339),
		"--period", "60", "--statistics", "Sum", "--query", "sum(Datapoints[].Sum)", "--dimensions"}
	return r.number(ctx, append(words, p.dimensions...)...)
}
