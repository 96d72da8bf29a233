package collector

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Anybody can send events of a site: a currency that does not exist is no measure of its rows.
func TestCollector_KeepsInventedCurrenciesOutOfRows(t *testing.T) {
	kind := web.CustomEvents
	kind.Measures = append(slices.Clone(kind.Measures), rollup.MeasureSpec{Name: "revenue_BTC"})
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	for currency, stored := range map[string]bool{"EUR": true, "usd": true, "BTC": true, "AAA": false,
		"ZZZ": false, "XXX": false} {
		h, err := ParseHit([]byte(`{"n":"Buy","u":"/","$":{"currency":"` + currency + `","amount":"1"}}`))
		if err != nil {
			t.Fatal(err)
		}
		h.dropUnknownCurrency(&kinds.Kinds[0])
		_, got := h.Attrs(Request{Site: "s"}, nil).Get("revenue_" + strings.ToUpper(currency))
		if got != stored || (len(h.Dropped) == 0) != stored {
			t.Errorf("%s: stored %v, dropped %v; want stored %v", currency, got, h.Dropped, stored)
		}
	}
	if n := len(currencies) + len(web.CustomEvents.Measures); n > web.CustomEvents.MaxMeasures {
		t.Errorf("a row has place for %d measures, and there are %d", web.CustomEvents.MaxMeasures, n)
	}
}
