package collector

import (
	"strings"
	"testing"
)

// A site has one name, however its host is written.
func TestBareHost_IsOneOfASite(t *testing.T) {
	t.Parallel()
	for _, host := range []string{
		"münchen.de", "xn--mnchen-3ya.de", "WWW.MÜNCHEN.DE.", "www.xn--mnchen-3ya.de",
	} {
		if got := bareHost(host); got != "münchen.de" {
			t.Errorf("%s is the site %s", host, got)
		}
		if got := Referrer("https://"+host+":8443/a", "münchen.de"); got != "" {
			t.Errorf("a link from %s to itself has the referrer %s", host, got)
		}
	}
}

// Links from sites and apps have a referrer. Documents, files, extensions of browsers and a developer's own
// machine have none.
func TestReferrer_IsOfASiteOrAnApp(t *testing.T) {
	t.Parallel()
	for link, want := range map[string]string{
		"https://news.example/a": "news.example", " HTTPS://News.example:8443/": "news.example",
		"https://xn--mnchen-3ya.de/": "münchen.de", "https://user:pw@news.example/": "news.example",
		"android-app://com.Reddit.frontpage/": "com.reddit.frontpage", "ios-app://123/": "123",
		"chrome-extension://abcdef/x": "", "moz-extension://abc": "", "file:///C:/a": "", "about:blank": "",
		"http://localhost:3000/": "", "//news.example/": "", "news.example": "", "": "", "null": "",
	} {
		if got := Referrer(link, "x.org"); got != want {
			t.Errorf("%q is a link from %q, want %q", link, got, want)
		}
	}
}

// What of a hit is dropped, and named, while the rest is stored.
func TestParseHit_DropsPropertiesWhoseNamesAreTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 200)
	for _, c := range []struct {
		body, props, dropped string
	}{
		{`"n":"Buy","p":{"` + long + `":"v","plan":"pro"}`, "Buy?plan=pro", "props." + long},
		{`"n":"` + long + `","p":{"p":"v"}`, long[:MaxName] + "?p=v", "name"},
		{`"n":"Buy","p":{"plan":"` + long + `"}`, "Buy?plan=" + strings.Repeat("x", MaxProp-9), "props.plan"},
		{`"n":"pageview","$":{"currency":"EUR","amount":7}`, "", "revenue"},
	} {
		h, err := ParseHit([]byte(`{"u":"https://x.org/",` + c.body + `}`))
		if err != nil {
			t.Fatal(err)
		}
		var props []string
		for _, a := range h.propAttrs(h.Name) {
			props = append(props, a.Value.Text)
		}
		if strings.Join(props, " ") != c.props || len(h.Dropped) != 1 || h.Dropped[0].Field != c.dropped {
			t.Errorf("%.80s: properties %q, dropped %v, want %q and %s", c.body, props, h.Dropped, c.props, c.dropped)
		}
	}
}

func TestParseHit_RefusesADocumentOfNoSite(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"data:text/html,hello", " DATA:,x"} {
		if _, err := ParseHit([]byte(`{"u":"` + url + `"}`)); err == nil {
			t.Errorf("%q is a page", url)
		}
	}
}
