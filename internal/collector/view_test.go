package collector_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/collector"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0"

func TestDeviceOf_ReturnsTheClassOfAUserAgent(t *testing.T) {
	for userAgent, want := range map[string]string{
		firefox: collector.DeviceDesktop,
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36":                            collector.DeviceDesktop,
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1":    collector.DevicePhone,
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36":                      collector.DevicePhone,
		"Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36":                    collector.DevicePhone,
		"Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36":                             collector.DeviceTablet,
		"Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1":             collector.DeviceTablet,
		"Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/8.0 TV Safari/537.36":                               collector.DeviceTV,
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                                                   collector.DeviceBot,
		"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150 Mobile Safari/537.36 (compatible; GPTBot/1)": collector.DeviceBot,
		"curl/8.5.0":    collector.DeviceBot,
		"":              collector.DeviceBot,
		"  ":            collector.DeviceBot,
		"Something/1.0": collector.DeviceOther,
	} {
		if got := collector.DeviceOf(userAgent); got != want {
			t.Errorf("%q is a %s, want %s", userAgent, got, want)
		}
	}
}

func TestVisitor_DependsOnDaySiteAndBrowser(t *testing.T) {
	salt := []byte("secret of the day")
	one := collector.Visitor(salt, "my-site", "192.0.2.1", firefox)
	if again := collector.Visitor(salt, "my-site", "192.0.2.1", firefox); again != one {
		t.Errorf("the same browser is %q and %q", one, again)
	}
	for what, other := range map[string]string{
		"another day":                   collector.Visitor([]byte("secret of the next"), "my-site", "192.0.2.1", firefox),
		"another site":                  collector.Visitor(salt, "other", "192.0.2.1", firefox),
		"another address":               collector.Visitor(salt, "my-site", "192.0.2.2", firefox),
		"another browser":               collector.Visitor(salt, "my-site", "192.0.2.1", firefox+"x"),
		"same bytes, split differently": collector.Visitor(salt, "my-site1", "92.0.2.1", firefox),
	} {
		if other == one {
			t.Errorf("%s: the same visitor", what)
		}
	}
}

func TestReferrer_IsTheHostOfAnotherSite(t *testing.T) {
	for link, want := range map[string]string{
		"https://News.Example.org:8443/search?q=secret#x": "news.example.org",
		"https://my-site.example/other":                   "",
		"":                                                "",
		"not a link":                                      "",
		"//news.example.org/":                             "",
		"android-app://com.example.reader":                "com.example.reader",
		"https://" + strings.Repeat("a", 300):             "",
		"https://[::1":                                    "",
	} {
		if got := collector.Referrer("My-Site.example", link); got != want {
			t.Errorf("%q: %q, want %q", link, got, want)
		}
	}
}

func attrs(t *testing.T, body string, r collector.Request) map[string]string {
	t.Helper()
	view, err := collector.ParseView([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, a := range view.Attrs(r, []byte("salt")) {
		got[a.Name] = a.Value.Text
		if a.Value.Kind == model.Number {
			got[a.Name] = a.Value.Number.String()
		}
	}
	return got
}

func TestView_StoresNothingThatIdentifiesAVisitor(t *testing.T) {
	from := collector.Request{Site: "my-site.example", Address: "192.0.2.77", UserAgent: firefox, Country: "NO"}
	got := attrs(t, `{"url":"https://my-site.example/a%20b?session=secret#frag","referrer":"https://news.example.org/q?u=secret","duration":1500,"extra":1}`, from)
	want := map[string]string{
		"path": "/a%20b", "referrer": "news.example.org", "country": "NO", "device": "desktop", "duration": "1500",
		"visitor": collector.Visitor([]byte("salt"), from.Site, from.Address, from.UserAgent),
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	for name, value := range got {
		if want[name] == "" || strings.Contains(value, "secret") || strings.Contains(value, "192.0.2") || strings.Contains(value, "Firefox") {
			t.Errorf("%s: %q is stored", name, value)
		}
	}
}

func TestView_OmitsUnknownFields(t *testing.T) {
	got := attrs(t, `{"url":"/"}`, collector.Request{Site: "s", UserAgent: firefox, Country: "xx-made-up"})
	if len(got) != 3 || got["path"] != "/" {
		t.Errorf("got %v, want path, device and visitor", got)
	}
	if got := attrs(t, `{"url":"https://s"}`, collector.Request{Site: "s"}); got["path"] != "/" {
		t.Errorf("a page without a path is %q, want /", got["path"])
	}
}

func TestParseView_RejectsInvalidViews(t *testing.T) {
	for _, body := range []string{"", "null", "[]", `"x"`, `{}`, `{"url":""}`, `{"url":7}`, `{"url":"http://[::1"}`, `{"url":"/","duration":-1}`, `{"url":"/","duration":86400001}`} {
		if v, err := collector.ParseView([]byte(body)); !errors.Is(err, collector.ErrView) {
			t.Errorf("%q: got %+v, %v; want ErrView", body, v, err)
		}
	}
}

func TestView_TextFieldsFitADimension(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, err := json.Marshal(collector.View{URL: "/" + rapid.String().Draw(t, "path"), Referrer: rapid.String().Draw(t, "referrer")})
		if err != nil {
			t.Fatal(err)
		}
		view, err := collector.ParseView(body)
		if err != nil {
			t.Skip("not a URL")
		}
		for _, a := range view.Attrs(collector.Request{Site: "s", UserAgent: rapid.String().Draw(t, "agent")}, []byte("salt")) {
			if len(a.Value.Text) > rollup.MaxDimensionValue || !utf8.ValidString(a.Value.Text) {
				t.Fatalf("%s: %q", a.Name, a.Value.Text)
			}
		}
	})
}

func TestRequest_BotsHaveTheirOwnStream(t *testing.T) {
	if s := (collector.Request{UserAgent: "Googlebot/2.1"}).Stream(); s != web.BotStream {
		t.Errorf("a bot's stream is %q", s)
	}
	if s := (collector.Request{UserAgent: firefox}).Stream(); s != "" {
		t.Errorf("a browser's stream is %q", s)
	}
}
