// Package browser tests the script of websites, and Plausible's own tracker, in real browsers
// against a local stack: Chromium with playwright, and Firefox with a page that acts itself.
package browser

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	ddblocal "github.com/tidemark-db/tidemark/internal/local/ddb"
	"github.com/tidemark-db/tidemark/internal/local/stack"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

const settings = "collector: {domains: [plausible.example]}\nmapping: {window: 0s}\n"

// want has, for each website, its page views by path and its custom events by name. The name
// "" is time spent on a page.
var want = map[string]map[string]int{
	"view":  {"view /view/": 1, "event ": 1},
	"early": {"view /early/": 1, "event Early": 1, "event ": 1},
	"spa":   {"view /spa/": 2, "view /spa/a": 1, "view /spa/b": 1, "event ": 4},
	"twice": {"view /twice/": 1, "event Outbound Link: Click": 1, "event Buy": 1, "event ": 1},
	"hash": {
		"view /hash/#/home": 1, "view /hash/#/about": 1, "view /hash/#/contact": 1,
		"event Circular": 1, "event Big": 1, "event ": 3,
	},
	"all":               {"view /all/": 1, "event Outbound Link: Click": 1, "event File Download": 1, "event Buy": 1, "event ": 1},
	"form":              {"view /form/": 1, "event Sent": 1, "view /form/thanks": 1, "event ": 2},
	"offline":           {"view /offline/": 1, "event One": 1, "event Two": 1, "event ": 1},
	"stored":            {"view /stored/a": 2, "view /stored/b": 1, "event ": 3},
	"back":              {"view /back/a": 2, "view /back/b": 2, "event ": 4},
	"driveprerender":    {"view /driveprerender/": 1, "view /driveprerender/next": 1, "event ": 2},
	"close":             {"view /close/": 1, "event ": 1},
	"repeat":            {"view /repeat/": 1, "event ": 1},
	"optout":            {},
	"dnt":               {},
	"ignore":            {"view /ignore/": 1, "event Buy": 1, "event ": 1},
	"plausible.example": {"view /plausible/": 1, "event Signup": 1},
}

// ofFirefox is the same for the page that acts itself.
var ofFirefox = map[string]map[string]int{
	"drive":       {"view /drive/": 2, "view /drive/two": 1, "event Buy": 1, "event Paid": 1, "event ": 2},
	"driveback":   {"view /driveback/": 2, "view /driveback/next": 1, "event ": 2},
	"driveoptout": {},
}

func TestChromium_CountsEachEventOnce(t *testing.T) { run(t, "chromium", "CHROMIUM", want) }

func TestFirefox_CountsEachEventOnce(t *testing.T) { run(t, "firefox-esr", "FIREFOX", ofFirefox) }

func run(t *testing.T, browser, variable string, want map[string]map[string]int) {
	path := os.Getenv(variable)
	if path == "" {
		path = "/usr/bin/" + browser
	}
	if _, err := os.Stat(path); err != nil {
		testenv.Missing(t, browser, fmt.Sprintf("install it, or set %s to its path", variable))
	}
	node, err := exec.LookPath("node")
	if err != nil {
		testenv.Missing(t, "node", err)
	}
	s := start(t)
	keys := map[string]string{}
	for site := range want {
		keys[site] = access.NewSiteKey([]byte(access.LocalSiteSecret), site)
	}
	text, err := json.Marshal(keys)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), node, "browser.mjs", s.URL, browser,
		string(text)).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for site, counts := range want {
		waitFor(t, site, counts, func() map[string]int { return count(t, s.URL, site) })
	}
}

func start(t *testing.T) *stack.Stack {
	t.Helper()
	path := filepath.Join(t.TempDir(), configfile.FileName)
	if err := os.WriteFile(path, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	parsed, err := configfile.Load(path, domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := stack.Start(t.Context(), stack.Options{
		Config: parsed, ConfigPath: path, Table: fmt.Sprintf("browser-%d", time.Now().UnixNano()),
		DynamoDB: ddblocal.FromEnv(), Dir: t.TempDir(),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

// waitFor compares the counts of a site until they are right: the last request of a closed page
// arrives after the page has gone.
func waitFor(t *testing.T, site string, want map[string]int, got func() map[string]int) {
	t.Helper()
	deadline := time.Now().Add(5 * time.Second)
	for {
		counts := got()
		for name := range counts {
			if name == "event " && site == "plausible.example" {
				delete(counts, name) // Plausible's tracker sends it at times of its own
			}
		}
		if fmt.Sprint(counts) == fmt.Sprint(want) {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("%s: got %v, want %v", site, counts, want)
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// count returns the stored events of a site, in the stream of people.
func count(t *testing.T, api, site string) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for kind, field := range map[string]string{"pageviews": "path", "customevents": "name"} {
		var page struct{ Events []map[string]any }
		response, err := http.Get(api + "/v1/sites/" + site + "/" + kind + "?limit=1000")
		if err != nil {
			t.Fatal(err)
		}
		err = json.NewDecoder(response.Body).Decode(&page)
		response.Body.Close()
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%s of %s: %s, %v", kind, site, response.Status, err)
		}
		for _, e := range page.Events {
			fields, _ := e["fields"].(map[string]any)
			value, _ := fields[field].(string)
			if kind == "pageviews" {
				counts["view "+value]++
			} else {
				counts["event "+value]++
			}
		}
	}
	return counts
}

// Every scenario of the browser has expected counts.
func TestScenarios_AllHaveCounts(t *testing.T) {
	text, err := os.ReadFile("browser.mjs")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "  async "); ok {
			name, _, _ = strings.Cut(name, "(")
			named = append(named, name)
		}
	}
	for _, name := range named {
		if !slices.Contains([]string{"plausible"}, name) && want[name] == nil {
			t.Errorf("scenario %s has no expected counts", name)
		}
	}
	if len(named)+1 != len(want) { // driveprerender acts itself
		t.Errorf("%d scenarios, %d expected", len(named)+1, len(want))
	}
}
