package lifecycle_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The latest item follows at once: a table stream that is behind would leave what was removed in it.
func TestEraseEvents_TheLatestItemFollows(t *testing.T) {
	for _, mode := range []catalog.LatestPolicy{catalog.TransactionLatest, catalog.DerivedLatest} {
		w := newFixture(t, catalog.Profile{})
		kinds, err := catalog.New(catalog.Kind{
			Name: "READING", Subject: catalog.SubjectType{Name: alice.Type}, Latest: mode,
			Retention: tier.Policy{Raw: tier.Forever}})
		if err != nil {
			t.Fatal(err)
		}
		series := model.Series{Subject: alice, Kind: "READING"}
		var last model.Event
		for i := range 450 {
			visitor := []string{"a", "b"}[min(i, 1)]
			at := noon.Add(time.Duration(i) * time.Second)
			last = model.Event{Series: series, Order: model.Order{At: at}, ArrivedAt: noon,
				ExpiresAt: noon.Add(tier.Day24).Seconds(),
				Attrs:     model.Attrs{{Name: "visitor", Value: model.TextValue(visitor)}}}
			if visitor == "b" {
				way := model.Attr{Name: "way", Value: model.TextValue(fmt.Sprint(i))}
				last.Attrs = append(last.Attrs, way)
			}
			last.Hash = model.HashAttrs(last.Attrs)
			w.store(item.FromEvent(&last))
		}
		stored := item.FromLatest(&model.Latest{Series: series, Ordered: true, Order: last.Order,
			Hash: last.Hash, Attrs: last.Attrs, CreatedAt: noon})
		stored[tablekeys.AttrUntil] = item.Number(last.ExpiresAt)
		w.store(stored)
		selection := lifecycle.EventSelection{Series: series, From: model.MinTime, To: model.MaxTime + 1,
			Where:   model.Condition{{Field: "visitor", Op: model.Equal, Value: model.TextValue("b")}},
			Catalog: kinds, Latest: w.table}
		done, err := w.purger.EraseEvents(t.Context(), w.table, selection)
		if err != nil || done.Deleted != 449 {
			t.Fatalf("%s: %+v, %v; want 449 events", mode, done, err)
		}
		stored, err = w.table.GetItem(t.Context(), keys.Latest(series))
		if err != nil {
			t.Fatal(err)
		}
		got, err := item.ReadDerivedLatest(stored)
		if err != nil || got.Order.At != noon || fmt.Sprint(got.Attrs) != fmt.Sprint(model.Attrs{
			{Name: "visitor", Value: model.TextValue("a")}}) {
			t.Errorf("%s: the latest item is of %s with %v, %v; want the event that is left", mode,
				got.Order.At, got.Attrs, err)
		}
	}
}
