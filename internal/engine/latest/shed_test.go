package latest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func (h *history) shed(store latest.Store) latest.Report {
	h.Helper()
	f := latest.Folder{
		Store: store, Now: h.now, NewRev: func() (rollup.Rev, error) { return ids.Nonce(h.service.Rand) },
		Retrier: retry.Retrier{Rand: h.service.Rand, Sleep: h.service.Sleep},
	}
	r, err := f.Shed(h.Context(), h.kind, h.series())
	if err != nil {
		h.Fatal(err)
	}
	return r
}

// send appends an event of a minute with texts under these names.
func (h *history) send(minute int, text string, names ...string) model.EventKey {
	h.Helper()
	o := ingest.TypedObservation{Subject: "d", At: noon.Add(time.Duration(minute) * time.Minute)}
	for _, name := range names {
		o.Attrs = append(o.Attrs, model.Attr{Name: name, Value: model.TextValue(text)})
	}
	got, err := h.service.AppendEvents(h.Context(), h.kind, []ingest.TypedObservation{o})
	if err != nil || got[0].Outcome != model.Applied && got[0].Outcome != model.Late {
		h.Fatalf("append: %+v, %v", got, err)
	}
	return model.EventKey{Series: h.series(), Order: model.Order{At: o.At}}
}

// expire removes an event, as its expiry does.
func (h *history) expire(k model.EventKey) {
	h.Helper()
	if err := h.table.DeleteItem(h.Context(), keys.Event(k)); err != nil {
		h.Fatal(err)
	}
}

func text(s string) item.Value { return item.Value{Type: item.S, S: s} }

func (h *history) names() string {
	var names []string
	for _, a := range h.latest().Attrs {
		names = append(names, a.Name)
	}
	return strings.Join(names, " ")
}

// many returns undeclared names, in several events of which a firmware left these fields.
func (h *history) many(text string) {
	for event := range 3 {
		var names []string
		for n := range 40 {
			names = append(names, fmt.Sprintf("debug%02d", event*40+n))
		}
		h.expire(h.send(event-10, text, names...))
	}
}

// a and b are declared, by an index; owner is enrichment; c and the debug fields are not declared.
func TestShed_RemovesUndeclaredFieldsThatNoStoredEventHas(t *testing.T) {
	large := strings.Repeat("x", 200)
	for name, tc := range map[string]struct {
		text string
		then func(h *history) // after the events of the fields have expired
		want string
	}{
		"large":               {large, func(*history) {}, "a c owner"},
		"small":               {"x", nil, ""},
		"one is stored still": {large, func(h *history) { h.send(-1, "y", "debug07") }, "a c debug07 owner"},
		"one in a late event": {large, func(h *history) { h.send(-30, "y", "debug08") }, "a c debug08 owner"},
		"one event is damaged": {large, func(h *history) {
			k := keys.Event(model.EventKey{Series: h.series(), Order: model.Order{At: noon.Add(-time.Hour)}})
			damaged := item.Item{"pk": text(k.PK), "sk": text(k.SK), "v": item.Number(7)}
			if err := h.table.PutItem(h.Context(), damaged); err != nil {
				h.Fatal(err)
			}
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, 1)
			h.expire(h.send(-20, "b", "a"))
			h.many(tc.text)
			h.send(0, "now", "c")
			owner := itemop.Action{Key: keys.Latest(h.series()), Set: item.Item{"owner": text("ann")}}
			if got, err := h.table.Update(t.Context(), owner); err != nil || got != storage.Written {
				t.Fatal(got, err)
			}
			if tc.then != nil {
				tc.then(h)
			}
			want := tc.want
			if want == "" {
				want = h.names() // nothing is removed
			}
			if h.shed(h.table); h.names() != want {
				t.Errorf("the latest item has %s, want %s", h.names(), want)
			}
			if l := h.latest(); l.Order.At < noon.Add(-time.Minute) {
				t.Errorf("the item is of %s", l.Order.At)
			}
		})
	}
}

func TestShed_KeepsAFieldThatIsSentMeanwhile(t *testing.T) {
	for name, meanwhile := range map[string]func(h *history){
		"by a newer event": func(h *history) { h.send(1, "y", "debug07") },
		"by a late event, whose fold renews the revision": func(h *history) {
			k := h.send(-30, "y", "debug07")
			late := storage.Change{Type: storage.Inserted, Key: k, After: h.stored(k), At: noon}
			if _, err := h.fold(h.table, late); err != nil {
				h.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHistory(t, 1)
			h.many(strings.Repeat("x", 200))
			h.send(0, "now", "c")
			r := h.shed(&paused{Table: h.table, before: func() { meanwhile(h) }})
			if got := h.names(); got != "c debug07" || len(r.Writes) != 2 {
				t.Errorf("the latest item has %s after %d writes, want c and debug07 after 2", got, len(r.Writes))
			}
		})
	}
}
