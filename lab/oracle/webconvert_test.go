package oracle

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
)

// The oracle of the data counts a referrer by its host, and only the very host of the site is none.
func TestLine_HasTheReferrersThatTheOracleCounts(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]any{
		"https://www.a.example/page": "www.a.example",
		"https://a.example/page":     nil,
		"https://B.example/?q=1":     "b.example",
		"http://localhost:3000/":     "localhost",
		"-":                          nil,
	} {
		l := Line{Site: "a.example", Type: "pageview", Referrer: link}
		if got := l.Observation()[webfield.Referrer]; got != want {
			t.Errorf("%s: %v, want %v", link, got, want)
		}
	}
}
