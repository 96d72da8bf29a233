package promapi

import (
	"regexp"
	"strings"
)

var notInMetrics = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// Metric returns the metric name of a measure: battery.level is battery_level.
func Metric(measure string) string {
	name := notInMetrics.ReplaceAllString(measure, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' || strings.HasPrefix(name, "tidemark_") {
		return "_" + name
	}
	return name
}
