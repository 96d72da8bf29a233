// Package sitecheck tests whether the pages of a website send their views: it loads a page and its script as
// a browser would, reads the policy of the page, and looks for views that arrived. It runs no script, and
// asserts only what it tested. The package prints nothing.
package sitecheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/status"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxPage bounds how much of a page and of a script is read, in bytes.
const maxPage = 4 << 20

// Checker checks pages. It is for one goroutine.
type Checker struct {
	Client *http.Client
	Now    func() model.Time
	// Open returns the site of a key, or access.ErrInvalidSiteKey. nil: the deployment's secret is not known.
	Open func(key string) (site string, err error)
	// Newest returns the time of the newest stored page view of a site, 0 if there is none.
	Newest func(ctx context.Context, site string) (model.Time, error)
}

// check is one run of a Checker.
type check struct {
	*Checker
	lines []status.Line
}

func (c *check) say(state status.State, part, command, text string, args ...any) {
	line := status.Line{Part: part, State: state, Command: command, Text: fmt.Sprintf(text, args...)}
	c.lines = append(c.lines, line)
}

// Check returns what it found out about a page, a line for each part. A part that could not be tested,
// because one before it failed, has no line.
func (c *Checker) Check(ctx context.Context, address string) []status.Line {
	run := &check{Checker: c}
	run.page(ctx, address)
	return run.lines
}

func (c *check) page(ctx context.Context, address string) {
	resp, body, err := c.get(ctx, address)
	if err != nil {
		c.say(status.Unread, "page", "", "%v", err)
		return
	}
	at := resp.Request.URL
	switch kind := resp.Header.Get("Content-Type"); {
	case resp.StatusCode != http.StatusOK:
		c.say(status.Act, "page", "", "%s has status %s", at, resp.Status)
		return
	case !strings.Contains(kind, "html"):
		c.say(status.Act, "page", "", "%s is %s, not a page", at, kind)
		return
	}
	c.say(status.Well, "page", "", "%s, %s bytes", at, terminal.Grouped(len(body)))
	found := parse(body)
	create := "tidemark site create " + strings.TrimPrefix(at.Hostname(), "www.")
	if len(found.tags) == 0 {
		c.say(status.Act, "tag", create, "the page as it is served has no tag with data-site: put it into "+
			"the head. Whether another script inserts it was not tested")
		return
	}
	tag := found.tags[0]
	src, err := at.Parse(tag.src)
	if err != nil || src.Host == "" {
		c.say(status.Act, "tag", create, "its src %q is not an address", tag.src)
		return
	}
	c.say(status.Well, "tag", "", "%d in the page: %s", len(found.tags), src)
	c.consent(tag)
	site := c.site(tag, at, create)
	c.script(ctx, at, src)
	collector := src.ResolveReference(&url.URL{Path: access.SiteKeyPathPrefix + tag.site})
	if tag.to != "" {
		if other, err := at.Parse(tag.to); err == nil {
			collector = other
		}
	}
	policies := append(resp.Header.Values("Content-Security-Policy"), found.policies...)
	c.policies(policies, at, src, collector, tag)
	if site != "" {
		c.views(ctx, site)
	}
	c.say(status.NotKnown, "blockers", "", "whether browsers block %s or requests to %s was not tested: "+
		"open the page in one with a blocker", src, collector.Host)
}

// get loads an address as a browser does.
func (c *check) get(ctx context.Context, address string) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Accept", "text/html,*/*")
	req.Header.Set("User-Agent", "tidemark site check")
	resp, err := c.Client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxPage))
	return resp, body, err
}

// consent says whether the type of the tag keeps browsers from running it, as consent managers do.
func (c *check) consent(tag tag) {
	if tag.runs() {
		c.say(status.Well, "consent", "", "the tag runs as it is; whether a script removes it was not tested")
		return
	}
	c.say(status.Act, "consent", "", "the tag has type %q: browsers run it only after a consent manager "+
		"changes that, so visitors without consent are not counted", tag.kind)
}

// site returns the site of the key, "" if it is not known here.
func (c *check) site(tag tag, page *url.URL, create string) string {
	if c.Open == nil {
		c.say(status.NotKnown, "site id", "", "the secret of keys is not known: pass --stack or --secret")
		return ""
	}
	site, err := c.Open(tag.site)
	switch {
	case errors.Is(err, access.ErrInvalidSiteKey):
		c.say(status.Act, "site id", create, "data-site %q is no key of this deployment: views are refused",
			tag.site)
	case err != nil:
		c.say(status.Unread, "site id", "", "%v", err)
	case site != strings.TrimPrefix(page.Hostname(), "www."):
		c.say(status.Well, "site id", "", "%s, not the host of the page: its views are counted there", site)
	default:
		c.say(status.Well, "site id", "", "%s", site)
	}
	return site
}

// script loads the script of the tag.
func (c *check) script(ctx context.Context, page, src *url.URL) {
	if page.Scheme == "https" && src.Scheme == "http" {
		c.say(status.Act, "script", "", "%s is http in a page of https: browsers do not load it", src)
		return
	}
	resp, _, err := c.get(ctx, src.String())
	kind := ""
	if err == nil {
		kind = resp.Header.Get("Content-Type")
	}
	switch {
	case err != nil:
		c.say(status.Act, "script", "", "it does not load: %v", err)
	case resp.StatusCode != http.StatusOK || !strings.Contains(kind, "javascript"):
		c.say(status.Act, "script", "", "%s is %s, %s: want JavaScript", src, resp.Status, kind)
	default:
		c.say(status.Well, "script", "", "it loads")
	}
}

// scriptDirectives are the directives of a policy for scripts; the first that it has counts.
var scriptDirectives = []string{"script-src-elem", "script-src", "default-src"}

// policies says whether the Content-Security-Policy of the page allows the script and its requests.
func (c *check) policies(texts []string, page, src, collector *url.URL, tag tag) {
	blocked := false
	for _, text := range texts {
		for policy := range strings.SplitSeq(text, ",") {
			p := parsePolicy(policy)
			for _, need := range []struct {
				directives []string
				to         *url.URL
				nonce      string
			}{
				{directives: scriptDirectives, to: src, nonce: tag.nonce},
				{directives: []string{"connect-src", "default-src"}, to: collector},
			} {
				if name, ok := p.allows(need.directives, page, need.to, need.nonce); !ok {
					blocked = true
					c.say(status.Act, "policy", "", "Content-Security-Policy %s does not allow %s: add %s://%s to it",
						name, need.to, need.to.Scheme, need.to.Host)
				}
			}
		}
	}
	switch {
	case blocked:
	case len(texts) == 0:
		c.say(status.Well, "policy", "", "the page has no Content-Security-Policy")
	default:
		c.say(status.Well, "policy", "", "Content-Security-Policy allows the script and its requests")
	}
}

// views says when the newest page view was stored.
func (c *check) views(ctx context.Context, site string) {
	at, err := c.Newest(ctx, site)
	switch age := c.Now().Sub(at).Round(time.Second); {
	case err != nil:
		c.say(status.Unread, "views", "", "%v", err)
	case at == 0:
		c.say(status.Act, "views", "", "no page view of %s is stored: open the page in a browser, and check "+
			"again. Browsers with an opt-out signal and robots are not counted", site)
	case age > 24*time.Hour:
		c.say(status.NotKnown, "views", "", "the newest of %s is from %s (%s ago): open the page, and check again",
			site, at, age)
	default:
		c.say(status.Well, "views", "", "the newest of %s is from %s (%s ago)", site, at, age)
	}
}
