package item_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestLatest_IsTheInverseOfFromLatest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "its newest event")
		c := model.Latest{
			Series: e.Series, Ordered: true, Order: e.Order, Hash: e.Hash, Attrs: e.Attrs,
			CreatedAt: e.ArrivedAt, PurgeLocked: rapid.Bool().Draw(t, "purge locked"),
		}
		got, err := item.Latest(item.FromLatest(&c))
		if diff := cmp.Diff(c, got, sameEntity); err != nil || diff != "" {
			t.Fatalf("%v, decoded item differs (-want +got):\n%s", err, diff)
		}
	})
}

// The order attributes are compared by the table, so that they are stored even if empty.
func TestFromLatest_StoresTheEmptyID(t *testing.T) {
	c := latest()
	c.ID = ""
	if v, ok := item.FromLatest(&c)[tablekeys.AttrID]; !ok || v.Type != item.S || v.S != "" {
		t.Errorf("%s is %v, exists: %v; want an empty string", tablekeys.AttrID, v, ok)
	}
}

func TestLatest_IncludesEnrichmentExceptUnsupportedTypes(t *testing.T) {
	c := latest()
	it := item.FromLatest(&c)
	it["accountId"] = item.Value{Type: item.S, S: "acc-1"}
	it["owners"] = item.Value{}                                  // a list
	it["photo"] = item.Value{Type: item.B, B: []byte{1}}         // binary
	it["worth"] = wrongValues["a huge number"]                   // a number out of range
	it["_theirs"] = item.Value{Type: item.S, S: "x"}             // a reserved name
	it[keys.AttrGSI1PK] = item.Value{Type: item.S, S: "OWNER#1"} // one of our attributes
	want := latest()
	want.Attrs = want.Attrs.Union(model.Attrs{{Name: "accountId", Value: model.TextValue("acc-1")}})
	got, err := item.Latest(it)
	if diff := cmp.Diff(want, got, sameEntity); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestLatest_WrittenByEnrichmentAloneHasNoOrder(t *testing.T) {
	k := keys.Latest(series())
	got, err := item.Latest(item.Item{
		keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK},
		"accountId": {Type: item.S, S: "acc-1"},
	})
	want := model.Latest{Series: series(),
		Attrs: model.Attrs{{Name: "accountId", Value: model.TextValue("acc-1")}}}
	if diff := cmp.Diff(want, got, sameEntity); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestLatest_IsPurgeLockedByAnyValue(t *testing.T) {
	c := latest()
	for name, v := range wrongValues {
		if got, err := item.Latest(with(item.FromLatest(&c), tablekeys.AttrPurgeLock, v)); err != nil ||
			!got.PurgeLocked {
			t.Errorf("purge lock %s: locked %v, %v", name, got.PurgeLocked, err)
		}
	}
}

func TestLatest_RejectsDamagedAndNewerItems(t *testing.T) {
	c := latest()
	stored := item.FromLatest(&c)
	for name, cse := range map[string]struct {
		it   item.Item
		want error
	}{
		"order no time":    {with(stored, tablekeys.AttrAt, wrongValues["a word"]), item.ErrDamaged},
		"order a number":   {with(stored, tablekeys.AttrAt, wrongValues["negative"]), item.ErrDamaged},
		"order without id": {without(stored, tablekeys.AttrID), item.ErrDamaged},
		"id a number":      {with(stored, tablekeys.AttrID, wrongValues["negative"]), item.ErrDamaged},
		"no hash":          {without(stored, tablekeys.AttrHash), item.ErrDamaged},
		"short hash":       {with(stored, tablekeys.AttrHash, wrongValues["short bytes"]), item.ErrDamaged},
		"createdAt a word": {with(stored, keys.AttrCreatedAt, wrongValues["a word"]), item.ErrDamaged},
		"version a word":   {with(stored, keys.AttrVersion, wrongValues["a word"]), item.ErrDamaged},
		"newer":            {with(stored, keys.AttrVersion, item.Value{Type: item.N, S: "2"}), item.ErrNewer},
		"newer and other":  {without(with(stored, keys.AttrVersion, item.Value{Type: item.N, S: "2"}), tablekeys.AttrID), item.ErrNewer},
		"no key":           {without(stored, keys.AttrSK), keys.ErrKeyForm},
	} {
		if got, err := item.Latest(cse.it); !errors.Is(err, cse.want) || got.Ordered {
			t.Errorf("%s: %v, %v; want %v", name, got, err, cse.want)
		}
	}
}
