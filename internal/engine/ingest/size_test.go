package ingest

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A transaction has the table's limits, so that no event may be larger than itemSize says, and few
// batches smaller than they could be.
func TestSizeOf_IsACloseUpperBound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var attrs model.Attrs
		for _, name := range rapid.SliceOfNDistinct(rapid.StringMatching(`[a-z]{1,64}`), 0, 8, rapid.ID).Draw(r,
			"names") {
			value := model.TextValue(rapid.StringN(0, 300, 1000).Draw(r, "text"))
			if rapid.Bool().Draw(r, "number") {
				value = model.NumberValue(model.NewDecimal(rapid.Int64().Draw(r, "n")))
			}
			attrs = append(attrs, model.Attr{Name: name, Value: value})
		}
		attrs.Sort()
		e := model.Event{
			Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: rapid.StringMatching(`[a-z]{1,512}`).Draw(r, "id")}, Kind: "READING"},
			Order:  model.Order{At: model.MaxTime, ID: rapid.StringMatching(`[a-z]{0,256}`).Draw(r, "event id")},
			Attrs:  attrs, Hash: model.HashAttrs(attrs), ArrivedAt: model.MaxTime, ExpiresAt: model.MaxTime.Seconds(),
		}
		key := keys.Event(e.Key())
		actual, bound := item.FromEvent(&e).Size(), itemSize(len(key.PK)+len(key.SK), attrs)
		if loose := itemOverhead + 22*len(attrs); bound < actual || bound > actual+loose {
			r.Errorf("bound %d for %d bytes, want at least that and at most %d more", bound, actual, loose)
		}
	})
}
