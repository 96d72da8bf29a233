package tidemarkcdk

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// cloudWatchDelay is how long CloudWatch may take to have a metric and to evaluate its alarm.
const cloudWatchDelay = 2 * time.Minute

// noticedIn is when an alarm goes off after its metric stops being right: for an age, the time
// until it exceeds the threshold, then the periods.
func noticedIn(alarm map[string]any) time.Duration {
	seconds := func(name string) time.Duration {
		n, _ := alarm[name].(float64)
		return time.Duration(n) * time.Second
	}
	period, name := seconds("Period"), render(alarm["MetricName"])
	if period == 0 { // an expression: its metrics have one period
		for _, m := range alarm["Metrics"].([]any) {
			if n, ok := at(m.(map[string]any), "MetricStat", "Period").(float64); ok {
				period = time.Duration(n) * time.Second
			}
		}
	}
	total := cloudWatchDelay + period*time.Duration(alarm["DatapointsToAlarm"].(float64))
	switch {
	case strings.HasSuffix(name, "Milliseconds") || name == "AsyncEventAge":
		total += seconds("Threshold") / 1000
	case strings.Contains(name, "Age") || name == "Lag" || strings.HasPrefix(name, "Oldest"):
		total += seconds("Threshold")
	}
	return total
}

var noticed = regexp.MustCompile("(?m)^\\| ([^|]+) \\| ([A-Z]\\w+) \\| (\\d+) min \\| `([^`]+)` \\|$")

// Each row of the table names an alarm that is as fast as it says, and a test that exists.
func TestSilence_IsNoticedWithinTenMinutes(t *testing.T) {
	page, err := os.ReadFile("../../docs/run/ALARMS.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := noticed.FindAllStringSubmatch(string(page), -1)
	if len(rows) < 15 {
		t.Fatalf("docs/run/ALARMS.md has %d rows of what can stop", len(rows))
	}
	for _, row := range rows {
		what := row[1]
		name := row[2]
		minutes := row[3]
		test := row[4]
		a, ok := resources(t, "full")[name+"Alarm"]
		if !ok {
			t.Errorf("%s: there is no alarm %s", what, name)
			continue
		}
		got := noticedIn(a.Properties)
		if want, _ := strconv.Atoi(minutes); got > 10*time.Minute || got != time.Duration(want)*time.Minute {
			t.Errorf("%s: %s notices it in %s, the page says %s min, and more than 10 is too long", what, name, got,
				minutes)
		}
		folder, function, _ := strings.Cut(test, ".")
		if !declares(t, folder, function) {
			t.Errorf("%s: %s does not exist", what, test)
		}
	}
}

// declares reports whether a test file of a folder declares a function.
func declares(t *testing.T, folder, function string) bool {
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+function+"(") {
			return true
		}
	}
	return false
}
