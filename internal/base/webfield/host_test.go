package webfield_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
)

func TestShownHost_IsOneFormOfAHost(t *testing.T) {
	for host, want := range map[string]string{
		"example.com": "example.com", "Example.COM": "example.com", "": "", "::1": "::1",
		"münchen.de": "münchen.de", "MÜNCHEN.de": "münchen.de", "xn--mnchen-3ya.de": "münchen.de",
		"XN--MNCHEN-3YA.de": "münchen.de", "mu\u0308nchen.de": "münchen.de", "faß.de": "faß.de",
		"xn--80ak6aa92e.com": "аррӏе.com", "xn--\x00.de": "xn--\x00.de", "xn--a.de": "xn--a.de",
		"日本語。jp": "日本語.jp",
	} {
		got := webfield.ShownHost(host)
		if got != want || webfield.ShownHost(got) != got {
			t.Errorf("%q is %q, and %q again, want %q", host, got, webfield.ShownHost(got), want)
		}
	}
}
