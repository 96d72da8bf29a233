package promapi_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// draw draws queries over the buckets of a tier. Results that depend, in release 3 of the engine, on what
// else the storage returns are not drawn: ties of topk, @ in a subquery with @ or offset, and timestamp of a
// selector with both.
type draw struct {
	t     *rapid.T
	unit  tier.Unit
	from  model.Time
	times []string // of the modifier @
}

func (d draw) one(of ...string) string { return rapid.SampledFrom(of).Draw(d.t, "one") }
func (d draw) n(from, to int) int      { return rapid.IntRange(from, to).Draw(d.t, "n") }

// at is a time at the edge of a bucket, 1 ms before or after it, or anywhere.
func (d draw) at() model.Time {
	edge := d.unit.BucketAt(d.from.Add(time.Duration(d.n(-2, 130)) * d.unit.Longest())).Start
	switch d.n(0, 3) {
	case 0:
		return edge
	case 1:
		return edge + model.Time(d.n(-1, 1))
	}
	return edge.Add(time.Duration(d.n(0, int(d.unit.Longest()/time.Second))) * time.Second)
}

func inSeconds(at model.Time) string { return strconv.FormatFloat(float64(at)/1000, 'f', 3, 64) }

// step is a whole number of buckets, or of minutes.
func (d draw) step() time.Duration {
	if d.n(0, 1) == 0 {
		return d.unit.Longest() * time.Duration(d.n(1, 3))
	}
	return time.Duration(d.n(1, 3*int(d.unit.Longest()/time.Minute))) * time.Minute
}

// length is a number of buckets, or 1 ms or some minutes more or less.
func (d draw) length() string {
	length := time.Duration(d.n(1, 5)) * d.unit.Longest()
	switch d.n(0, 3) {
	case 0:
		length += time.Millisecond
	case 1:
		length -= time.Millisecond
	case 2:
		length += time.Duration(d.n(1, 3000)) * time.Second
	}
	return fmt.Sprintf("%dms", length.Milliseconds())
}

func (d draw) modifiers() string {
	text := ""
	if d.n(0, 3) == 0 {
		text += " @ " + d.one(append(d.times, "start()", "end()")...)
	}
	if d.n(0, 3) == 0 {
		text += " offset " + d.one("", "-") + d.length()
	}
	return text
}

var (
	drawnMetrics  = []string{"temperature", "energy", "battery_level", "tidemark_events", "tidemark_inexact"}
	drawnMatchers = []string{
		`subject="sensor_01"`, `subject!="sensor_02"`, `subject=~"sensor_0[23]"`, `subject!~".*1"`,
		`subject=~"sensor_01|sensor_03|x"`, `subject=~"(?i)SENSOR_01|SENSOR_02"`, `subject=~"|sensor_01"`,
		`subject=~".+"`, `subject=~""`, `subject!=""`, `subject=""`,
		`statistic="avg"`, `statistic="last"`, `statistic=~"a.*|m.*"`, `statistic!~"p.*"`,
		`statistic=""`, `statistic=~".*"`, `statistic!=""`,
		`stream=""`, `stream!=""`, `stream=~".*"`, `stream=~".+"`,
		`measure=""`, `measure!=""`, `measure="battery.level"`, `measure=~"|battery.*"`,
		`kind="READING"`, `kind=~"READ.*"`, `kind!="READING"`, `kind=~".+"`, `kind=""`,
		`absent=""`, `absent!=""`, `absent=~".*"`, `absent=~".+"`, `"a b"=""`, `"a b"!=""`, `"ü"=~".*"`,
		`__name__!="energy"`, `__name__=~"e.*|t.*"`,
	}
	drawnLabels = []string{
		"", "subject", "statistic", "subject, statistic", "absent", "__name__", `"a b"`, "measure",
	}
	drawnOverTime = []string{
		"sum_over_time", "avg_over_time", "min_over_time", "max_over_time", "count_over_time",
		"stddev_over_time", "stdvar_over_time", "last_over_time", "present_over_time", "absent_over_time",
		"rate", "increase", "resets", "changes", "delta", "idelta", "irate", "deriv",
	}
	drawnCalls = []string{
		`count_values("v", `, "quantile(0.5, ", "absent(", "timestamp(0 + ", "abs(", "sort(",
	}
)

func (d draw) selector() string {
	var all []string
	for range max(0, d.n(-2, 2)) {
		all = append(all, d.one(drawnMatchers...))
	}
	if d.n(0, 3) > 0 {
		return d.one(drawnMetrics...) + "{" + strings.Join(all, ",") + "}"
	}
	names := d.one("temp.*", "energy|battery_level", "tidemark_events|tidemark_inexact", "temperature")
	return "{" + strings.Join(append(all, fmt.Sprintf("__name__=~%q", names)), ",") + "}"
}

func (d draw) ranged(depth int) string {
	if depth == 0 || d.n(0, 3) > 0 {
		return d.selector() + "[" + d.length() + "]" + d.modifiers()
	}
	inner, modifiers := d.vector(depth-1), d.modifiers()
	if strings.Contains(inner, "@") {
		modifiers = ""
	}
	return fmt.Sprintf("(%s)[%s:%s]%s", inner, d.length(), d.one("", "37m", d.length()), modifiers)
}

func (d draw) vector(depth int) string {
	if depth == 0 {
		return d.selector() + d.modifiers()
	}
	v := func() string { return "(" + d.vector(depth-1) + ")" }
	switch d.n(0, 13) {
	case 0, 1, 2:
		return d.selector() + d.modifiers()
	case 3, 4, 5:
		return d.one(drawnOverTime...) + "(" + d.ranged(depth) + ")"
	case 6:
		return "quantile_over_time(0.25, " + d.ranged(depth) + ")"
	case 7:
		return fmt.Sprintf("%s %s (%s) %s", d.one("sum", "avg", "min", "max", "count", "group", "stddev"),
			d.one("by", "without"), d.one(drawnLabels...), v())
	case 8:
		return d.one(drawnCalls...) + v() + ")"
	case 9:
		return v() + d.one("+", "-", "*", "/", ">", "<= bool", "==", "and", "or", "unless") + v()
	case 10:
		return fmt.Sprintf("%s %s on (subject%s) %s (max by (subject, kind) %s)", v(), d.one("+", "*", ">"),
			d.one("", ", statistic", ", kind"), d.one("", "group_left ()", "group_left (kind)", "group_right (kind)"),
			v())
	case 11:
		return "vector(scalar(" + v() + "))"
	case 12:
		return v() + d.one("+", "> bool", "and", "or", "unless") + " ignoring (statistic, measure) " + v()
	}
	from := d.one("subject", "absent", "statistic")
	return fmt.Sprintf(`label_replace(%s, "to", "$1", %q, "(.*)")`, v(), from)
}
