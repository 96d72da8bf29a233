package formats

import (
	"archive/zip"
	"bytes"
	"maps"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
)

func emptyArchive(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := zip.NewWriter(&b).Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestInput_AnEmptyFileIsNothingToDo(t *testing.T) {
	t.Parallel()
	kinds := websites(t)
	views, _ := kinds.Kind(web.PageViews.Name)
	mapping := &points.Mapping{Rows: config.Default().Sources, Catalog: kinds}
	inputs := map[string]Input{
		"observations": {Kind: readings(t)}, "points": {Kind: readings(t), Points: mapping},
		"without a header": {Kind: readings(t), Shape: Shape{Header: []string{"deviceId", "timestamp", "value"}}},
		"skipped lines":    {Kind: readings(t), Shape: Shape{Skip: 2, SkipBelow: 1}},
	}
	for format := range maps.Keys(webFormats) {
		inputs[format] = Input{Kind: views, Web: &Web{Format: format, Site: "s"}}
	}
	names := strings.Fields("a.tsv a.ndjson a.json a.parquet a.lp a.log a.csv.gz")
	for what, in := range inputs {
		for _, name := range append([]string{"imported_visitors.csv"}, names...) {
			if what == "plausible" && name != "imported_visitors.csv" {
				continue
			}
			for _, text := range []string{"", "\uFEFF", "\n", "\r\n\r\n", "\uFEFF\n"} {
				path := write(t, name, text)
				err := in.Each([]string{path}, func(o Observation) error {
					t.Errorf("%s, %s, %q: %+v", what, name, text, o)
					return nil
				})
				if err != nil {
					t.Errorf("%s, %s, %q: %v", what, name, text, err)
				}
			}
		}
		for _, text := range []string{"", emptyArchive(t)} {
			err := in.Each([]string{write(t, "a.zip", text)}, func(Observation) error { return nil })
			if in.Web != nil && err != nil {
				t.Errorf("%s, an archive of %d bytes: %v", what, len(text), err)
			}
		}
	}
}
