package local

import (
	_ "embed"
	"fmt"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/script"
	"github.com/tidemark-db/tidemark/internal/sitekey"
)

// The sample website of a local stack, whose pages send their views to the collector.
const (
	SamplePath = "/sample/"
	SampleSite = "sample"
)

//go:embed sample.html
var sampleHTML string

// samplePolicy allows the page only what the script needs, and its own style.
const samplePolicy = "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'"

// serveSample serves every page of the sample website.
func (s *Stack) serveSample(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", samplePolicy)
	fmt.Fprintf(w, sampleHTML, script.Snippet(s.URL, sitekey.New([]byte(sitekey.LocalSecret), SampleSite)))
}
