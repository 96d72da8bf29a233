package script_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"os/exec"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/web/script"
)

func TestServe_ReturnsTheBuiltScripts(t *testing.T) {
	for _, c := range []struct {
		method, name string
		status       int
	}{
		{"GET", "tidemark.js", 200}, {"GET", "all.js", 200}, {"GET", "outbound.js", 200}, {"GET", "downloads.js", 200}, {"GET", "forms.js", 200},
		{"GET", "", 404}, {"GET", "../script.go", 404}, {"GET", "x/tidemark.js", 404}, {"GET", "none.js", 404}, {"POST", "tidemark.js", 405},
	} {
		r := script.Serve(t.Context(), &httpapi.Request{Method: c.method, Path: script.PathPrefix + c.name})
		if r.Status != c.status ||
			(r.Status == http.StatusOK) != (r.Headers["Content-Type"] == "text/javascript; charset=utf-8") {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.name, r.Status, r.Headers["Content-Type"], c.status)
		}
	}
}

// The script is part of every page of a website.
func TestScript_HasAtMost1229Bytes(t *testing.T) {
	var zipped bytes.Buffer
	w, err := gzip.NewWriterLevel(&zipped, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	body := script.Serve(t.Context(),
		&httpapi.Request{Method: "GET", Path: script.PathPrefix + "tidemark.js"}).Body
	if _, err := w.Write([]byte(body)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if zipped.Len() > 1229 || len(body) < 500 {
		t.Errorf("%d bytes, gzipped %d; want at most 1229", len(body), zipped.Len())
	}
}

func TestScript_IsWhatItsSourceBuilds(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		testenv.Missing(t, "node", err)
	}
	if out, err := exec.CommandContext(t.Context(), node, "build.mjs", "--check").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

func TestSnippet_IsOneTag(t *testing.T) {
	want := `<script defer src="https://api.example.com/script/tidemark.js" data-site="a.b&#34;"></script>`
	if got := script.Snippet("https://api.example.com/", `a.b"`); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
