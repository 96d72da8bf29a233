package docs

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"text/template"

	"github.com/tidemark-db/tidemark/internal/api/promapi"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

//go:embed dashboard.json.tmpl
var text string

var dashboard = template.Must(template.New("").Funcs(template.FuncMap{
	"metric": promapi.Metric, "add": func(a, b int) int { return a + b },
	"below": func(i int) int { return 7 + 8*i },
	"json": func(v ...any) (string, error) {
		data, err := json.Marshal(fmt.Sprint(v...))
		return string(data), err
	},
}).Parse(text))

// Dashboard writes the dashboard of a kind as JSON for Grafana's import: a panel for each declared
// measure, one for events and one for inexact buckets. It reads no data.
func Dashboard(w io.Writer, kind *catalog.Kind) error { return dashboard.Execute(w, kind) }
