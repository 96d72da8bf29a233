package webui

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/testenv"
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
		if csp := got.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
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
	ui, err := filepath.Abs("../../ui")
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

func get(t *testing.T, h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}
