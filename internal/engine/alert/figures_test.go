package alert

import (
	"os"
	"strings"
	"testing"
)

func TestFigures_OfRulesAreOnThePageOfGroups(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/use/GROUPS.md")
	if err != nil || len(tested) == 0 {
		t.Fatal(err, tested)
	}
	for _, c := range tested {
		if !strings.Contains(string(page), "`"+c.Name+"`") {
			t.Errorf("docs/use/GROUPS.md does not name the figure %s", c.Name)
		}
	}
}
