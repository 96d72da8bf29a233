package sitecheck

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// tag is a script element with data-site.
type tag struct{ src, site, to, kind, nonce string }

// runs reports whether browsers run a script of this type.
func (t tag) runs() bool {
	kind := strings.ToLower(strings.TrimSpace(t.kind))
	return kind == "" || kind == "module" || strings.HasSuffix(kind, "script")
}

// contents is what a page says about the script.
type contents struct {
	tags     []tag
	policies []string // of <meta http-equiv>
}

// parse reads a page. HTML has no errors: what is not a tag is text.
func parse(body []byte) (found contents) {
	tokens := html.NewTokenizer(bytes.NewReader(body))
	for tokens.Next() != html.ErrorToken {
		token := tokens.Token()
		if token.Type != html.StartTagToken && token.Type != html.SelfClosingTagToken {
			continue
		}
		attr := func(name string) string {
			i := slices.IndexFunc(token.Attr, func(a html.Attribute) bool { return a.Key == name })
			if i < 0 {
				return ""
			}
			return token.Attr[i].Val
		}
		switch {
		case token.Data == "script" && attr("data-site") != "":
			src := attr("src")
			if src == "" {
				src = attr("data-src") // of a consent manager
			}
			found.tags = append(found.tags, tag{
				src: src, site: attr("data-site"), to: attr("data-to"),
				kind: attr("type"), nonce: attr("nonce"),
			})
		case token.Data == "meta" && strings.EqualFold(attr("http-equiv"), "Content-Security-Policy"):
			found.policies = append(found.policies, attr("content"))
		}
	}
	return found
}
