package status_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatch/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	ddb "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/deployment"
	"github.com/tidemark-db/tidemark/internal/ops/status"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var now = model.NewTime(time.Date(2026, 11, 2, 3, 0, 0, 0, time.UTC))

// night is a stack whose parts a test breaks.
type night struct {
	reader *status.Reader
	table  *memory.Table
	cloud  *cloud
}

// cloud is AWS as the SDK's clients return it.
type cloud struct {
	alarms      map[string]types.StateValue
	quarantined float64
	depth       map[string]string // of queues, by URL
	denied      error
}

func (c *cloud) DescribeAlarms(
	context.Context, *cloudwatch.DescribeAlarmsInput, ...func(*cloudwatch.Options),
) (*cloudwatch.DescribeAlarmsOutput, error) {
	out := &cloudwatch.DescribeAlarmsOutput{}
	for name, state := range c.alarms {
		out.MetricAlarms = append(out.MetricAlarms, types.MetricAlarm{
			AlarmName: aws.String("s-" + name), StateValue: state, StateUpdatedTimestamp: aws.Time(now.Time()),
			AlarmDescription: aws.String("see the log of " + name),
		})
	}
	return out, c.denied
}

func (c *cloud) GetMetricData(
	_ context.Context, in *cloudwatch.GetMetricDataInput, _ ...func(*cloudwatch.Options),
) (*cloudwatch.GetMetricDataOutput, error) {
	values := map[string]float64{"ConsumedReadCapacityUnits": 8e6, "ConsumedWriteCapacityUnits": 2e6}
	out := &cloudwatch.GetMetricDataOutput{}
	for _, q := range in.MetricDataQueries {
		value, counted := values[*q.Label]
		function := *q.MetricStat.Metric.Dimensions[0].Value
		if *q.Label == "Quarantined" && c.quarantined > 0 && function == "s-ingest" {
			value, counted = c.quarantined, true
		}
		if counted {
			out.MetricDataResults = append(out.MetricDataResults,
				types.MetricDataResult{Id: q.Id, Label: q.Label, Values: []float64{value}})
		}
	}
	return out, nil
}

func (c *cloud) GetQueueAttributes(
	_ context.Context, in *sqs.GetQueueAttributesInput, _ ...func(*sqs.Options),
) (*sqs.GetQueueAttributesOutput, error) {
	if c.denied != nil {
		return nil, c.denied
	}
	out := &sqs.GetQueueAttributesOutput{Attributes: map[string]string{}}
	for _, name := range in.AttributeNames {
		out.Attributes[string(name)] = "0"
	}
	if n, ok := c.depth[*in.QueueUrl]; ok {
		out.Attributes["ApproximateNumberOfMessagesNotVisible"] = n
	}
	return out, nil
}

func (c *cloud) DescribeContinuousBackups(
	context.Context, *dynamodb.DescribeContinuousBackupsInput, ...func(*dynamodb.Options),
) (*dynamodb.DescribeContinuousBackupsOutput, error) {
	return &dynamodb.DescribeContinuousBackupsOutput{ContinuousBackupsDescription: &ddb.ContinuousBackupsDescription{
		PointInTimeRecoveryDescription: &ddb.PointInTimeRecoveryDescription{
			LatestRestorableDateTime: aws.Time(now.Add(-5 * time.Minute).Time()),
		},
	}}, c.denied
}

