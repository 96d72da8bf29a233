package sitecheck

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/ops/status"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const key = "key-of-127.0.0.1"

// site is a website and its API on one server, with a page.
type site struct {
	html, policy string
	page         int // status
	newest       model.Time
	unknown      bool // the secret
}

func (s site) check(t *testing.T) []status.Line {
	t.Helper()
	now := model.NewTime(time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/script/tidemark.js" {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			return
		}
		if s.policy != "" {
			w.Header().Set("Content-Security-Policy", s.policy)
		}
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(max(s.page, http.StatusOK))
		fmt.Fprint(w, s.html)
	}))
	defer server.Close()
	c := Checker{Client: server.Client(), Now: func() model.Time { return now }}
	if !s.unknown {
		c.Open = func(text string) (string, error) {
			if text != key {
				return "", access.ErrInvalidSiteKey
			}
			return "127.0.0.1", nil
		}
	}
	c.Newest = func(_ context.Context, site string) (model.Time, error) {
		if site != "127.0.0.1" {
			t.Errorf("read the views of %q", site)
		}
		if s.newest == 0 {
			return 0, nil
		}
		return now.Add(-time.Duration(s.newest) * time.Hour), nil
	}
	return c.Check(t.Context(), server.URL+"/")
}

const good = `<!doctype html><head>
<script defer src="/script/tidemark.js" data-site="` + key + `"></script></head>`

// meta is a policy in a page.
const meta = `<meta http-equiv="content-security-policy" content="script-src https:">`

// replaced is the good page with another text in place of one.
func replaced(text, by string) string { return strings.ReplaceAll(good, text, by) }

func TestCheck_NamesWhatIsWrongAndOnlyWhatWasTested(t *testing.T) {
	for name, c := range map[string]struct {
		site
		part  string
		state status.State
		text  string
	}{
		"all well": {
			site: site{html: good, newest: 1},
			part: "views", state: status.Well, text: "1h0m0s ago",
		},
		"script": {
			site: site{html: good, newest: 1},
			part: "script", state: status.Well, text: "it loads",
		},
		"blockers": {
			site: site{html: good, newest: 1},
			part: "blockers", state: status.NotKnown, text: "was not tested",
		},
		"no page": {
			site: site{page: 404},
			part: "page", state: status.Act, text: "404",
		},
		"no tag": {
			site: site{html: "<p>hello"},
			part: "tag", state: status.Act, text: "was not tested",
		},
		"another key": {
			site: site{html: replaced(key, "x")},
			part: "site id", state: status.Act, text: "no key of this",
		},
		"no secret": {
			site: site{html: good, unknown: true},
			part: "site id", state: status.NotKnown, text: "pass --stack",
		},
		"no script": {
			site: site{html: replaced("/script/", "/other/")},
			part: "script", state: status.Act, text: "want JavaScript",
		},
		"consent": {
			site: site{html: replaced("defer", `type="text/plain"`)},
			part: "consent", state: status.Act, text: "without consent",
		},
		"no views": {
			site: site{html: good},
			part: "views", state: status.Act, text: "no page view of 127.0.0.1",
		},
		"old views": {
			site: site{html: good, newest: 30},
			part: "views", state: status.NotKnown, text: "check again",
		},
		"policy of scripts": {
			site: site{html: good, policy: "script-src 'none'"},
			part: "policy", state: status.Act, text: "script-src does not allow",
		},
		"policy of requests": {
			site: site{html: good, policy: "default-src 'none'; script-src 'self'"},
			part: "policy", state: status.Act, text: "default-src does not allow",
		},
		"policy allows": {
			site: site{html: good, policy: "default-src 'self'"},
			part: "policy", state: status.Well, text: "allows",
		},
		"policy of the page": {
			site: site{html: meta + good},
			part: "policy", state: status.Act, text: "script-src",
		},
	} {
		lines := c.check(t)
		if !slices.ContainsFunc(lines, func(l status.Line) bool {
			return l.Part == c.part && l.State == c.state && strings.Contains(l.Text, c.text)
		}) {
			t.Errorf("%s: %+v\nwithout a line %s %s %q", name, lines, c.part, c.state, c.text)
		}
	}
}

func TestCheck_OfAPageThatCannotBeReadIsUnread(t *testing.T) {
	c := Checker{Client: &http.Client{}}
	lines := c.Check(t.Context(), "http://127.0.0.1:1/")
	if len(lines) != 1 || lines[0].State != status.Unread {
		t.Errorf("%+v, want one line that is unread", lines)
	}
}

// The sources of Content Security Policy Level 3, section 6.7.2.8.
func TestMatches_FollowsTheSpecification(t *testing.T) {
	page, _ := url.Parse("https://shop.example.com/")
	for _, c := range []struct {
		source, to string
		want       bool
	}{
		{"*", "https://api.example.com/x", true}, {"'self'", "https://shop.example.com/x", true},
		{"'self'", "https://api.example.com/x", false}, {"https:", "https://api.example.com/x", true},
		{"https:", "http://api.example.com/x", false}, {"http:", "https://api.example.com/x", true},
		{"api.example.com", "https://api.example.com/x", true},
		{"api.example.com", "http://api.example.com/x", false},
		{"*.example.com", "https://api.example.com/x", true},
		{"*.example.com", "https://example.com/x", false},
		{"https://api.example.com:8443", "https://api.example.com/x", false},
		{"https://api.example.com:*", "https://api.example.com:8443/x", true},
		{"api.example.com", "https://api.example.com:8443/x", false},
		{"api.example.com/script/", "https://api.example.com/script/tidemark.js", true},
		{"api.example.com/script", "https://api.example.com/script/tidemark.js", false},
		{"'unsafe-inline'", "https://api.example.com/x", false}, {"'none'", "https://api.example.com/x", false},
	} {
		to, err := url.Parse(c.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := matches(c.source, page, to); got != c.want {
			t.Errorf("%s and %s: %t, want %t", c.source, c.to, got, c.want)
		}
	}
}

func TestAllows_WithANonceOrStrictDynamic(t *testing.T) {
	page, _ := url.Parse("https://shop.example.com/")
	for text, want := range map[string]bool{
		"script-src 'nonce-r4nd'": true, "script-src 'strict-dynamic' https:": false, "img-src 'none'": true,
		"script-src 'strict-dynamic' 'nonce-r4nd'": true, "script-src 'nonce-other'": false,
	} {
		_, ok := parsePolicy(text).allows([]string{"script-src", "default-src"}, page, page, "r4nd")
		if ok != want {
			t.Errorf("%s: %t, want %t", text, ok, want)
		}
	}
}
