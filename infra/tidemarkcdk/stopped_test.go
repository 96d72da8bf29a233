package tidemarkcdk

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
)

// evaluated is a deployed alarm, evaluated as CloudWatch does.
type evaluated struct {
	*testing.T
	alarm    map[string]any
	minutes  []map[string]float64 // of the current period
	breaches []bool
}

// metricName names a metric by its parts in the template.
func metricName(m map[string]any) string {
	var of []string
	for _, d := range m["Dimensions"].([]any) {
		of = append(of, render(d.(map[string]any)["Value"]))
	}
	slices.Sort(of)
	return render(m["Namespace"]) + " " + render(m["MetricName"]) + " " + strings.Join(of, " ")
}

// metricValue returns the value of a metric in the current period, and whether it has one.
func (e *evaluated) metricValue(metric, statistic string) (value float64, ok bool) {
	for _, minute := range e.minutes {
		n, published := minute[metric]
		switch ok = ok || published; statistic {
		case "Sum":
			value += n
		case "Maximum":
			value = max(value, n)
		default:
			e.Fatalf("%s has the statistic %s", metric, statistic)
		}
	}
	return value, ok
}

// current is the value of the alarm's metric or expression in the current period.
func (e *evaluated) current() (value float64, ok bool) {
	all, _ := e.alarm["Metrics"].([]any)
	if all == nil {
		return e.metricValue(metricName(e.alarm), render(e.alarm["Statistic"]))
	}
	expression := ""
	for _, m := range all {
		m := m.(map[string]any)
		if text, is := m["Expression"].(string); is {
			expression = text
			continue
		}
		stat := m["MetricStat"].(map[string]any)
		n, published := e.metricValue(metricName(stat["Metric"].(map[string]any)), render(stat["Stat"]))
		value, ok = value+n, ok || published
	}
	switch {
	case expression == "SUM(METRICS())" || !ok:
	case strings.HasPrefix(expression, "IF(") && strings.HasSuffix(expression, " > 0, 0, 1)") && len(all) == 2:
		value = map[bool]float64{true: 0, false: 1}[value > 0]
	default:
		e.Fatalf("the expression %s is not known here", expression)
	}
	return value, ok
}

func (e *evaluated) period() int {
	if n, ok := e.alarm["Period"].(float64); ok {
		return int(n) / 60
	}
	for _, m := range e.alarm["Metrics"].([]any) {
		if n, ok := at(m.(map[string]any), "MetricStat", "Period").(float64); ok {
			return int(n) / 60
		}
	}
	e.Fatalf("no period: %v", e.alarm)
	return 0
}

// raised adds a minute and reports whether the alarm is on.
func (e *evaluated) raised(minute map[string]float64) bool {
	if e.minutes = append(e.minutes, minute); len(e.minutes) == e.period() {
		value, ok := e.current()
		e.breaches = append(e.breaches,
			ok && value > e.alarm["Threshold"].(float64) || !ok && e.alarm["TreatMissingData"] == "breaching")
		e.minutes = nil
	}
	within, count := int(e.alarm["EvaluationPeriods"].(float64)), 0
	for _, breach := range e.breaches[max(0, len(e.breaches)-within):] {
		if breach {
			count++
		}
	}
	return count >= int(e.alarm["DatapointsToAlarm"].(float64))
}

// stops are the rows of the page that concern metrics of the services: what is done to a stage at work.
var stops = map[string]func(s *services){
	"invocations of aggregate fail":           func(s *services) { s.set(s.failing, "AggregateFunction") },
	"Lambda has no concurrency for aggregate": func(s *services) { s.set(s.throttled, "AggregateFunction") },
	"a batch is given up":                     func(s *services) { s.set(s.failing, "AggregateFunction") },
	"the on-failure queue cannot be written":  func(s *services) { s.set(s.failing, "AggregateFunction"); s.set(s.stopped, "OnFailureQueue") },
	"purge's schedule is disabled or deleted": func(s *services) { s.set(s.stopped, "PurgeSchedule"); s.set(s.stopped, "PurgeMapping") },
	"purge's mapping is disabled or deleted":  func(s *services) { s.set(s.stopped, "PurgeMapping") },
	"ingest fails":                            func(s *services) { s.set(s.failing, "IngestFunction") },
	"callers receive server errors":           func(s *services) { s.set(s.failing, "IngestFunction") },
	"the inbox queue fills up":                func(s *services) { s.set(s.throttled, "IngestFunction") },
	"the data stream is not read":             func(s *services) { s.set(s.throttled, "IngestFunction") },
	"messages of AWS IoT wait":                func(s *services) { s.set(s.throttled, "IngestFunction") },
	"the table throttles writes":              func(s *services) { s.set(s.full, "Write Table") },
	"an index throttles reads":                func(s *services) { s.set(s.full, "Read Table gsi2") },
	"a topic does not accept alerts":          func(s *services) { s.set(s.stopped, "Topic") },
}

// Each failure raises the deployed alarm of its row within the minutes of the page, less two for CloudWatch;
// no alarm is on before.
func TestStopped_RaisesTheDeployedAlarm(t *testing.T) {
	page, err := os.ReadFile("../../docs/run/ALARMS.md")
	if err != nil {
		t.Fatal(err)
	}
	deployed, tried := resources(t, "full"), 0
	for _, row := range noticed.FindAllStringSubmatch(string(page), -1) {
		fault, ok := stops[row[1]]
		if named := row[4] == "infra/tidemarkcdk."+t.Name(); named != ok {
			t.Errorf("%s: named by the page %t, provoked here %t", row[1], named, ok)
		}
		if !ok {
			continue
		}
		tried++
		t.Run(row[1], func(t *testing.T) {
			within, _ := strconv.Atoi(row[3])
			synctest.Test(t, func(t *testing.T) {
				noticeWithin(t, deployed[row[2]+"Alarm"].Properties, fault, within-int(cloudWatchDelay.Minutes()))
			})
		})
	}
	if tried != len(stops) {
		t.Errorf("the page has %d of %d rows: %v", tried, len(stops), slices.Sorted(maps.Keys(stops)))
	}
}

func noticeWithin(t *testing.T, alarm map[string]any, fault func(*services), minutes int) {
	s, e := newServices(), &evaluated{T: t, alarm: alarm}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	go s.follow(ctx, "Mapping", "AggregateFunction")
	go s.follow(ctx, "PurgeMapping", "PurgeFunction")
	for minute := range 70 {
		if published := s.pass(); e.raised(published) {
			t.Fatalf("minute %d: alarm without a fault: %v", minute, published)
		}
	}
	fault(s)
	var last string
	for minute := range minutes {
		published := s.pass()
		if last = fmt.Sprint(published); e.raised(published) {
			t.Logf("noticed after %d minutes", minute+1)
			return
		}
	}
	t.Errorf("no alarm after %d minutes; the last minute: %s", minutes, last)
}
