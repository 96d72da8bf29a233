// Package grafana makes dashboards for Grafana, whose panels are queries of Tidemark's Prometheus API.
package grafana

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"

	"github.com/tidemark-db/tidemark/pkg/catalog"
)

//go:embed dashboard.json.tmpl
var text string

var dashboard = template.Must(template.New("").Funcs(template.FuncMap{
	"metric": Metric, "add": func(a, b int) int { return a + b }, "below": func(i int) int { return 7 + 8*i },
	"json": func(v ...any) (string, error) { data, err := json.Marshal(fmt.Sprint(v...)); return string(data), err },
}).Parse(text))

// Dashboard writes the dashboard of a kind as JSON for Grafana's import: a panel for each declared
// measure, one for events and one for inexact buckets. It reads no data.
func Dashboard(w io.Writer, kind *catalog.Kind) error { return dashboard.Execute(w, kind) }

var notInMetrics = regexp.MustCompile(`[^a-zA-Z0-9_]`)

// Metric returns the metric name of a measure: battery.level is battery_level.
func Metric(measure string) string {
	name := notInMetrics.ReplaceAllString(measure, "_")
	if name == "" || name[0] >= '0' && name[0] <= '9' || strings.HasPrefix(name, "tidemark_") {
		return "_" + name
	}
	return name
}
