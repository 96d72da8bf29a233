package collector_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/web/collector"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0"

func TestDeviceOf_ReturnsTheClassOfAUserAgent(t *testing.T) {
	for userAgent, want := range map[string]string{
		firefox: "desktop",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36":                            "desktop",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1":    "phone",
		"Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Mobile Safari/537.36":                      "phone",
		"Mozilla/5.0 (Linux; Android 13; CUBOT P80) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Mobile Safari/537.36":                    "phone",
		"Mozilla/5.0 (Linux; Android 14; SM-X910) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36":                             "tablet",
		"Mozilla/5.0 (iPad; CPU OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1":             "tablet",
		"Mozilla/5.0 (SMART-TV; Linux; Tizen 8.0) AppleWebKit/537.36 (KHTML, like Gecko) Version/8.0 TV Safari/537.36":                               "tv",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)":                                                                   collector.DeviceBot,
		"Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150 Mobile Safari/537.36 (compatible; GPTBot/1)": collector.DeviceBot,
		"curl/8.5.0":           collector.DeviceBot,
		"Mediapartners-Google": collector.DeviceBot,
		"Mozilla/5.0 (compatible; Google-InspectionTool/1.0)":                         collector.DeviceBot,
		"Mozilla/5.0 (X11; Linux x86_64; rv:94.0) Gecko/20100101 Firefox/94.0 PTST/2": collector.DeviceBot,
		"Ruby":                        collector.DeviceBot,
		"":                            collector.DeviceBot,
		"  ":                          collector.DeviceBot,
		"Mozilla/5.0 (Something 1.0)": collector.DeviceOther,

		"Mozilla/5.0 (Linux; Android 9; AFTMM) Silk/120 like Chrome/120 Safari/537.36":  "tv",
		"Mozilla/5.0 (Linux; Android 12; SHIELD Android TV) Chrome/124.0 Safari/537.36": "tv",
		"Mozilla/5.0 (X11; Linux x86_64) CloudWatchSynthetics/arn:aws":                  collector.DeviceBot,
	} {
		if got := collector.ParseDevice(userAgent); got != want {
			t.Errorf("%q is a %s, want %s", userAgent, got, want)
		}
	}
}