// quiet is a night in which all is well.
func quiet(t *testing.T) *night {
	t.Helper()
	kinds, err := config.Default(iot.Kinds()...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	n := &night{
		table: memory.New(func() model.Time { return now }),
		cloud: &cloud{alarms: map[string]types.StateValue{"Lag": types.StateValueOk}, depth: map[string]string{}},
	}
	n.put(t, item.FromStreamProgress(now.Add(-time.Minute)))
	n.put(t, item.FromVerification(storage.Verification{At: now}))
	for _, shard := range storage.FirstGeneration.QueueShards() {
		n.put(t, item.FromLowWatermark(shard, now.Add(-3*time.Minute)))
	}
	stack := deployment.Stack{
		Table: "t", OnFailureQueue: "https://failed", UndeliveredQueue: "https://undelivered",
		InboxQueue: "https://inbox", Mapping: "m-7",
	}
	n.reader = &status.Reader{
		Table: n.table, Kinds: kinds, Now: func() model.Time { return now },
		Stack: &status.Stack{Stack: stack, Name: "s", CloudWatch: n.cloud, SQS: n.cloud, Backups: n.cloud},
	}
	return n
}

func (n *night) put(t *testing.T, items ...item.Item) {
	t.Helper()
	for _, it := range items {
		if err := n.table.PutItem(t.Context(), it); err != nil {
			t.Fatal(err)
		}
	}
}

func TestStatus_OfAQuietNightNeedsNoPerson(t *testing.T) {
	lines := quiet(t).reader.Read(t.Context())
	for _, l := range lines {
		if l.State != status.Well && l.Part != "restore" {
			t.Errorf("%+v, want ok", l)
		}
	}
	if status.NeedsPerson(lines) || len(lines) != 10 {
		t.Errorf("%d lines need a person: %t; want 10 that do not", len(lines), status.NeedsPerson(lines))
	}
	cost := lines[len(lines)-1].Text
	if !strings.Contains(cost, "$2.25") { // 8 M read units and 2 M write units
		t.Errorf("%q, want $2.25", cost)
	}
}

// The queue of groups is swept behind the others. It is not known before, and a trouble if it stands.
func TestStatus_GroupsMayStandAlone(t *testing.T) {
	for _, c := range []struct {
		swept model.Time
		state status.State
		text  string
	}{
		{model.MinTime, status.NotKnown, "no bucket was written yet"},
		{now.Add(-time.Minute), status.Well, "complete through "},
		{now.Add(-2 * time.Hour), status.Act, "the queue of groups stands at "},
	} {
		n := quiet(t)
		kinds := iot.Kinds()
		kinds[0].Groups = []string{"site"}
		var err error
		if n.reader.Kinds, err = config.Default(kinds...).Catalog(); err != nil {
			t.Fatal(err)
		}
		if c.swept > model.MinTime {
			n.put(t, item.FromLowWatermark(storage.GroupShard, c.swept))
		}
		lines := n.reader.Read(t.Context())
		if !slices.ContainsFunc(lines, func(l status.Line) bool {
			return l.Part == "low watermark" && l.State == c.state && strings.Contains(l.Text, c.text)
		}) {
			t.Errorf("%+v\nwithout %s %q", lines, c.state, c.text)
		}
	}
}

// Each trouble is one line with its reason and the command for it, and leaves the other parts as they are.
func TestStatus_NamesEachTroubleAndItsCommand(t *testing.T) {
	hour := storage.Gap{From: now.Add(-2 * time.Hour), To: now.Add(-time.Hour)}
	stuck := storage.FirstGeneration.QueueShards()[2]
	bucket := rollup.Key{
		Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING"},
		Tier:   "hour", Start: now.Add(-3 * time.Hour),
	}
	for _, c := range []struct {
		part, text, command string
		state               status.State
		broken              func(*night)
	}{
		{"table stream", "(2h0m0s ago), and nothing since", "get-event-source-mapping --uuid m-7", status.Act,
			func(n *night) { n.put(t, item.FromStreamProgress(hour.From)) }},
		{"table stream", "gap: changes from 2026-11-02T01:00:00.000Z", "rebuild --gap recorded", status.Act,
			func(n *night) { n.put(t, item.FromGap(hour)) }},
		{"table stream", "blocked: a batch of changes", "/aws/lambda/s-aggregate", status.Act, func(n *night) {
			n.put(t, item.FromBlocked(storage.Blocked{Seq: "1", Gap: hour}))
		}},
		{"low watermark", "stands at 2026-11-02T02:00:00.000Z (1h0m0s ago): no bucket waits", "s-aggregate",
			status.Act, func(n *night) { n.put(t, item.FromLowWatermark(stuck, hour.To)) }},
		{"low watermark", "the hour of " + bucket.Series.String() + " at 2026-11-02T00:00:00.000Z was due",
			"s-aggregate", status.Act, func(n *night) {
				n.put(t, item.FromLowWatermark(stuck, hour.To),
					item.FromInvalidation(storage.Invalidation{Due: hour.To, Key: bucket, Shard: stuck}))
			}},
		{"rows", "7 rows differed from their events", "tidemark verify", status.Act, func(n *night) {
			n.put(t, item.FromVerification(storage.Verification{At: now, Differ: 7}))
		}},
		{"rows", "the watch of rows stopped", "verify --watch", status.NotKnown, func(n *night) {
			n.put(t, item.FromVerification(storage.Verification{At: hour.From}))
		}},
		{"on-failure queue", "about 3 messages", "tidemark failed retry --source batches --stack s", status.Act,
			func(n *night) { n.cloud.depth["https://failed"] = "3" }},
		{"undelivered queue", "about 4 messages", "retry --source undelivered --stack s", status.Act,
			func(n *night) { n.cloud.depth["https://undelivered"] = "4" }},
		{"on-failure queue", "not a number", "", status.Unread, func(n *night) {
			n.cloud.depth["https://failed"] = "not a number"
		}},
		{"quarantine", "5 in the last 24 hours", "failed list --source rejected", status.Act, func(n *night) {
			n.cloud.quarantined = 5
		}},
		{"alarms", "s-Lag since 2026-11-02T03:00:00Z: see the log of Lag", "", status.Act, func(n *night) {
			n.cloud.alarms["Lag"] = types.StateValueAlarm
		}},
		{"alarms", "1 of 1 have no data", "", status.NotKnown, func(n *night) {
			n.cloud.alarms["Lag"] = types.StateValueInsufficientData
		}},
	} {
		n := quiet(t)
		c.broken(n)
		lines := n.reader.Read(t.Context())
		if !slices.ContainsFunc(lines, func(l status.Line) bool {
			return l.Part == c.part && l.State == c.state && strings.Contains(l.Text, c.text) &&
				strings.Contains(l.Command, c.command)
		}) {
			t.Errorf("%s: %+v\nwithout a line %s %q %q", c.part, lines, c.state, c.text, c.command)
		}
		if got := status.NeedsPerson(lines); got != (c.state != status.NotKnown) {
			t.Errorf("%s, %s: needs a person: %t", c.part, c.text, got)
		}
		for _, l := range lines {
			if l.Part != c.part && l.Part != "restore" && l.State != status.Well {
				t.Errorf("%s broke %+v", c.part, l)
			}
		}
	}
}

// Without the right to ask, nothing is said to be well, and what the table says is said.
func TestStatus_IsUnreadWhereTheRightIsMissing(t *testing.T) {
	n := quiet(t)
	n.cloud.denied = errors.New("AccessDenied")
	states := map[string]status.State{}
	for _, l := range n.reader.Read(t.Context()) {
		states[l.Part] = l.State
		if l.State == status.Unread && !strings.Contains(l.Text, "AccessDenied") {
			t.Errorf("%+v, want the reason", l)
		}
	}
	for part, want := range map[string]status.State{
		"table stream": status.Well, "low watermark": status.Well, "rows": status.Well, "alarms": status.Unread,
		"on-failure queue": status.Unread, "inbox queue": status.Unread, "quarantine": status.Unread,
		"restore": status.Unread, "cost": status.Unread,
	} {
		if states[part] != want {
			t.Errorf("%s is %q, want %q", part, states[part], want)
		}
	}
}

// A new table tells nothing: that is neither well nor a failure.
func TestStatus_OfATableAloneIsNotKnown(t *testing.T) {
	n := quiet(t)
	n.reader.Table = memory.New(func() model.Time { return now })
	n.reader.Stack = nil
	lines := n.reader.Read(t.Context())
	if got := status.Count(lines, status.NotKnown); got != len(lines) || got == 0 {
		t.Errorf("%+v: %d lines are not known, want all", lines, got)
	}
}

// A stream progress that was begun says nothing, until it should have been replaced.
func TestStatus_OfATableWhoseFirstChangeIsNotProcessed(t *testing.T) {
	for age, want := range map[time.Duration]status.State{
		time.Minute: status.NotKnown, 11 * time.Minute: status.Act, 24 * time.Hour: status.Act,
	} {
		n := quiet(t)
		n.put(t, item.FromBegunProgress(now.Add(-age)))
		line := n.reader.Read(t.Context())[0]
		if line.Part != "table stream" || line.State != want || strings.Contains(line.Text, "(1m ago)") {
			t.Errorf("begun %s ago: %+v, want %s", age, line, want)
		}
	}
}

func TestStatus_OfADevCountsItsOnFailureFile(t *testing.T) {
	n := quiet(t)
	n.reader.Stack = nil
	n.reader.Local = &status.Local{Dir: t.TempDir()}
	isOnFailure := func(l status.Line) bool { return l.Part == "on-failure queue" }
	state := func() status.State {
		lines := n.reader.Read(t.Context())
		return lines[slices.IndexFunc(lines, isOnFailure)].State
	}
	if got := state(); got != status.Well {
		t.Errorf("without a file: %s", got)
	}
	file := filepath.Join(n.reader.Local.Dir, "on-failure.ndjson.redriving") // a run processes it
	if err := os.WriteFile(file, []byte("{}\n\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := state(); got != status.Act {
		t.Errorf("with a message: %s", got)
	}
	n.reader.Local.Dir += "/other"
	if got := state(); got != status.NotKnown {
		t.Errorf("without a directory: %s", got)
	}
}
