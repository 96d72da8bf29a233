package stack

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
)

// The collector as a web page uses it: the authorizer accepts the site key, ingest stores the view,
// and the rollups count it.
func TestStack_CollectsPageViewsWithASiteKey(t *testing.T) {
	s := startStack(t, nil)
	post := func(key string) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+access.SiteKeyPathPrefix+key,
			strings.NewReader(`{"url":"/blog"}`))
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
	key := access.NewSiteKey([]byte(access.LocalSiteSecret), "my-site")
	for range 2 {
		if status := post(key); status != http.StatusNoContent {
			t.Fatalf("with the site's key: %d, want 204", status)
		}
	}
	if status := post(access.NewSiteKey([]byte("a different secret"),
		"my-site")); status != http.StatusForbidden {
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

// A first view can be seen arriving in "tidemark dev" without a website.
func TestStack_ServesASampleSiteWithTheScript(t *testing.T) {
	s := startStack(t, nil)
	page := body(t, s.URL+SamplePath)
	key := access.NewSiteKey([]byte(access.LocalSiteSecret), SampleSite)
	if !strings.Contains(page, `data-site="`+key+`"`) || !strings.Contains(page, s.URL+"/script/tidemark.js") {
		t.Errorf("the page does not load the script: %s", page)
	}
	if script := body(t, s.URL+"/script/tidemark.js"); !strings.Contains(script, "/v1/collect/") {
		t.Errorf("the script does not send to the collector: %s", script)
	}
}

func body(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s, %v", url, resp.Status, err)
	}
	return string(text)
}