// Phones whose names are in lists of programs.
func TestDeviceOf_PhonesAreNoBots(t *testing.T) {
	for _, model := range []string{"RUBY Build/OPM2", "Perla", "M bot 60 Build/NRD90M", "O+ Sonic",
		"XBot Junior"} {
		agent := "Mozilla/5.0 (Linux; Android 8.1.0; " + model + ") AppleWebKit/537.36 (KHTML, like Gecko) " +
			"Chrome/110.0.5481.153 Mobile Safari/537.36"
		if got := collector.ParseDevice(agent); got != "phone" {
			t.Errorf("%s is a %s", model, got)
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
		"https://www.my-site.example/other":               "",
		"https://my-site.example./other":                  "",
		"https://blog.my-site.example/other":              "blog.my-site.example",
		"https://shop.example/50%-off":                    "shop.example",
		"":                                                "",
		"not a link":                                      "",
		"//news.example.org/":                             "",
		"android-app://com.example.reader":                "com.example.reader",
		"https://" + strings.Repeat("a", 300):             "",
		"https://[::1":                                    "",
	} {
		if got := collector.Referrer(link, "x", "My-Site.example"); got != want {
			t.Errorf("%q: %q, want %q", link, got, want)
		}
	}
}

func attrs(t *testing.T, body string, r collector.Request) map[string]string {
	t.Helper()
	view, err := collector.ParseHit([]byte(body))
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

func TestHit_StoresNothingThatIdentifiesAVisitor(t *testing.T) {
	from := collector.Request{Site: "my-site.example", Address: "192.0.2.77", UserAgent: firefox, Country: "NO"}
	got := attrs(t, `{"url":"https://my-site.example/a%20b?session=secret#frag","referrer":"https://news.example.org/q?u=secret","duration":1500,"extra":1}`, from)
	want := map[string]string{
		"source": "news.example.org", "channel": "Referral", "browser": "Firefox", "os": "Linux",
		"path": "/a%20b", "referrer": "news.example.org", "country": "NO", "device": "desktop", "duration": "1500",
		"visitor":  collector.Visitor([]byte("salt"), from.Site, from.Address, from.UserAgent),
		"hostname": "my-site.example",
	}
	for name, value := range want {
		if got[name] != value {
			t.Errorf("%s is %q, want %q", name, got[name], value)
		}
	}
	for name, value := range got {
		if want[name] == "" || strings.Contains(value, "secret") || strings.Contains(value, "192.0.2") ||
			strings.Contains(value, "Firefox/") {
			t.Errorf("%s: %q is stored", name, value)
		}
	}
}

func TestHit_OmitsUnknownFields(t *testing.T) {
	got := attrs(t, `{"url":"/"}`, collector.Request{Site: "s", UserAgent: firefox, Country: "xx-made-up"})
	if len(got) != 6 || got["path"] != "/" {
		t.Errorf("got %v, want path, device, browser, os, channel and visitor", got)
	}
	if got := attrs(t, `{"url":"https://s"}`, collector.Request{Site: "s"}); got["path"] != "/" {
		t.Errorf("a page without a path is %q, want /", got["path"])
	}
}

func TestHit_StoresRegionsByTheirCodes(t *testing.T) {
	for _, c := range []struct{ country, region, want string }{
		{"DE", "BY", "DE-BY"}, {"GB", "ENG", "GB-ENG"}, {"FR", "75", "FR-75"}, {"JP", "13", "JP-13"}, {"NO", "", ""},
		{"DE", "by", ""}, {"DE", "BYXX", ""}, {"DE", "B-Y", ""}, {"DE", "BY\n", ""}, {"DE", "Bü", ""}, {"de", "BY", ""}, {"", "BY", ""}, {"DE-", "BY", ""},
	} {
		got := attrs(t, `{"url":"/"}`,
			collector.Request{Site: "s", UserAgent: firefox, Country: c.country, Region: c.region})
		if got["region"] != c.want {
			t.Errorf("country %q, region %q: %q is stored, want %q", c.country, c.region, got["region"], c.want)
		}
	}
	if got := attrs(t, `{"url":"/","name":"Buy"}`,
		collector.Request{Site: "s", Country: "DE", Region: "BY"}); got["region"] != "" {
		t.Errorf("a custom event has the region %q, want none: only views have a country", got["region"])
	}
}

func TestParseHit_RejectsInvalidHits(t *testing.T) {
	for _, body := range []string{"", "null", "[]", `"x"`, `{}`, `{"url":""}`, `{"url":7}`,
		`{"n":[5],"u":"/"}`, `{"n":true,"u":"/"}`,
		`{"n":"  ","u":"/"}`, `{"n":"\u0000","u":"/"}`,
		`{"url":"/","id":"a b","at":1,"sent":1}`, `{"url":"/","id":"` + strings.Repeat("i", 65) + `","at":1,"sent":1}`, `{"url":"/","id":"i"}`, `{"url":"/","id":"i","at":1}`,
	} {
		if v, err := collector.ParseHit([]byte(body)); !errors.Is(err, collector.ErrHit) {
			t.Errorf("%q: got %+v, %v; want ErrHit", body, v, err)
		} else if strings.Contains(err.Error(), "struct") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want words about the body", body, err)
		}
	}
}

func TestParseHit_DropsThePartThatCannotBeStored(t *testing.T) {
	for body, field := range map[string]string{
		`{"url":"/","duration":-1}`: "duration", `{"url":"/","duration":86400001}`: "duration", `{"url":"/","depth":101}`: "depth",
		`{"url":"/","width":"x"}`: "width", `{"url":"/","props":7}`: "props", `{"url":"/","props":"x"}`: "props",
		`{"url":"/","revenue":7}`: "revenue", `{"url":"/","revenue":{"currency":"EURO","amount":1}}`: "revenue.currency",
		`{"url":"/","revenue":{"currency":"EUR","amount":"much"}}`: "revenue.amount", `{"url":"/","revenue":{"currency":"EUR"}}`: "revenue.amount",
		`{"url":"/","revenue":{"currency":"EUR","amount":-1e15}}`:                                "revenue.amount",
		`{"url":"/","name":"` + strings.Repeat("n", collector.MaxName+1) + `"}`:                  "name",
		`{"url":"/","name":"B","props":{"a":"` + strings.Repeat("x", collector.MaxProp) + `"}}`:  "props.a",
		`{"url":"/","name":"B","props":{"a":0,"b":1,"c":2,"d":3,"e":4,"f":5,"g":6,"h":7,"i":8}}`: "props.i",
	} {
		h, err := collector.ParseHit([]byte(body))
		if err != nil || len(h.Dropped) != 1 || h.Dropped[0].Field != field {
			t.Errorf("%s: %+v, %v; want %s dropped", body, h.Dropped, err, field)
		}
	}
	got := attrs(t, `{"n":"Buy","u":"/","p":{"a":[1,"x"],"b":{"c":2}},"$":{"currency":"usd","amount":"9.99"}}`,
		collector.Request{Site: "s", UserAgent: firefox})
	for name, want := range map[string]string{"prop1": `Buy?a=[1,"x"]`, "prop2": `Buy?b={"c":2}`,
		"revenue_USD": "9.99"} {
		if got[name] != want {
			t.Errorf("%s is %q, want %q", name, got[name], want)
		}
	}
}

func TestHit_CutsAddressesAsBrowsersDo(t *testing.T) {
	for sent, want := range map[string]string{
		"https://s/100%": "/100%", "https://s/100%/x?y=%": "/100%/x", "https://s/a%zzb": "/a%zzb", "https://s/caf%C3%A9": "/café",
		"https://s/café": "/café", "https://s/%7Euser/%41": "/~user/A", "https://s/a/../b/./c": "/b/c", "https://s/a%2Fb": "/a%2Fb",
		`https:\\s\a\b`: "/a/b", " https://s/a\n": "/a", "https://s:8080?x": "/", "https://user@s/a": "/a", "https://s/a b": "/a%20b",
		"/x#y": "/x", "//s/z": "/z", "about:blank": "/", "http://[::1": "/", "https://s/%ff": "/%FF", "https://s/%E2%80%AE": "/%E2%80%AE",
		"https://s/a%2fb": "/a%2Fb", "https://s/%c3": "/%C3", "https://s/a%2": "/a%2",
		"https://s/%e2%80%ae\u202e": "/%E2%80%AE%E2%80%AE", "https://s/a/%2e%2E/b": "/b", "https://s/a/..": "/",
		"https://s/../../b": "/b", "https://s//a//b": "//a//b", "capacitor://localhost/a": "/a", "mailto:a@b": "/",
		"file:///C:/a.html": "/C:/a.html", "https://s/50% off/": "/50%%20off/", "https://s/%E4%BD%A0/好": "/你/好",
		"https://s/a%5eb^": "/a%5Eb%5E", "https://s/\U0001F600": "/\U0001F600",
	} {
		body, err := json.Marshal(collector.Hit{URL: sent})
		if err != nil {
			t.Fatal(err)
		}
		if got := attrs(t, string(body), collector.Request{Site: "s", UserAgent: firefox}); got["path"] != want {
			t.Errorf("%q has the path %q, want %q", sent, got["path"], want)
		}
	}
}

func TestHit_ReadsParametersAsBrowsersDo(t *testing.T) {
	for query, want := range map[string]string{
		"50%+off%20now": "50% off now", "100%25": "100%", "%zz%41": "%zzA", "caf%C3%A9": "café",
		"%": "%", "a%2": "a%2", "%2B+a": "+ a", "+a%20": "a", "%20": "",
	} {
		body, err := json.Marshal(collector.Hit{URL: "https://s/?utm_campaign=" + query})
		if err != nil {
			t.Fatal(err)
		}
		got := attrs(t, string(body), collector.Request{Site: "s", UserAgent: firefox})
		if got["utm_campaign"] != want {
			t.Errorf("%q is the campaign %q, want %q", query, got["utm_campaign"], want)
		}
	}
}

func TestHit_ShowsHashRoutesDecoded(t *testing.T) {
	body := `{"u":"https://s/#/caf%C3%A9/100%/a%2fb","h":1}`
	got := attrs(t, body, collector.Request{Site: "s", UserAgent: firefox})
	if want := "/#/café/100%/a%2Fb"; got["path"] != want {
		t.Errorf("the path is %q, want %q", got["path"], want)
	}
}

func TestHit_TextFieldsFitADimension(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body, err := json.Marshal(
			collector.Hit{URL: "/" + rapid.String().Draw(t, "path"), Referrer: rapid.String().Draw(t, "referrer")})
		if err != nil {
			t.Fatal(err)
		}
		view, err := collector.ParseHit(body)
		if err != nil {
			t.Skip("not a URL")
		}
		for _, a := range view.Attrs(collector.Request{Site: "s", UserAgent: rapid.String().Draw(t, "agent")},
			[]byte("salt")) {
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

func TestParseHit_AcceptsObjectsAsStrings(t *testing.T) {
	got := attrs(t, `{"n":"Buy","u":"/","p":"{\"b\":1.50,\"a\":null,\"c\":\"x=y\"}","$":"{\"currency\":\"JPY\",\"amount\":\"1322.220\"}"}`, collector.Request{Site: "s", UserAgent: firefox})
	delete(got, webfield.Visitor)
	want := map[string]string{"name": "Buy", "path": "/", "prop1": "Buy?b=1.50", "prop2": "Buy?c=x=y",
		"revenue_JPY": "1322.22"}
	if !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The time of a hit does not depend on when it arrives, so that a repeat has the same identity.
func TestHit_TimeIsThatOfTheBrowser(t *testing.T) {
	const noon = model.Time(1_776_686_400_000)
	minute := func(n float64) int64 { return int64(noon) + int64(n*60_000) }
	for _, c := range []struct {
		name           string
		at, sent, want int64
	}{
		{"a right clock", minute(0) - 50, minute(0) - 40, minute(0) - 50},
		{"a clock that is two minutes fast", minute(2), minute(2), minute(2)},
		{"kept for an hour while offline", minute(-60), minute(0), minute(-60)},
		{"a clock that is three hours slow", minute(-181), minute(-180), minute(-1)},
		{"a clock that is a day fast", minute(24*60 - 1), minute(24 * 60), minute(-1)},
	} {
		for _, delay := range []model.Time{0, 800} {
			if got := (collector.Hit{ID: "x", At: c.at, Sent: c.sent}).Time(noon + delay); int64(got) != c.want {
				t.Errorf("%s: %d, want %d", c.name, got, c.want)
			}
		}
	}
	for name, h := range map[string]collector.Hit{
		"sent before it happened":  {ID: "x", At: minute(1), Sent: minute(0)},
		"kept for more than a day": {ID: "x", At: minute(-24*60 - 1), Sent: minute(0)},
	} {
		if got := h.Time(noon); got != noon {
			t.Errorf("%s: %d, want the arrival", name, got)
		}
	}
	if got := (collector.Hit{At: 1, Sent: 1}).Time(noon); got != noon {
		t.Errorf("without an id: %d, want the arrival", got)
	}
}

func TestHit_StoresCampaignAndBrowser(t *testing.T) {
	from := collector.Request{Site: "s.example",
		UserAgent: "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1", Languages: "de-AT,de;q=0.9"}
	got := attrs(t, `{"url":"https://s.example/?utm_source=google&utm_medium=cpc&utm_campaign=Herbst%2026&utm_term=`+strings.Repeat("ü", 40)+`&utm_content=&x=1","width":390}`, from)
	delete(got, webfield.Visitor)
	want := map[string]string{
		"hostname": "s.example",
		"path":     "/", "device": "phone", "browser": "Safari", "os": "iOS", "screen": "mobile", "language": "de", "source": "Google", "channel": "Paid Search",
		"utm_source": "google", "utm_medium": "cpc", "utm_campaign": "Herbst 26", "utm_term": strings.Repeat("ü", 24),
	}
	if !maps.Equal(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// A browser that is not in the list is Other: no text of a user agent is stored.
func TestHit_ClassesOfBrowsersAreListed(t *testing.T) {
	for _, c := range []struct {
		agent, languages string
		width            int
		want             string
	}{
		{firefox, "en", 575, "Firefox Linux mobile en"},
		{"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36 Edg/150.0", "EN-us", 991, "Edge Windows tablet en"},
		{"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15", "fil", 1439, "Safari macOS laptop fil"},
		{"SecretAgent/7 (ip 192.0.2.1)", "*", 1440, "Other Other desktop "},
		{"Mozilla/5.0 (SecretOS; rv:1) Secret/1.0", "1234", -5, "Other Other  "},
	} {
		body := fmt.Sprintf(`{"url":"/","width":%d}`, c.width)
		got := attrs(t, body, collector.Request{Site: "s", UserAgent: c.agent, Languages: c.languages})
		if text := strings.Join([]string{got["browser"], got["os"], got["screen"], got["language"]},
			" "); text != c.want {
			t.Errorf("%s: %q, want %q", c.agent, text, c.want)
		}
	}
}

func FuzzParseHit_NeverPanics(f *testing.F) {
	f.Add([]byte(`{"n":"Buy","u":"/?utm_source=x","p":{"a":1},"$":{"currency":"EUR","amount":"1"},"id":"a","at":1,"sent":2}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		hit, err := collector.ParseHit(body)
		if err != nil {
			return
		}
		for _, a := range hit.Attrs(collector.Request{Site: "s", UserAgent: string(body)}, []byte("salt")) {
			if len(a.Value.Text) > rollup.MaxDimensionValue || !utf8.ValidString(a.Value.Text) {
				t.Errorf("%s: %q", a.Name, a.Value.Text)
			}
		}
	})
}
