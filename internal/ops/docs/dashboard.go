package docs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

//go:embed dashboard.json.tmpl
var text string

var dashboard = template.Must(template.New("").Funcs(template.FuncMap{
	"metric": promapi.Metric, "add": func(a, b int) int { return a + b },
	"below": func(i int) int { return 7 + 8*i }, "unit": grafanaUnit,
	"json": func(v ...any) (string, error) {
		data, err := json.Marshal(fmt.Sprint(v...))
		return string(data), err
	},
	// after returns the index of the panel of a measure of a level of groups: they follow the kind's own.
	"after":    func(level, measure, measures int) int { return (level+1)*measures + measure },
	"variable": func(path string) string { return strings.ReplaceAll(path, "-", "_") },
}).Parse(text))

// Dashboard writes the dashboard of a kind as JSON for Grafana's import: a panel for each declared
// measure, also of each level of groups, one for events and one for inexact buckets. It reads no data.
func Dashboard(w io.Writer, kind *catalog.Kind) error { return dashboard.Execute(w, kind) }
