package docs

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

var testName = regexp.MustCompile("`([a-z/0-9]+)\\.(Test[A-Za-z0-9_]+)`")

// Each procedure has a test that exists.
func TestDay2_NamesExistingTests(t *testing.T) {
	page := read(t, "docs/run/DAY-2.md")
	found := testName.FindAllStringSubmatch(page, -1)
	if rows := strings.Count(page, "\n| ") - 1; len(found) < rows-2 {
		t.Errorf("%d tests for %d procedures", len(found), rows)
	}
	for _, name := range found {
		if err := exec.Command("grep", "-rq", "func "+name[2]+"(", "--include=*_test.go",
			"../../"+name[1]).Run(); err != nil {
			t.Errorf("%s.%s: no such test", name[1], name[2])
		}
	}
}
