package promapi

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/query"
)

// notStatistics are the columns of figures that no query in PromQL needs.
var notStatistics = []string{"coveredSeconds", "rounded"}

var (
	upper      = regexp.MustCompile("[A-Z]")
	percentile = regexp.MustCompile(`^p[0-9]+$`)
)

// A figure that CSV and Parquet have is a statistic, and a percentile is left out where it is partial.
func TestStatistics_HaveEveryFigure(t *testing.T) {
	t.Parallel()
	met := 0
	for _, c := range slices.Concat(query.FigureColumns, query.StepColumns) {
		name := upper.ReplaceAllStringFunc(c.Name, func(s string) string { return "_" + strings.ToLower(s) })
		at := slices.IndexFunc(statistics, func(s statistic) bool { return s.name == name })
		switch {
		case slices.Contains(notStatistics, c.Name):
		case at < 0:
			t.Errorf("the figure %s is no statistic: add a row to statistics, or name it in notStatistics", c.Name)
		case statistics[at].percentile != percentile.MatchString(name):
			t.Errorf("statistic %s: percentile is %t", name, statistics[at].percentile)
		default:
			met++
		}
	}
	if met < len(statistics) {
		t.Errorf("%d statistics are figures, want all %d", met, len(statistics))
	}
}
