package tidemarkcdk

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const topics = "AlarmTopic arn:aws:sns:eu-central-1:123456789012:on-call"

// alarmRows returns the alarms of each table of docs/run/ALARMS.md, by the cause that the heading
// before it names.
func alarmRows(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile("../../docs/run/ALARMS.md")
	if err != nil {
		t.Fatal(err)
	}
	heading, row := regexp.MustCompile(`^## .*\((\w+)\)$`), regexp.MustCompile(`^\| ([A-Z][A-Za-z0-9]+) \|`)
	rows, in := map[string][]string{}, ""
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "## ") {
			in = ""
		}
		if m := heading.FindStringSubmatch(line); m != nil {
			in = m[1]
		}
		if m := row.FindStringSubmatch(line); m != nil && in != "" {
			rows[in] = append(rows[in], m[1])
		}
	}
	return rows
}

// texts returns names of alarms as texts.
func texts(names []alarmName) (all []string) {
	for _, n := range names {
		all = append(all, string(n))
	}
	return all
}

func TestCauses_HaveEachAlarmInOneRowAndOnThePage(t *testing.T) {
	page := alarmRows(t)
	var listed []string
	for _, c := range causes {
		alarms := texts(c.alarms)
		listed = append(listed, alarms...)
		want, got := slices.Sorted(slices.Values(alarms)), slices.Sorted(slices.Values(page[string(c.name)]))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("docs/run/ALARMS.md, section (%s) (-causes +page):\n%s", c.name, diff)
		}
	}
	created := map[string]bool{"PrometheusErrors": true, "PrometheusThrottled": true, "PrometheusDuration": true} // see TestPrometheus
	for _, name := range []string{"full", "teams"} {
		for id := range resourcesOfType(t, name, "AWS::CloudWatch::Alarm") {
			created[strings.TrimSuffix(id, "Alarm")] = true
		}
	}
	slices.Sort(listed)
	if diff := cmp.Diff(listed, slices.Sorted(maps.Keys(created))); diff != "" {
		t.Errorf("(-causes +alarms):\n%s", diff)
	}
}

func TestCauses_NotifyWhenTheyBeginAndWhenTheyEnd(t *testing.T) {
	for _, a := range resourcesOfType(t, "full", "AWS::CloudWatch::Alarm") {
		if a.Properties["AlarmActions"] != nil || a.Properties["OKActions"] != nil {
			t.Errorf("%v notifies by itself: its cause does", a.Properties["AlarmName"])
		}
	}
	found := resourcesOfType(t, "full", "AWS::CloudWatch::CompositeAlarm")
	if len(found) != len(causes) {
		t.Errorf("%d composite alarms for %d causes", len(found), len(causes))
	}
	for _, c := range causes {
		p := found[string(c.name)+"Cause"].Properties
		if render(p["AlarmActions"]) != topics || render(p["OKActions"]) != topics {
			t.Errorf("%s notifies %s, and %s when it ends; want %s", c.name, render(p["AlarmActions"]),
				render(p["OKActions"]), topics)
		}
		suppressor := strings.TrimSuffix(render(p["ActionsSuppressor"]), ".Arn")
		if c.after != "" && suppressor != string(c.after)+"Cause" || c.after == "" && suppressor != "" {
			t.Errorf("%s is suppressed by %q, want %q", c.name, suppressor, c.after)
		}
		for _, name := range texts(c.alarms) {
			if _, deployed := resources(t, "full")[name+"Alarm"]; !deployed {
				continue // of a function that the stage does not have
			}
			if !strings.Contains(render(p["AlarmRule"]), `ALARM("`+name+`Alarm.Arn")`) {
				t.Errorf("%s does not contain %s: %s", c.name, name, render(p["AlarmRule"]))
			}
		}
	}
	for _, s := range resourcesOfType(t, "full", "AWS::SNS::Subscription") {
		if s.Properties["Protocol"] != "email" || s.Properties["Endpoint"] != "team@example.com" {
			t.Errorf("alarms are sent to %v", s.Properties)
		}
	}
	for id, r := range resources(t, "prod") {
		if r.Type == "AWS::CloudWatch::CompositeAlarm" {
			t.Errorf("prod has no receiver, but %s", id)
		}
	}
}

// An alert that no topic accepts is kept, and its queue accepts messages of that rule only.
func TestAlerts_ThatNoTopicAcceptsGoToAQueue(t *testing.T) {
	targets, _ := resources(t, "full")["CriticalAlerts"].Properties["Targets"].([]any)
	if len(targets) != 2 {
		t.Fatalf("%d targets, want both topics", len(targets))
	}
	for _, target := range targets {
		if got := render(at(target.(map[string]any), "DeadLetterConfig", "Arn")); got != "DeadAlertsQueue.Arn" {
			t.Errorf("what the target does not accept goes to %q", got)
		}
	}
	var allowed []string
	for _, s := range statementsIn(resources(t, "full")["DeadAlertsQueuePolicy"].Properties) {
		if s["Effect"] == "Allow" {
			allowed = append(allowed, render(s["Action"])+" by "+render(at(s, "Principal", "Service"))+" for "+
				render(at(s, "Condition", "ArnEquals", "aws:SourceArn")))
		}
	}
	if want := []string{"sqs:SendMessage by events.amazonaws.com for CriticalAlerts.Arn"}; !slices.Equal(allowed,
		want) {
		t.Errorf("the queue allows %v, want %v", allowed, want)
	}
}
