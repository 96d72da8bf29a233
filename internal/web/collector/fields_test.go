package collector_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/web/collector"
)

// Each member that Plausible's tracker sends, and what is stored of it.
func TestHit_StoresTheFieldsOfPlausiblesTracker(t *testing.T) {
	const page = `"d":"x.org","u":"https://www.x.org/a#/route"`
	for body, want := range map[string][2]string{
		`{"n":"pageview",` + page + `}`:                                       {"path", "/a"},
		`{"n":"pageview","h":1,` + page + `}`:                                 {"path", "/a#/route"},
		`{"n":"pageview","h":true,` + page + `}`:                              {"path", "/a#/route"},
		`{"n":"pageview","h":"1",` + page + `}`:                               {"path", "/a#/route"},
		`{"n":"pageview","u":"https://xn--mnchen-3ya.de/"}`:                   {"hostname", "münchen.de"},
		`{"n":"pageview","u":"/?utm_campaign=&utm_campaign=b"}`:               {"utm_campaign", "b"},
		`{"n":"pageview","u":"/?utm_source=Google&gclid=7"}`:                  {"channel", "Paid Search"},
		`{"n":"pageview","h":0,` + page + `}`:                                 {"path", "/a"},
		`{"n":"pageview","hash":1,"url":"https://www.x.org/#/"}`:              {"path", "/#/"},
		`{"n":"Buy","h":1,` + page + `}`:                                      {"path", "/a#/route"},
		`{"n":"pageview","v":24,` + page + `}`:                                {"hostname", "www.x.org"},
		`{"n":"pageview","p":{"author":"Ann"},` + page + `}`:                  {"prop1", "pageview?author=Ann"},
		`{"n":"Buy","i":false,"p":{"plan":"pro"},` + page + `}`:               {"prop1", "Buy?plan=pro"},
		`{"n":"Buy","$":{"currency":"EUR","amount":"9.95"},` + page + `}`:     {"revenue_EUR", "9.95"},
		`{"n":"engagement","e":4000,"sd":80,` + page + `}`:                    {"reached", "80"},
		`{"n":"engagement","sd":80,"e":5000,` + page + `}`:                    {"duration", "5000"},
		`{"n":"Buy","m":{"plan":"pro"},` + page + `}`:                         {"prop1", "Buy?plan=pro"},
		`{"n":"Buy","meta":"{\"plan\":\"pro\"}",` + page + `}`:                {"prop1", "Buy?plan=pro"},
		`{"n":"pageview","hashMode":1,` + page + `}`:                          {"path", "/a#/route"},
		`{"n":"Buy","$":{"currency":"EUR","amount":"1,322.22"},` + page + `}`: {"revenue_EUR", "1322.22"},
		`{"n":"Buy","$":{"currency":"EUR","amount":"1.322,22"},` + page + `}`: {"revenue_EUR", "1322.22"},
		`{"n":"Buy","$":{"currency":"EUR","amount":"22,5"},` + page + `}`:     {"revenue_EUR", "22.5"},
		`{"n":"Buy","$":{"currency":"EUR","amount":"1,322"},` + page + `}`:    {"revenue_EUR", ""},
		`{"n":"engagement","sd":55.4,"e":3000.7,` + page + `}`:                {"duration", "3001"},
		`{"n":"engagement","sd":"55","e":"3000",` + page + `}`:                {"reached", "55"},
		`{"n":"engagement","sd":55,"e":[1],"sd":56,` + page + `}`:             {"reached", ""},
		"\xEF\xBB\xBF" + `{"n":"pageview",` + page + `}`:                      {"path", "/a"},
		`{"n":"engagement","sd":180,` + page + `}`:                            {"reached", "100"},
		`{"n":"engagement","sd":0,` + page + `}`:                              {"reached", "0"},
		`{"n":"engagement","sd":null,"e":5,` + page + `}`:                     {"reached", ""},
		`{"n":"engagement","sd":"x",` + page + `}`:                            {"reached", ""},
		`{"n":"engagement","e":5,` + page + `}`:                               {"reached", ""},
		`{"n":"engagement","sd":-1,` + page + `}`:                             {"reached", ""},
		`{"n":"pageview","w":1666,` + page + `}`:                              {"screen", "desktop"},
		`{"n":"pageview","screen_width":390,` + page + `}`:                    {"screen", "mobile"},
		`{"n":404,` + page + `}`:                                              {"name", "404"},
		`{"n":"pageview","r":"https://x.org/b",` + page + `}`:                 {"channel", "Direct"},
		`{"n":"pageview","r":"https://news.example/b",` + page + `}`:          {"referrer", "news.example"},
	} {
		got := attrs(t, body, collector.Request{Site: "x.org", UserAgent: firefox})
		if got[want[0]] != want[1] {
			t.Errorf("%s: %s is %q, want %q", body, want[0], got[want[0]], want[1])
		}
	}
}
