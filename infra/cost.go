package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/internal/ops/cost"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// prices are the monthly costs of idle resources in US dollars, from the list prices of package cost.
var prices = []struct {
	resource string
	price    func(template.Resource) float64
	why      string
}{
	{"AWS::CloudWatch::Alarm", alarmPrice, "$0.10 a metric of an alarm"},
	{"AWS::CloudWatch::CompositeAlarm", fixed(cost.CompositeAlarm.Dollars), "$0.50 a composite alarm"},
	{"AWS::CloudWatch::Dashboard", fixed(cost.Dashboard.Dollars), "$3 a dashboard"},
	{"AWS::Lambda::EventSourceMapping", eventCountPrice,
		"$0.30 a metric of event counts, of mappings that a heartbeat reaches every minute"},
	{"AWS::SecretsManager::Secret", fixed(cost.SecretMonth.Dollars), "$0.40 a secret"},
	{"AWS::WAFv2::WebACL", fixed(cost.WebACLMonth.Dollars), "$5 a web ACL, $1 its rule"},
	{"AWS::KMS::Key", fixed(cost.KeyMonth.Dollars), "$1 a key"},
	{"AWS::Kinesis::Stream", fixed(cost.StreamHour.Dollars * hoursAMonth),
		"$0.04 an hour for an on-demand stream"},
	{"AWS::ApplicationAutoScaling::ScalingPolicy", fixed(4 * cost.AlarmMetric.Dollars),
		"$0.10 an alarm, of which a policy has four"},
	{"AWS::DynamoDB::Table", tablePrice,
		"provisioned: $0.00013 an hour a read unit, $0.00065 a write unit, including indexes"},
}

const hoursAMonth = 730

func fixed(price float64) func(template.Resource) float64 {
	return func(template.Resource) float64 { return price }
}

// alarmPrice is the price of each metric that an alarm reads.
func alarmPrice(r template.Resource) float64 {
	read := 0
	metrics, _ := r.Properties["Metrics"].([]any)
	for _, m := range metrics {
		if one, _ := m.(map[string]any); one["MetricStat"] != nil {
			read++
		}
	}
	return cost.AlarmMetric.Dollars * float64(max(read, 1))
}

// eventCountPrice is the price of the event counts of a mapping of the table stream, which reads a heartbeat
// every minute: polled, and invoked or filtered out. A mapping without records publishes none.
func eventCountPrice(r template.Resource) float64 {
	if r.Properties["MetricsConfig"] == nil || r.Properties["FilterCriteria"] == nil {
		return 0
	}
	return 2 * cost.Metric.Dollars
}

type monthly struct {
	name    string
	dollars float64
	why     string
}

// atRest returns the monthly costs of an idle stage's schedules. Each minute they cause their invocations
// and a delivery of the heartbeat, two writes, and lines of logs for each invocation: two of the function
// and, unless the stage is lean, two of Lambda.
func atRest(deferred, lean bool, scheduled int) []monthly {
	const minutes = 60 * hoursAMonth
	metrics, invocations := len(telemetry.AtRest(deferred)), scheduled+1
	each := cost.Invocation.Dollars + .02*cost.GBSecond.Dollars
	logged := 1000.
	if lean {
		logged = 300
	}
	logs := minutes * float64(invocations) * logged / 1e9 * cost.LogGB.Dollars
	return []monthly{
		{name: "metrics of the functions", dollars: cost.Metric.Dollars * float64(metrics),
			why: fmt.Sprintf("$0.30 each of %d that are published every minute", metrics)},
		{name: "schedules", dollars: minutes * float64(invocations) * each,
			why: fmt.Sprintf("%d invocations a minute of 20 ms at 1 GB", invocations)},
		{name: "heartbeats", dollars: minutes * 2 * cost.WriteUnit.Dollars, why: "2 writes a minute"},
		{name: "logs", dollars: logs, why: fmt.Sprintf("%.1f KB an invocation, $0.50 a GB", logged/1000)},
	}
}

// tablePrice is 0 on demand: storage and backups are billed by size.
func tablePrice(r template.Resource) float64 {
	total := unitPrice(r.Properties)
	indexes, _ := r.Properties["GlobalSecondaryIndexes"].([]any)
	for _, i := range indexes {
		if index, ok := i.(map[string]any); ok {
			total += unitPrice(index)
		}
	}
	return total
}

