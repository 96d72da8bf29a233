package local

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/sitekey"
)

// The collector as a web page uses it: the authorizer accepts the site key, ingest stores the view,
// and the rollups count it.
func TestStack_CollectsPageViewsWithASiteKey(t *testing.T) {
	s := startStack(t, nil)
	post := func(key string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+sitekey.PathPrefix+key, strings.NewReader(`{"url":"/blog"}`))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.StatusCode
	}
	key := sitekey.New([]byte(sitekey.LocalSecret), "my-site")
	for range 2 {
		if status := post(key); status != http.StatusNoContent {
			t.Fatalf("with the site's key: %d, want 204", status)
		}
	}
	if status := post(sitekey.New([]byte("a different secret"), "my-site")); status != http.StatusForbidden {
		t.Errorf("with an invalid key: %d, want 403", status)
	}
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	var top struct {
		Events int64
		Values []struct {
			Value string
			Count int64
		}
	}
	get(t, s.URL+"/v1/sites/my-site/pageviews/top/path?tier=minute&last=5m", &top)
	if fmt.Sprint(top) != "{2 [{/blog 2}]}" {
		t.Errorf("the last five minutes are %+v, want two views of /blog", top)
	}
}
