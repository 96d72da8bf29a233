package item_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCurrent_ComesBackAsItWasStored(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEvent().Draw(t, "its newest event")
		c := model.Current{
			Series: e.Series, Ordered: true, Order: e.Order, Hash: e.Hash, Attrs: e.Attrs,
			CreatedAt: e.ArrivedAt, Fenced: rapid.Bool().Draw(t, "fenced"),
		}
		got, err := item.Current(item.FromCurrent(&c))
		if diff := cmp.Diff(c, got, sameNoun); err != nil || diff != "" {
			t.Fatalf("%v, came back otherwise (-want +got):\n%s", err, diff)
		}
	})
}

// An order attribute is compared in the table, so it is there even where it is empty.
func TestFromCurrent_KeepsTheEmptyID(t *testing.T) {
	c := current()
	c.ID = ""
	if v, ok := item.FromCurrent(&c)[keys.AttrID]; !ok || v.Type != item.S || v.S != "" {
		t.Errorf("%s is %v, there: %v; want an empty string", keys.AttrID, v, ok)
	}
}

func TestCurrent_TakesEnrichmentAlongAndLeavesOutWhatNoFieldCanBe(t *testing.T) {
	c := current()
	it := item.FromCurrent(&c)
	it["accountId"] = item.Value{Type: item.S, S: "acc-1"}
	it["owners"] = item.Value{}                                  // a list
	it["photo"] = item.Value{Type: item.B, B: []byte{1}}         // binary
	it["worth"] = wrecks["a huge number"]                        // a number of another kind of table
	it["_theirs"] = item.Value{Type: item.S, S: "x"}             // ours by its name
	it[keys.AttrGSI1PK] = item.Value{Type: item.S, S: "OWNER#1"} // ours
	want := current()
	want.Attrs = want.Attrs.Union(model.Attrs{{Name: "accountId", Value: model.TextValue("acc-1")}})
	got, err := item.Current(it)
	if diff := cmp.Diff(want, got, sameNoun); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestCurrent_MadeByEnrichmentAloneHasNoOrder(t *testing.T) {
	k := keys.Current(series())
	got, err := item.Current(item.Item{
		keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}, "accountId": {Type: item.S, S: "acc-1"},
	})
	want := model.Current{Series: series(), Attrs: model.Attrs{{Name: "accountId", Value: model.TextValue("acc-1")}}}
	if diff := cmp.Diff(want, got, sameNoun); err != nil || diff != "" {
		t.Errorf("%v, (-want +got):\n%s", err, diff)
	}
}

func TestCurrent_IsFencedByWhateverStandsThere(t *testing.T) {
	c := current()
	for name, v := range wrecks {
		if got, err := item.Current(wrecked(item.FromCurrent(&c), keys.AttrFence, v)); err != nil || !got.Fenced {
			t.Errorf("fence %s: fenced %v, %v", name, got.Fenced, err)
		}
	}
}

func TestCurrent_SaysWhatIsDamagedAndWhatIsNewer(t *testing.T) {
	c := current()
	stored := item.FromCurrent(&c)
	for name, cse := range map[string]struct {
		it   item.Item
		want error
	}{
		"order no time":    {wrecked(stored, keys.AttrAt, wrecks["a word"]), item.ErrDamaged},
		"order a number":   {wrecked(stored, keys.AttrAt, wrecks["negative"]), item.ErrDamaged},
		"order without id": {without(stored, keys.AttrID), item.ErrDamaged},
		"id a number":      {wrecked(stored, keys.AttrID, wrecks["negative"]), item.ErrDamaged},
		"no hash":          {without(stored, keys.AttrHash), item.ErrDamaged},
		"short hash":       {wrecked(stored, keys.AttrHash, wrecks["short bytes"]), item.ErrDamaged},
		"createdAt a word": {wrecked(stored, keys.AttrCreatedAt, wrecks["a word"]), item.ErrDamaged},
		"version a word":   {wrecked(stored, keys.AttrVersion, wrecks["a word"]), item.ErrDamaged},
		"newer":            {wrecked(stored, keys.AttrVersion, item.Value{Type: item.N, S: "2"}), item.ErrNewer},
		"newer and other":  {without(wrecked(stored, keys.AttrVersion, item.Value{Type: item.N, S: "2"}), keys.AttrID), item.ErrNewer},
		"no key":           {without(stored, keys.AttrSK), keys.ErrForeign},
	} {
		if got, err := item.Current(cse.it); !errors.Is(err, cse.want) || got.Ordered {
			t.Errorf("%s: %v, %v; want %v", name, got, err, cse.want)
		}
	}
}
