package collector

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Each part that is not stored as it was sent is named, and nothing else is.
func TestParseHit_NamesWhatIsCut(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 300)
	for body, want := range map[string][]string{
		`"u":"/` + long + `"`: {"path"},
		`"u":"/?utm_campaign=` + long + `&utm_term=` + long + `"`: {"utm_campaign", "utm_term"},
		`"n":"Buy","u":"/?utm_campaign=` + long + `"`:             nil, // it has no campaign
		`"u":"/?q=` + long + `#` + long + `"`:                     nil, // a query is never stored
		`"u":"/#` + long + `","h":1`:                              {"path"},
		`"u":"/","n":"Buy","p":{"":"x","a":1}`:                    {"props."},
		`"u":"/","n":"Buy","p":{"a\u0000":"1","a":"2"}`:           {"props.a"},
		`"u":"/","n":"Buy","p":{"a":null}`:                        nil,
	} {
		h, err := ParseHit([]byte("{" + body + "}"))
		got := lists.Map(h.Dropped, func(e model.FieldError) string { return e.Field })
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%.70s: %q are dropped, %v; want %q", body, got, err, want)
		}
	}
}

// Values that say as much as none are no loss: trackers send them for events without an amount or properties,
// and with the time on a page, the properties of its view again.
func TestParseHit_DropsNothingOfWhatSaysNothing(t *testing.T) {
	t.Parallel()
	const nine = `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":9}`
	for _, body := range []string{
		`"n":"Buy","$":{}`, `"n":"Buy","$":"{}"`, `"n":"Buy","p":[]`, `"n":"Buy","m":"[]"`,
		`"n":"Buy","p":""`,
		`"n":"pageview","r":null,"p":null`, `"n":"engagement","e":5,"sd":101,"p":` + nine,
	} {
		h, err := ParseHit([]byte(`{"u":"https://x.org/",` + body + `}`))
		if err != nil || len(h.Dropped) > 0 {
			t.Errorf("%s: %v, %v", body, h.Dropped, err)
		}
	}
}

// Proxies name a visitor with and without the port of the connection.
func TestCanonical_IsOneFormOfAnAddress(t *testing.T) {
	t.Parallel()
	for sent, want := range map[string]string{
		"192.0.2.7": "192.0.2.7", "192.0.2.7:51234": "192.0.2.7", "::ffff:192.0.2.7": "192.0.2.7",
		"[::ffff:192.0.2.7]:443": "192.0.2.7", "2001:DB8::7": "2001:db8::7", "[2001:db8:0::7]": "2001:db8::7",
		"[2001:db8::7]:51234": "2001:db8::7", "unknown": "other", "": "other", "192.0.2.7:x": "other",
	} {
		if got := canonical(sent, "other"); got != want {
			t.Errorf("%q is the address %q, want %q", sent, got, want)
		}
	}
}
