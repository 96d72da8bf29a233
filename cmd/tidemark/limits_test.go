package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the pages that commands print")

const limitsPage = "../../docs/run/LIMITS.md"

// The page of limits has what the command prints, for tidemark.yaml and for the configuration on the page.
func TestLimits_AreOnThePage(t *testing.T) {
	page, err := os.ReadFile(limitsPage)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "```yaml\n")
	text, _, _ = strings.Cut(text, "```")
	million := filepath.Join(t.TempDir(), "tidemark.yaml")
	if err := os.WriteFile(million, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	want := string(page)
	for heading, file := range map[string]string{
		"## The shipped configuration": "../../tidemark.yaml", "## A million devices": million,
	} {
		var out bytes.Buffer
		args := words("config limits --config " + file)
		if status := run(t.Context(), args, strings.NewReader(""), &out, &out); status != 0 {
			t.Fatalf("config limits --config %s: exit status %d: %s", file, status, &out)
		}
		before, section, found := strings.Cut(want, heading)
		intro, list, opened := strings.Cut(section, "\n\n```\n")
		_, after, closed := strings.Cut("\n"+list, "\n```\n")
		if !found || !opened || !closed {
			t.Fatalf("no list below %q", heading)
		}
		want = before + heading + intro + "\n\n```\n" + out.String() + "```\n" + after
	}
	if *update {
		err = os.WriteFile(limitsPage, []byte(want), 0o600)
	} else if diff := cmp.Diff(string(page), want); diff != "" {
		t.Errorf("out of date: go test ./cmd/tidemark -run TestLimits -update (-page +command):\n%s", diff)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestLimits_RefuseWhatIsNoLoad(t *testing.T) {
	for line, want := range map[string]string{
		"config limits --stage other": "declares no such stage", "config limits --rate often": "not a rate",
		"config limits --batch 0": "want 1 to 1000", "config limits NOTHING": "NOTHING",
	} {
		var out bytes.Buffer
		args := words(line + " --config ../../tidemark.yaml")
		if status := run(t.Context(), args, strings.NewReader(""), &out, &out); status != 2 ||
			!strings.Contains(out.String(), want) {
			t.Errorf("%s: exit status %d, %s; want 2 and %q", line, status, &out, want)
		}
	}
}
