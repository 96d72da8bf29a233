package webui

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// maxGzip is the size of all files together, compressed.
const maxGzip = 100 << 10

func TestPages_LoadNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	for _, path := range []string{Path, Path + "app.js", Path + "app.css"} {
		got := get(t, Pages(), httptest.NewRequest("GET", path, nil))
		if got.Code != http.StatusOK || got.Body.Len() == 0 {
			t.Errorf("%s: status %d with %d bytes, want a file", path, got.Code, got.Body.Len())
		}
		if csp := got.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
			strings.Contains(csp, "unsafe") {
			t.Errorf("%s: policy %q allows more than the own files", path, csp)
		}
	}
	if got := get(t, Pages(), httptest.NewRequest("GET", Path+"other", nil)); got.Code != http.StatusNotFound {
		t.Errorf("a file that does not exist: status %d, want 404", got.Code)
	}
}

func TestPages_AreSmall(t *testing.T) {
	t.Parallel()
	var all bytes.Buffer
	for _, name := range []string{"index.html", "app.js", "app.css"} {
		content, err := dist.ReadFile("dist/" + name)
		if err != nil {
			t.Fatal(err)
		}
		w := gzip.NewWriter(&all)
		w.Write(content)
		w.Close()
	}
	if all.Len() > maxGzip {
		t.Errorf("%d bytes compressed, want at most %d", all.Len(), maxGzip)
	}
}

// The committed files are those that the sources build.
func TestPages_AreTheBuildOfTheirSources(t *testing.T) {
	ui, err := filepath.Abs("../../../ui")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(ui, "node_modules", "esbuild")); err != nil {
		testenv.Missing(t, "node", "esbuild is not installed: run make ui/node_modules")
	}
	out := t.TempDir()
	build := exec.Command("npm", "run", "--silent", "build", "--", "--outdir="+out)
	build.Dir = ui
	if printed, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the pages: %v\n%s", err, printed)
	}
	for _, name := range []string{"index.html", "app.js", "app.css"} {
		built, err := os.ReadFile(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		if committed, _ := dist.ReadFile("dist/" + name); !bytes.Equal(built, committed) {
			t.Errorf("dist/%s is not the build of ui: run make ui, and commit the result", name)
		}
	}
}

func TestReadOnly_PassesReadsWithTheTransportsSignature(t *testing.T) {
	t.Parallel()
	var seen *http.Request
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen = r
		w.Header().Set("ETag", `"1"`)
		io.WriteString(w, `{"subjects":[]}`)
	}))
	defer api.Close()
	h, err := ReadOnly(api.URL, signing{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/v1/devices/a%2Fb?limit=3", nil)
	r.Header.Set("Cookie", "secret")
	r.Header.Set("If-None-Match", `"0"`)
	got := get(t, h, r)
	if got.Code != http.StatusOK || got.Header().Get("ETag") != `"1"` {
		t.Fatalf("status %d, ETag %q, want the response of the API", got.Code, got.Header().Get("ETag"))
	}
	if seen.RequestURI != "/v1/devices/a%2Fb?limit=3" || seen.Header.Get("Authorization") != "signed" ||
		seen.Header.Get("If-None-Match") != `"0"` {
		t.Errorf("the API received %s with %v", seen.RequestURI, seen.Header)
	}
	if seen.Header.Get("Cookie") != "" {
		t.Error("the API received a cookie of this origin")
	}
	query := httptest.NewRequest("POST", "/api/v2/query", strings.NewReader("{}"))
	query.Header.Set("Content-Type", "application/json")
	if got := get(t, h, query); got.Code != http.StatusOK ||
		seen.Header.Get("Content-Type") != "application/json" {
		t.Errorf("a query of a website: status %d, and the API received %v", got.Code, seen.Header)
	}
}

func TestReadOnly_RefusesChangesAndOtherSites(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		t.Error("the API received a refused request")
	}))
	defer api.Close()
	h, err := ReadOnly(api.URL, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		name, method, site string
		status             int
		message            string
	}{
		{"an append", "POST", "same-origin", http.StatusMethodNotAllowed, "read-only"},
		{"a deletion", "DELETE", "", http.StatusMethodNotAllowed, "read-only"},
		{"a read by another website", "GET", "cross-site", http.StatusForbidden, "another website"},
		{"a read by another port", "GET", "same-site", http.StatusForbidden, "another website"},
	} {
		r := httptest.NewRequest(row.method, "/v1/devices", nil)
		r.Header.Set("Sec-Fetch-Site", row.site)
		if got := get(t, h, r); got.Code != row.status || !strings.Contains(got.Body.String(), row.message) {
			t.Errorf("%s: status %d %s, want %d with %q", row.name, got.Code, got.Body, row.status, row.message)
		}
	}
}

func TestReadOnly_ReportsAnAPIThatIsAway(t *testing.T) {
	t.Parallel()
	api := httptest.NewServer(http.NotFoundHandler())
	api.Close()
	h, err := ReadOnly(api.URL, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := get(t, h, httptest.NewRequest("GET", "/v1/devices", nil)); got.Code != http.StatusBadGateway ||
		!strings.Contains(got.Body.String(), "could not be read") {
		t.Errorf("status %d %s, want 502 and the reason", got.Code, got.Body)
	}
	if _, err := ReadOnly("devices", nil, nil); err == nil {
		t.Error("an address without a host was accepted")
	}
}

// The pages request what only a local stack or a stack in AWS has. Elsewhere there is no content, and no
// error.
func TestReadOnly_ServesTheHealthOfAStackThatIsKnown(t *testing.T) {
	t.Parallel()
	known := func(context.Context) (any, error) { return map[string]int{"alarms": 3}, nil }
	denied := func(context.Context) (any, error) {
		return nil, errors.New("cloudwatch:DescribeAlarms is denied")
	}
	for _, row := range []struct {
		name, path, site string
		stack            func(context.Context) (any, error)
		status           int
		body             string
	}{
		{"no stack", PathStack, "same-origin", nil, http.StatusNoContent, ""},
		{"a stack", PathStack, "same-origin", known, http.StatusOK, `{"alarms":3}`},
		{"a stack that cannot be read", PathStack, "same-origin", denied, http.StatusBadGateway, "DescribeAlarms is denied"},
		{"a stack, for another website", PathStack, "cross-site", known, http.StatusForbidden, "another website"},
		{"the status of a local stack", PathStatus, "same-origin", known, http.StatusNoContent, ""},
	} {
		h, err := ReadOnly("http://api.example.com", nil, row.stack)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest("GET", row.path, nil)
		r.Header.Set("Sec-Fetch-Site", row.site)
		if got := get(t, h, r); got.Code != row.status || !strings.Contains(got.Body.String(), row.body) {
			t.Errorf("%s: status %d %s, want %d with %q", row.name, got.Code, got.Body, row.status, row.body)
		}
	}
}

type signing struct{}

func (signing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "signed")
	return http.DefaultTransport.RoundTrip(r)
}

func get(t *testing.T, h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