func unitPrice(properties map[string]any) float64 {
	units, _ := properties["ProvisionedThroughput"].(map[string]any)
	read, _ := units["ReadCapacityUnits"].(float64)
	write, _ := units["WriteCapacityUnits"].(float64)
	return hoursAMonth * (cost.ReadHour.Dollars*read + cost.WriteHour.Dollars*write)
}

// writeCost prints the resources of a stage, and what they cost when idle and in use.
func writeCost(out io.Writer, stage config.Stage, t template.Template, settings *config.Config) error {
	all, err := t.Resources()
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, r := range all {
		counts[r.Type]++
	}
	types := slices.Sorted(maps.Keys(counts))
	var text strings.Builder
	fmt.Fprintf(&text, "tidemark-%s has %d resources:\n", stage.Name, len(all))
	for _, kind := range types {
		fmt.Fprintf(&text, "  %4d  %s\n", counts[kind], kind)
	}
	idle := writeIdleCost(&text, all, hasDeferred(settings), stage.Monitoring == config.LeanMonitoring)
	if err := writeUse(&text, settings, stage, idle); err != nil {
		return err
	}
	_, err = io.WriteString(out, text.String())
	return err
}

func writeIdleCost(text *strings.Builder, all map[string]template.Resource,
	deferred, lean bool) (total float64) {
	fmt.Fprintf(text, "\nidle cost a month (us-east-1, %s, before any free tier):\n", cost.AsOf)
	scheduled := 0
	for _, r := range all {
		if targets, ok := r.Properties["Targets"].([]any); ok && r.Properties["ScheduleExpression"] != nil {
			scheduled += len(targets)
		}
	}
	for _, p := range prices {
		sum, n := 0.0, 0
		for _, r := range all {
			if r.Type == p.resource {
				sum, n = sum+p.price(r), n+1
			}
		}
		if n > 0 {
			fmt.Fprintf(text, "  $%7.2f  %-28s %s\n", sum, strings.TrimPrefix(p.resource, "AWS::"), p.why)
			total += sum
		}
	}
	for _, c := range atRest(deferred, lean, scheduled) {
		fmt.Fprintf(text, "  $%7.2f  %-28s %s\n", c.dollars, c.name, c.why)
		total += c.dollars
	}
	fmt.Fprintf(text, "  $%7.2f  in total; requests, storage ($0.25 a GB), backups ($0.20 a GB) and logs "+
		"are billed by use\n", total)
	return total
}

// loads are examples of use, of kinds that ship.
var loads = []struct {
	name, kind string
	every      time.Duration // between two events of a series
	perDay     float64
}{
	{"1,000 readings a day", "READING", time.Minute, 1000},
	{"1,000,000 readings a day", "READING", time.Minute, 1e6},
	{"1,000,000 page views a month", "PAGEVIEW", time.Minute / 23, 1e6 * 24 / hoursAMonth},
}

// writeUse prints what examples of use cost in a stage, by the configuration, and all in.
func writeUse(text *strings.Builder, settings *config.Config, stage config.Stage, idle float64) error {
	kinds, err := settings.Catalog()
	if err != nil {
		return err
	}
	fmt.Fprintln(text, "\nin use, one event a request, a month (tidemark cost has the parts):")
	for _, l := range loads {
		kind, known := kinds.Kind(l.kind)
		if !known {
			continue
		}
		load := cost.Load{Every: l.every, Batch: 1, Sessions: cost.FoldedSessions(kinds, l.kind)}
		units, err := cost.Measure(*kind, load)
		if err != nil {
			return err
		}
		use := cost.Total(cost.Bill(units, load, *kind, &stage, l.perDay, ""))
		fmt.Fprintf(text, "  $%7.2f  %-28s with the idle cost $%.2f\n", use, l.name, use+idle)
	}
	return nil
}

// hasDeferred reports whether a kind has deferred tiers, so that aggregate's schedule sweeps.
func hasDeferred(settings *config.Config) bool {
	kinds, err := settings.Catalog()
	return err == nil && slices.ContainsFunc(kinds.Kinds, func(k catalog.Kind) bool {
		return k.Retention.HasDeferred()
	})
}
