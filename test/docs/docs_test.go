// Package docs holds what the documentation lists against what there is.
package docs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const root = "../.."

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var alarmRow = regexp.MustCompile(`(?m)^\| ([A-Z][A-Za-z0-9]+) \|`)

func TestAlarms_EachOfTheTemplateHasItsRowAndNoOther(t *testing.T) {
	var template struct {
		Resources map[string]struct {
			Type       string
			Properties struct{ AlarmName string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "infra/testdata/prod.template.json")), &template); err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, row := range alarmRow.FindAllStringSubmatch(read(t, "docs/ALARMS.md"), -1) {
		told = append(told, row[1])
	}
	for id, r := range template.Resources {
		if r.Type != "AWS::CloudWatch::Alarm" {
			continue
		}
		name := strings.TrimPrefix(r.Properties.AlarmName, "tidemark-prod-")
		if i := slices.Index(told, name); i < 0 {
			t.Errorf("alarm %s (%s) has no row in docs/ALARMS.md", name, id)
		} else {
			told = slices.Delete(told, i, i+1)
		}
	}
	if len(told) > 0 {
		t.Errorf("rows of no alarm, or a second one: %q", told)
	}
}

var makeTarget = regexp.MustCompile(`\bmake ([a-z]+(?:-[a-z]+)*)\b`)

// What a reader is told to type is there to be typed.
func TestPages_NameTargetsThatExist(t *testing.T) {
	makefile := read(t, "Makefile")
	for _, page := range []string{"docs/DEPLOYING.md", "docs/UPGRADING.md", "docs/ALARMS.md", "docs/COST.md", "events/README.md"} {
		for _, code := range code(read(t, page)) {
			for _, found := range makeTarget.FindAllStringSubmatch(code, -1) {
				if !strings.Contains(makefile, "\n"+found[1]+":") {
					t.Errorf("%s: make %s: no such target", page, found[1])
				}
			}
		}
	}
}

var codeParts = regexp.MustCompile("(?s)```.*?```|`[^`]+`")

func code(page string) []string { return codeParts.FindAllString(page, -1) }

var link = regexp.MustCompile(`\]\(([^)#:]+)\)`)

func TestPages_LinkToWhatIsThere(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range link.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), found[1])); err != nil {
				t.Errorf("%s links to %s, which is not there", filepath.Base(page), found[1])
			}
		}
	}
}
