package deployment

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/telemetry"
)

// Health is what CloudWatch knows of a stack.
type Health struct {
	Alarms []Alarm `json:"alarms"` // those that are on first
	// sums of the last 24 hours, by the name of each published metric
	Metrics map[string]float64 `json:"metrics"`
	Day     Capacity           `json:"day"`   // of the last 24 hours
	Month   Capacity           `json:"month"` // since the month began, in UTC
}

// Alarm is an alarm of a stack. Meaning is what has happened and what to do first.
type Alarm struct {
	Name    string    `json:"name"`
	State   string    `json:"state"` // OK, ALARM or INSUFFICIENT_DATA
	Since   time.Time `json:"since"`
	Meaning string    `json:"meaning"`
}

// Capacity is what a table consumed, in units.
type Capacity struct {
	Reads  float64 `json:"reads"`
	Writes float64 `json:"writes"`
}

// CloudWatch is the part of its client that ReadHealth uses.
type CloudWatch interface {
	cloudwatch.DescribeAlarmsAPIClient
	cloudwatch.GetMetricDataAPIClient
}

// shown are the metrics in Health. Each that is read costs a hundredth of a thousandth of a dollar.
var shown = append(telemetry.Decided(),
	telemetry.Quarantined, telemetry.Recomputations, telemetry.RowsWritten, telemetry.RowsInexact,
	telemetry.UnreadableEvents, telemetry.BatchFailures)

// ReadHealth reads the alarms and metrics of a stack and the capacity that its table consumed. It
// needs cloudwatch:DescribeAlarms and cloudwatch:GetMetricData. name is the stack's. A metric that its
// functions publish has a sum, 0 if it had no value; of a metric that a lean stage does not publish nothing
// is known.
func ReadHealth(ctx context.Context, c CloudWatch, name string, stack Stack, now time.Time) (Health, error) {
	table := stack.Table
	found, err := readAlarms(ctx, c, name)
	if err != nil {
		return Health{}, fmt.Errorf("read the alarms of stack %s: %w", name, err)
	}
	published := publishedBy(stack)
	queries := append(metricQueries(name, published), consumed(table)...)
	day, err := sums(ctx, c, queries, now.Add(-24*time.Hour), now)
	if err != nil {
		return Health{}, fmt.Errorf("read the metrics of stack %s: %w", name, err)
	}
	month, err := sums(ctx, c, consumed(table),
		time.Date(now.UTC().Year(), now.UTC().Month(), 1, 0, 0, 0, 0, time.UTC), now)
	if err != nil {
		return Health{}, fmt.Errorf("read the capacity of table %s: %w", table, err)
	}
	h := Health{Alarms: found, Day: newCapacity(day), Month: newCapacity(month), Metrics: day}
	delete(h.Metrics, consumedReads)
	delete(h.Metrics, consumedWrites)
	for _, d := range published {
		h.Metrics[string(d.Metric)] += 0 // a zero is not published
	}
	return h, nil
}

// publishedBy returns the rows of the shown metrics that a stack publishes.
func publishedBy(stack Stack) []telemetry.Definition {
	lean := stack.Monitoring == string(config.LeanMonitoring)
	return slices.DeleteFunc(telemetry.Catalogue(), func(d telemetry.Definition) bool {
		return !slices.Contains(shown, d.Metric) || lean && d.Alarm == nil
	})
}

func readAlarms(ctx context.Context, c CloudWatch, stack string) (all []Alarm, err error) {
	all = []Alarm{}
	pages := cloudwatch.NewDescribeAlarmsPaginator(c,
		&cloudwatch.DescribeAlarmsInput{AlarmNamePrefix: aws.String(stack + "-"),
			AlarmTypes: []types.AlarmType{types.AlarmTypeMetricAlarm}})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, a := range page.MetricAlarms {
			all = append(all, Alarm{Name: aws.ToString(a.AlarmName), State: string(a.StateValue),
				Since: aws.ToTime(a.StateUpdatedTimestamp), Meaning: aws.ToString(a.AlarmDescription)})
		}
	}
	slices.SortStableFunc(all, func(a, b Alarm) int {
		return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Name, b.Name)) // ALARM is the first word
	})
	return all, nil
}

// metricQueries returns the queries for metrics: one for each function that publishes one.
func metricQueries(stack string, published []telemetry.Definition) (all []types.MetricDataQuery) {
	for _, d := range published {
		for _, function := range d.Metric.Publishers() {
			all = append(all, sumQuery(string(d.Metric), telemetry.DefaultNamespace, telemetry.DimensionFunction,
				stack+"-"+function))
		}
	}
	return all
}

// AWS's names of the units that a table consumed.
const (
	consumedReads  = "ConsumedReadCapacityUnits"
	consumedWrites = "ConsumedWriteCapacityUnits"
)

func consumed(table string) []types.MetricDataQuery {
	return []types.MetricDataQuery{sumQuery(consumedReads, "AWS/DynamoDB", "TableName", table),
		sumQuery(consumedWrites, "AWS/DynamoDB", "TableName", table)}
}

func newCapacity(sums map[string]float64) Capacity {
	return Capacity{Reads: sums[consumedReads], Writes: sums[consumedWrites]}
}

// sumQuery returns the query for the hourly sums of a metric, with its name as the label.
func sumQuery(name, namespace, dimension, value string) types.MetricDataQuery {
	return types.MetricDataQuery{Label: &name, MetricStat: &types.MetricStat{
		Stat: aws.String("Sum"), Period: aws.Int32(3600),
		Metric: &types.Metric{Namespace: &namespace, MetricName: &name,
			Dimensions: []types.Dimension{{Name: &dimension, Value: &value}}},
	}}
}

// sums returns the sum of each metric in a range of time, by its label.
func sums(ctx context.Context, c CloudWatch, queries []types.MetricDataQuery,
	from, to time.Time) (map[string]float64, error) {
	for i := range queries {
		queries[i].Id = aws.String(fmt.Sprintf("m%d", i))
	}
	all := map[string]float64{}
	pages := cloudwatch.NewGetMetricDataPaginator(c,
		&cloudwatch.GetMetricDataInput{MetricDataQueries: queries, StartTime: &from, EndTime: &to})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, err
		}
		for _, r := range page.MetricDataResults {
			for _, v := range r.Values {
				all[aws.ToString(r.Label)] += v
			}
		}
	}
	return all, nil
}
