package latest_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/ids"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/latest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

var noon = model.NewTime(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))

// history is one random history of a series: appends and edits by the library, edits by another program, and
// a table stream that delivers late, out of order and twice.
type history struct {
	testing.TB
	r       *rand.Rand
	seed    uint64
	kind    *catalog.Kind
	table   *memory.Table
	service *ingest.Service
	stream  []storage.Change
	values  int64
	owner   model.Value
	had     map[model.Order][]model.Attrs // the fields that each event has had
	late    map[model.Order]bool          // whether one was late
	log     []string
}

func newHistory(t testing.TB, seed uint64) *history {
	cat, err := catalog.New(catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"}, Enrichment: []string{"owner"},
		LatestBy: []catalog.LatestIndex{{By: []string{"a"}, Sort: []string{"b"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	h := &history{TB: t, r: rand.New(rand.NewPCG(seed, 1)), seed: seed, kind: &cat.Kinds[0],
		had: map[model.Order][]model.Attrs{}, late: map[model.Order]bool{}}
	h.table = memory.New(h.now)
	h.service = &ingest.Service{
		Store: h.table, Limits: config.Default().Limits, Now: h.now, Rand: rand.NewChaCha8([32]byte{byte(seed)}),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
	return h
}

func (h *history) now() model.Time { return noon }

func (h *history) series() model.Series { return h.kind.Series("d", "", model.Order{}) }

func (h *history) say(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf(format, args...))
}

// fields returns some of the fields a, b and c, with new values.
func (h *history) fields() (attrs model.Attrs) {
	for _, name := range []string{"a", "b", "c"} {
		if h.r.IntN(2) == 0 {
			h.values++
			attrs = append(attrs, model.Attr{Name: name, Value: model.NumberValue(model.NewDecimal(h.values))})
		}
	}
	return attrs
}

func (h *history) observation() ingest.TypedObservation {
	return ingest.TypedObservation{Subject: "d", At: noon.Add(-time.Duration(h.r.IntN(5)) * time.Minute),
		ID: "1", Attrs: h.fields()}
}

func (h *history) stored(k model.EventKey) *model.Event {
	e, err := storage.Event(h.Context(), h.table, k)
	if err != nil {
		h.Fatal(err)
	}
	return e
}

// changed lets the stream have a change, later.
func (h *history) changed(what storage.ChangeType, before, after *model.Event) {
	key := before
	if key == nil {
		key = after
	}
	if after != nil {
		h.had[after.Order] = append(h.had[after.Order], after.Attrs)
		h.late[after.Order] = h.late[after.Order] || after.Late
	}
	c := storage.Change{Type: what, Key: key.Key(), Before: before, After: after, At: noon}
	if latest.Concerns(h.kind, &c) {
		h.stream = append(h.stream, c)
	}
}

func (h *history) step() {
	o := h.observation()
	key := model.EventKey{Series: h.series(), Order: model.Order{At: o.At, ID: o.ID}}
	before := h.stored(key)
	console := h.r.IntN(3) == 0
	switch x := h.r.IntN(10); {
	case x < 4:
		got, err := h.service.AppendEvents(h.Context(), h.kind, []ingest.TypedObservation{o})
		if err != nil {
			h.Fatal(err)
		}
		h.say("append %s %v: %s", o.At, o.Attrs, got[0].Outcome)
		if got[0].Outcome == model.Applied || got[0].Outcome == model.Late {
			h.changed(storage.Inserted, nil, h.stored(key))
		}
	case x < 8 && before != nil:
		h.edit(o, before, x < 6, console)
	case x == 8:
		h.values++
		h.owner = model.NumberValue(model.NewDecimal(h.values))
		if _, err := h.service.Enrich(h.Context(), h.table, h.kind, h.series(),
			model.Attrs{{Name: "owner", Value: h.owner}}, nil); err != nil {
			h.Fatal(err)
		}
	default:
		h.deliver()
	}
}

// edit deletes or corrects an event, by the library or as a console does.
func (h *history) edit(o ingest.TypedObservation, before *model.Event, remove, console bool) {
	h.say("remove %v, console %v: %s, then %v", remove, console, o.At, o.Attrs)
	what := storage.Corrected
	var err error
	switch {
	case remove && console:
		err = h.table.DeleteItem(h.Context(), keys.Event(before.Key()))
	case remove:
		_, err = (&ingest.Editor{Service: h.service, Store: h.table}).Delete(h.Context(), h.kind, before.Key(), nil)
	case console:
		after := *before
		after.Attrs, after.Hash = o.Attrs, model.HashAttrs(o.Attrs)
		err = h.table.PutItem(h.Context(), item.FromEvent(&after))
	default:
		_, err = (&ingest.Editor{Service: h.service, Store: h.table}).Correct(h.Context(), h.kind, o, nil)
	}
	if remove {
		what = storage.Deleted
	}
	if err != nil {
		h.Fatal(err)
	}
	if h.changed(what, before, h.stored(before.Key())); !console {
		h.noGhost(before, h.stored(before.Key()))
	}
}

// noGhost checks the promise of the library: when a call returns, nothing that it replaced is in the item.
func (h *history) noGhost(before, after *model.Event) {
	l := h.latest()
	for _, a := range before.Attrs {
		kept := false
		if after != nil {
			v, has := after.Attrs.Get(a.Name)
			kept = has && v == a.Value
		}
		if v, has := l.Attrs.Get(a.Name); has && v == a.Value && !kept {
			h.fail("the latest item still has %s = %s, which the call replaced", a.Name, a.Value.Number)
		}
	}
	if after == nil && l.Ordered && l.Order == before.Order {
		h.fail("the latest item is still of the deleted event %s", before.At)
	}
}

// deliver delivers one of the changes, sometimes twice.
func (h *history) deliver() {
	if len(h.stream) == 0 {
		return
	}
	i := h.r.IntN(len(h.stream))
	c := h.stream[i]
	if h.r.IntN(4) > 0 {
		h.stream = append(h.stream[:i:i], h.stream[i+1:]...)
	}
	f := latest.Folder{
		Store: h.table, Now: h.now, NewRev: func() (rollup.Rev, error) { return ids.Nonce(h.service.Rand) },
		Retrier: retry.Retrier{Rand: h.service.Rand, Sleep: h.service.Sleep},
	}
	h.say("deliver %s %s", c.Type, c.Key.At)
	if _, err := f.Fold(h.Context(), h.kind, h.series(), []storage.Change{c}, false); err != nil {
		h.Fatal(err)
	}
}

func (h *history) latest() model.Latest {
	l, err := h.table.Latest(h.Context(), h.series(), true)
	if err != nil {
		h.Fatal(err)
	}
	if l == nil {
		return model.Latest{}
	}
	return *l
}

func (h *history) fail(format string, args ...any) {
	h.Helper()
	h.Fatalf("seed %d: "+format+"\n%v", append(append([]any{h.seed}, args...), h.log)...)
}

// whole checks that the item has the fields that its event has, or had before a change whose record comes
// later: never the time of one event with the fields of an older one. A field of a late event may be older
// than one that has expired.
func (h *history) whole() {
	l := h.latest()
	isIn := func(a model.Attr) bool {
		v, has := l.Attrs.Get(a.Name)
		return has && v == a.Value
	}
	has := func(attrs model.Attrs) bool {
		return !slices.ContainsFunc(attrs, func(a model.Attr) bool { return !isIn(a) })
	}
	if all := h.had[l.Order]; l.Ordered && !h.late[l.Order] && !slices.ContainsFunc(all, has) {
		h.fail("the latest item of %s has %v, want fields that this event has had: %v", l.At, l.Attrs, all)
	}
}

// settled checks the item after the stream has delivered every change.
func (h *history) settled() {
	for len(h.stream) > 0 {
		h.deliver()
	}
	var want model.Latest
	for e, err := range storage.Events(h.Context(), h.table,
		storage.Range{Series: h.series(), From: model.MinTime, To: model.MaxTime, Consistent: true}) {
		if err != nil {
			h.Fatal(err)
		}
		want.Ordered = true
		want.Order, want.Hash = e.Order, e.Hash
		want.Attrs = want.Attrs.Union(e.Attrs)
	}
	if h.owner != (model.Value{}) {
		want.Attrs = want.Attrs.Union(model.Attrs{{Name: "owner", Value: h.owner}})
	}
	got := h.latest()
	if got.Ordered != want.Ordered || got.Order != want.Order || got.Hash != want.Hash ||
		fmt.Sprint(got.Attrs) != fmt.Sprint(want.Attrs) {
		h.fail("the latest item is %v %v %v,\nwant %v %v %v", got.Ordered, got.Order, got.Attrs, want.Ordered,
			want.Order, want.Attrs)
	}
	it, err := h.table.GetItem(h.Context(), keys.Latest(h.series()))
	if err != nil {
		h.Fatal(err)
	}
	x := h.kind.LatestBy[0]
	if entry := latest.Entry(h.series(), x, want.Attrs); it.IndexKey(x.Index) != entry {
		h.fail("the index has the item under %v, want %v", it.IndexKey(x.Index), entry)
	}
}

// The latest item is of the newest stored event, each of its fields has the value of the newest
// stored event with this field, enrichment stays, and the index has it under its fields: after any appends
// and changes by any program.
func TestFold_LatestFollowsItsEvents(t *testing.T) {
	histories := uint64(4000)
	if testing.Short() {
		histories = 800
	}
	for seed := range histories {
		h := newHistory(t, seed)
		for range 4 + h.r.IntN(16) {
			h.step()
			h.whole()
		}
		h.settled()
	}
}
