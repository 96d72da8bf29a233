package release

import (
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// TestNotices_AreOfAllThatIsShipped fails for a new module without a licence that may be shipped.
func TestNotices_AreOfAllThatIsShipped(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		testenv.Missing(t, "node", err)
	}
	list := exec.CommandContext(t.Context(), "node", "scripts/notices.mjs", "./cmd/tidemark",
		"./functions/...")
	list.Dir = "../.."
	text, err := list.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, err.(*exec.ExitError).Stderr)
	}
	for _, want := range []string{"The Go standard library (BSD)", "github.com/spf13/cobra v",
		"github.com/prometheus/prometheus v", "The Prometheus systems and service monitoring server",
		"internal/web/collector/bots.txt (MIT)", "Martin Monperrus"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the notices have no %q", want)
		}
	}
}

// The pages are served to anyone, so app.js has the notices itself.
func TestNotices_AreInThePages(t *testing.T) {
	t.Parallel()
	var ui struct{ Dependencies map[string]string }
	text, err := os.ReadFile("../../ui/package.json")
	if err == nil {
		err = json.Unmarshal(text, &ui)
	}
	if err != nil || len(ui.Dependencies) == 0 {
		t.Fatalf("package.json of the pages: %v, %v", ui.Dependencies, err)
	}
	app, err := os.ReadFile("../../internal/api/webui/dist/app.js")
	if err != nil {
		t.Fatal(err)
	}
	_, notices, _ := strings.Cut(string(app), "/*!")
	for name := range ui.Dependencies {
		if !strings.Contains(strings.ToLower(notices), name+": copyright (c)") {
			t.Errorf("app.js has no notice of %s: add it to ui/src/notices.ts", name)
		}
	}
}
