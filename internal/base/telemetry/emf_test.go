package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const at = model.Time(1_776_693_600_000)

func emitter(out *bytes.Buffer) *telemetry.Emitter {
	return &telemetry.Emitter{Out: out, Now: func() model.Time { return at }}
}

func TestEmit_WritesTheDocumentedLine(t *testing.T) {
	var out bytes.Buffer
	err := emitter(&out).Emit("tidemark-prod-aggregate", "READING", telemetry.Counts{
		telemetry.Recomputations: 3, telemetry.RowsWritten: 2, telemetry.Lag: 1.5, telemetry.ReadUnits: 9,
		telemetry.LostLocks: 0,
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{
		"_aws": {
			"Timestamp": 1776693600000,
			"CloudWatchMetrics": [
				{"Namespace": "Tidemark", "Dimensions": [["Function"]], "Metrics": [
					{"Name": "Recomputations", "Unit": "Count"}, {"Name": "RowsWritten", "Unit": "Count"},
					{"Name": "Lag", "Unit": "Seconds"}, {"Name": "ReadUnits", "Unit": "Count"}]}
			]
		},
		"Function": "tidemark-prod-aggregate", "Kind": "READING",
		"Recomputations": 3, "RowsWritten": 2, "Lag": 1.5, "ReadUnits": 9
	}`
	if diff := cmp.Diff(decode(t, []byte(want)), decode(t, out.Bytes())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if strings.Count(out.String(), "\n") != 1 || !strings.HasSuffix(out.String(), "}\n") {
		t.Errorf("want one line, got %q", out.String())
	}
}

func decode(t *testing.T, b []byte) (v map[string]any) {
	t.Helper()
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%v in %s", err, b)
	}
	return v
}

// A metric whose alarm goes off without data is published as zero; no other is.
func TestEmit_PublishesZeroOnlyWhereSilenceIsAnAlarm(t *testing.T) {
	zeros := telemetry.Counts{}
	for _, d := range telemetry.Catalogue() {
		zeros[d.Metric] = 0
	}
	var out bytes.Buffer
	if err := emitter(&out).Emit("f", "", zeros); err != nil {
		t.Fatal(err)
	}
	members := decode(t, out.Bytes())
	for _, d := range telemetry.Catalogue() {
		_, published := members[string(d.Metric)]
		if want := d.Alarm != nil && d.Alarm.Silence; published != want {
			t.Errorf("%s = 0 is published: %t, want %t", d.Metric, published, want)
		}
	}
	out.Reset()
	if err := emitter(&out).Emit("f", "READING", telemetry.Counts{telemetry.LostLocks: 0}); err != nil ||
		out.Len() > 0 {
		t.Errorf("%v and %q, want no line", err, out.String())
	}
}

// In a lean stage each value can be searched for in the log, and only those with an alarm are billed.
func TestEmit_LeanPublishesTheMetricsThatHaveAnAlarm(t *testing.T) {
	var out bytes.Buffer
	lean := emitter(&out)
	lean.Lean = true
	counts := telemetry.Counts{telemetry.RowsWritten: 2, telemetry.RowsInexact: 1}
	if err := lean.Emit("f", "READING", counts); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); !strings.Contains(got, `"RowsWritten":2`) ||
		strings.Contains(got, `"Name":"RowsWritten"`) ||
		!strings.Contains(got, `"Name":"RowsInexact"`) {
		t.Errorf("%s, want RowsWritten as a member and RowsInexact as a metric", got)
	}
	out.Reset()
	if err := lean.Emit("f", "", telemetry.Counts{telemetry.RowsWritten: 2}); err != nil ||
		strings.Contains(out.String(), "_aws") || !strings.Contains(out.String(), `"RowsWritten":2`) {
		t.Errorf("%v, %s; want a line without a metric", err, out.String())
	}
}

func TestEmit_WritesNothingForEmptyCounts(t *testing.T) {
	var out bytes.Buffer
	if err := emitter(&out).Emit("query", "READING", nil); err != nil || out.Len() > 0 {
		t.Errorf("got %v and %q, want no line", err, out.String())
	}
}

func TestEmit_RejectsValuesThatCloudWatchDrops(t *testing.T) {
	for name, counts := range map[string]telemetry.Counts{
		"a metric that is not in the catalogue": {"Perhaps": 1},
		"not a number":                          {telemetry.Lag: math.NaN()},
		"infinity":                              {telemetry.Lag: math.Inf(1)},
	} {
		var out bytes.Buffer
		if err := emitter(&out).Emit("f", "", counts); !errors.Is(err, telemetry.ErrMetric) || out.Len() > 0 {
			t.Errorf("%s: got %v and %q, want ErrMetric and no line", name, err, out.String())
		}
	}
}

type brokenPipe struct{}

var errPipe = errors.New("broken pipe")

func (brokenPipe) Write([]byte) (int, error) { return 0, errPipe }

func TestEmit_ReturnsTheWritersError(t *testing.T) {
	e := telemetry.Emitter{Out: brokenPipe{}, Now: func() model.Time { return at }}
	if err := e.Emit("f", "", telemetry.Counts{telemetry.Recomputations: 1}); !errors.Is(err, errPipe) {
		t.Errorf("got %v, want the writer's error", err)
	}
}

// The rules of the format, for any counts: every metric of a directive is a numeric member
// of the line, every dimension is a text member, and a directive has a namespace and at most
// 100 metrics, none of them twice.
func TestEmit_FollowsTheRulesOfTheFormat(t *testing.T) {
	type line struct {
		AWS struct {
			Timestamp         int64
			CloudWatchMetrics []struct {
				Namespace  string
				Dimensions [][]string
				Metrics    []struct{ Name, Unit string }
			}
		} `json:"_aws"`
	}
	all := telemetry.Catalogue()
	rapid.Check(t, func(t *rapid.T) {
		counts := telemetry.Counts{}
		for range rapid.IntRange(1, 2*len(all)).Draw(t, "metrics") {
			counts[rapid.SampledFrom(all).Draw(t, "metric").Metric] = float64(rapid.Int32Min(1).Draw(t, "value"))
		}
		kind := rapid.SampledFrom([]string{"", "READING"}).Draw(t, "kind")

		var out bytes.Buffer
		if err := emitter(&out).Emit("f", kind, counts); err != nil {
			t.Fatal(err)
		}
		var l line
		var members map[string]any
		if err := errors.Join(json.Unmarshal(out.Bytes(), &l), json.Unmarshal(out.Bytes(), &members)); err != nil {
			t.Fatal(err)
		}
		if l.AWS.Timestamp != int64(at) || len(l.AWS.CloudWatchMetrics) == 0 {
			t.Fatalf("no timestamp or directive: %s", out.String())
		}
		for _, d := range l.AWS.CloudWatchMetrics {
			if d.Namespace == "" || len(d.Metrics) == 0 || len(d.Metrics) > 100 || len(d.Dimensions) != 1 {
				t.Errorf("CloudWatch rejects this directive: %+v", d)
			}
			for _, name := range slices.Concat(d.Dimensions...) {
				if text, ok := members[name].(string); !ok || text == "" {
					t.Errorf("dimension %s has no text: %s", name, out.String())
				}
			}
			seen := map[string]bool{}
			for _, m := range d.Metrics {
				if _, ok := members[m.Name].(float64); !ok || seen[m.Name] {
					t.Errorf("metric %s has no number, or appears twice: %s", m.Name, out.String())
				}
				seen[m.Name] = true
			}
		}
	})
}
