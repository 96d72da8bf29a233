package alert

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// notDrawn are figures that a chart of a measure has no line of.
var notDrawn = []string{"count", "sum"}

// The figures that a rule of groups can test are on the page of groups, and those that a chart shows are known
// to it. Each percentile of readers is one of them.
func TestFigures_AreWhereTheyAreNamed(t *testing.T) {
	t.Parallel()
	read := func(path string) string {
		text, err := os.ReadFile("../../../" + path)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page, chart := read("docs/use/GROUPS.md"), read("ui/src/rules.ts")
	for _, f := range figures {
		if !strings.Contains(page, "`"+f.name+"`") {
			t.Errorf("docs/use/GROUPS.md does not name the figure %s", f.name)
		}
		if !slices.Contains(notDrawn, f.name) && !strings.Contains(chart, `"`+f.name+`"`) {
			t.Errorf("ui/src/rules.ts does not name the figure %s", f.name)
		}
	}
	percentiles := 0
	for _, c := range query.FigureColumns {
		if !regexp.MustCompile(`^p[0-9]+$`).MatchString(c.Name) {
			continue
		}
		percentiles++
		if !slices.ContainsFunc(figures, func(f figure) bool { return f.name == c.Name }) {
			t.Errorf("no rule can test the percentile %s: add a row to figures", c.Name)
		}
	}
	if percentiles == 0 {
		t.Error("no percentile was found")
	}
}
