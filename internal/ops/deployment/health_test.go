package deployment

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/google/go-cmp/cmp"
)

// watched returns a value of 2 in each of two pages for each metric, and two pages of alarms.
type watched struct {
	asked            []types.MetricDataQuery
	from             []time.Time
	noAlarms, noData error
}

func (w *watched) DescribeAlarms(_ context.Context, in *cloudwatch.DescribeAlarmsInput,
	_ ...func(*cloudwatch.Options)) (*cloudwatch.DescribeAlarmsOutput, error) {
	alarm := func(name, state string) types.MetricAlarm {
		return types.MetricAlarm{AlarmName: aws.String(*in.AlarmNamePrefix + name), StateValue: types.StateValue(
			state), StateUpdatedTimestamp: aws.Time(noon), AlarmDescription: aws.String("what to do of " + name)}
	}
	if in.NextToken == nil {
		return &cloudwatch.DescribeAlarmsOutput{MetricAlarms: []types.MetricAlarm{alarm("b", "OK"),
			alarm("c", "ALARM")}, NextToken: aws.String("2")}, w.noAlarms
	}
	return &cloudwatch.DescribeAlarmsOutput{MetricAlarms: []types.MetricAlarm{alarm("a", "ALARM")}}, nil
}

func (w *watched) GetMetricData(_ context.Context, in *cloudwatch.GetMetricDataInput,
	_ ...func(*cloudwatch.Options)) (*cloudwatch.GetMetricDataOutput, error) {
	out := &cloudwatch.GetMetricDataOutput{}
	for _, q := range in.MetricDataQueries {
		out.MetricDataResults = append(out.MetricDataResults,
			types.MetricDataResult{Id: q.Id, Label: q.Label, Values: []float64{1, 1}})
	}
	if in.NextToken == nil {
		w.asked, w.from = append(w.asked, in.MetricDataQueries...), append(w.from, *in.StartTime)
		out.NextToken = aws.String("2")
	}
	return out, w.noData
}

var noon = time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC)

func TestReadHealth_ReadsAlarmsMetricsAndCapacity(t *testing.T) {
	t.Parallel()
	c := &watched{}
	h, err := ReadHealth(t.Context(), c, "tidemark-prod", Stack{Table: "prod-table"}, noon)
	if err != nil {
		t.Fatal(err)
	}
	want := []Alarm{
		{
			Name: "tidemark-prod-a", State: "ALARM", Since: noon, Meaning: "what to do of a",
		}, {
			Name: "tidemark-prod-c", State: "ALARM", Since: noon, Meaning: "what to do of c",
		}, {Name: "tidemark-prod-b", State: "OK", Since: noon, Meaning: "what to do of b"},
	}
	if diff := cmp.Diff(want, h.Alarms); diff != "" {
		t.Errorf("alarms (-want +got):\n%s", diff)
	}
	if four := (Capacity{4, 4}); h.Day != four || h.Month != four {
		t.Errorf("capacity %v and %v, want %v: the values of two pages", h.Day, h.Month, four)
	}
	if want := []time.Time{noon.Add(-24 * time.Hour),
		time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)}; !slices.EqualFunc(c.from, want, time.Time.Equal) {
		t.Errorf("ranges from %v, want %v", c.from, want)
	}
	if len(h.Metrics) != len(shown) || h.Metrics["ObservationsApplied"] != 4 || h.Metrics["Quarantined"] != 8 {
		t.Errorf("metrics %v, want %d: 4 for one function, 8 for two", h.Metrics, len(shown))
	}
	ids := map[string]bool{}
	for _, q := range c.asked[:len(c.asked)-2] {
		d := q.MetricStat.Metric.Dimensions[0]
		if ids[*q.Id] {
			t.Errorf("two queries of one request have the id %s", *q.Id)
		}
		ids[*q.Id] = true
		if of := *d.Name + "=" + *d.Value; of != "TableName=prod-table" &&
			!strings.HasPrefix(of, "Function=tidemark-prod-") {
			t.Errorf("%s is read of %s", *q.MetricStat.Metric.MetricName, of)
		}
	}
}

func TestReadHealth_SaysWhatCouldNotBeRead(t *testing.T) {
	t.Parallel()
	denied := errors.New("AccessDenied")
	for want, c := range map[string]*watched{"alarms of stack s": {noAlarms: denied},
		"metrics of stack s": {noData: denied}} {
		if _, err := ReadHealth(t.Context(), c, "s", Stack{Table: "t"}, noon); !errors.Is(err, denied) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q and its cause", err, want)
		}
	}
}

// A metric without a value is 0 where it is published, and not known in a lean stage that does not publish
// it.
func TestReadHealth_KnowsOnlyWhatAStagePublishes(t *testing.T) {
	t.Parallel()
	for monitoring, known := range map[string]bool{"": true, "full": true, "lean": false} {
		h, err := ReadHealth(t.Context(), &unwatched{}, "s", Stack{Table: "t", Monitoring: monitoring}, noon)
		if err != nil {
			t.Fatal(err)
		}
		n, ok := h.Metrics["RowsWritten"]
		if quarantined, counted := h.Metrics["Quarantined"]; n != 0 || ok != known || quarantined != 0 || !counted {
			t.Errorf("monitoring %q: %v; want RowsWritten: %t, and Quarantined", monitoring, h.Metrics, known)
		}
	}
}

// unwatched is a CloudWatch without data.
type unwatched struct{}

func (unwatched) DescribeAlarms(
	context.Context, *cloudwatch.DescribeAlarmsInput, ...func(*cloudwatch.Options),
) (*cloudwatch.DescribeAlarmsOutput, error) {
	return &cloudwatch.DescribeAlarmsOutput{}, nil
}

func (unwatched) GetMetricData(
	context.Context, *cloudwatch.GetMetricDataInput, ...func(*cloudwatch.Options),
) (*cloudwatch.GetMetricDataOutput, error) {
	return &cloudwatch.GetMetricDataOutput{}, nil
}
