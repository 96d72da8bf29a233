package alert_test

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// expected returns the alerts of a sequential pass over the applied events that exist.
func (f *fleet) expected() map[string]string {
	want := map[string]string{}
	for s, applied := range f.applied {
		for i := range f.rules {
			r := &f.rules[i]
			if !r.Matches(s) {
				continue
			}
			open := ""
			for _, e := range f.events(s) {
				v, ok := e.Attrs.Get(r.Measure)
				if !applied[e.Order] || !ok || e.At < r.From {
					continue
				}
				switch violated := r.ViolatedBy(v.Number); {
				case violated && open == "":
					open = alert.AlertID(s, e.Order, r.ID())
					want[open] = fmt.Sprintf("%s %s: %s at %s, open", s, r.ID(), v.Number, e.At)
				case !violated && open != "":
					want[open] = want[open][:len(want[open])-len("open")] + fmt.Sprintf("until %s of %s", v.Number, e.At)
					open = ""
				}
			}
		}
	}
	return want
}

// stored returns the alerts of the table that are not withdrawn.
func (f *fleet) stored() map[string]string {
	got := map[string]string{}
	for after := (keys.Key{}); ; {
		page, next, err := f.table.Scan(context.Background(), after)
		if err != nil {
			panic(err)
		}
		for _, it := range page {
			a, err := item.Alert(it)
			if err != nil || a.Withdrawn != "" {
				continue
			}
			text := fmt.Sprintf("%s %s: %s at %s, ", a.Series, a.Rule, a.Value, a.Raised.At)
			if a.Recovered == nil {
				text += "open"
			} else {
				text += fmt.Sprintf("until %s of %s", a.Recovered.Value, a.Recovered.At)
			}
			if inIndex := it.IndexKey(keys.IndexGSI1) != (keys.Key{}); inIndex != (a.Status() == storage.AlertOpen) || inIndex == (a.ExpiresAt != 0) {
				text += " and in the wrong index or with a wrong expiry"
			}
			got[a.ID] = text
		}
		if after = next; next == (keys.Key{}) {
			return got
		}
	}
}
