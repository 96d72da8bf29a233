package query_test

import (
	"context"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestLatest_OfADerivedKindIsTheLaterOfEventAndItem(t *testing.T) {
	t.Parallel()
	const none = -1
	for name, c := range map[string]struct {
		event, item int64 // minutes after now; none is none
		want        int64
		owner       bool // the enrichment is in the result
	}{
		"nothing":                    {none, none, none, false},
		"an event only":              {2, none, 2, false},
		"an item whose event is old": {none, 2, 2, true},
		"a newer event":              {3, 2, 3, true},
		"a newer item":               {2, 3, 3, true},
		"the event of the item":      {2, 2, 2, true},
	} {
		w := newFixture(t, func(k *catalog.Kind) {
			k.Latest, k.Enrichment = catalog.DerivedLatest, []string{"owner"}
		})
		if c.event != none {
			w.put(w.reading(now+model.Time(c.event*60_000), "", c.event, 0))
		}
		if c.item != none {
			e := w.reading(now+model.Time(c.item*60_000), "", 99, 0)
			attrs := model.Attrs{text("owner", "ada"), e.Attrs[0], text("was", "in an older event")}
			attrs.Sort()
			requireNoError(t, w.table.PutItem(context.Background(),
				item.FromLatest(&model.Latest{Series: e.Series, Ordered: true, Order: e.Order, Attrs: attrs})))
		}
		got, err := w.query.Latest(context.Background(), w.series(), true)
		requireNoError(t, err)
		if (got == nil) != (c.want == none) {
			t.Fatalf("%s: %+v", name, got)
		}
		if got == nil {
			continue
		}
		_, owner := got.Attrs.Get("owner")
		_, was := got.Attrs.Get("was")
		if got.At != now+model.Time(c.want*60_000) || owner != c.owner || was != (c.item > c.event) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
