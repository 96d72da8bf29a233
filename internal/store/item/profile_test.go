package item_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var site = model.Profile{
	Subject:   model.Subject{Type: "SITE", ID: "my#site"},
	Attrs:     model.Attrs{{Name: "name", Value: model.TextValue("My site")}},
	CreatedAt: 1000, ExpiresAt: 2000,
}

func TestProfile_RoundTrips(t *testing.T) {
	back, err := item.Profile(item.FromProfile(&site))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(site, back, cmp.Comparer(func(a, b model.Decimal) bool { return a == b })); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestProfile_RejectsInvalidItems(t *testing.T) {
	for name, c := range map[string]struct {
		change func(item.Item)
		want   error
	}{
		"an item of another class":   {func(it item.Item) { it[keys.AttrSK] = item.Value{Type: item.S, S: "CURRENT#READING#"} }, keys.ErrKeyForm},
		"in a shard's partition":     {func(it item.Item) { it[keys.AttrPK] = item.Value{Type: item.S, S: "SITE#a#1"} }, keys.ErrKeyForm},
		"of a newer version":         {func(it item.Item) { it[keys.AttrVersion] = item.Value{Type: item.N, S: "99"} }, item.ErrNewer},
		"a TTL that is not a number": {func(it item.Item) { it[keys.AttrExpiresAt] = item.Value{Type: item.S, S: "soon"} }, item.ErrDamaged},
	} {
		it := item.FromProfile(&site)
		c.change(it)
		if _, err := item.Profile(it); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestEvent_IsIndexedByItsField(t *testing.T) {
	view := model.Event{
		Series:  model.Series{Subject: model.Subject{Type: "SITE", ID: "my-site"}, Kind: "PAGEVIEW", Shard: 2},
		Order:   model.Order{At: 1000, ID: "a"},
		Attrs:   model.Attrs{{Name: "visitor", Value: model.TextValue("v#1")}},
		IndexBy: "visitor",
	}
	it := item.FromEvent(&view)
	if pk, sk := it[keys.AttrGSI2PK].S,
		it[keys.AttrGSI2SK].S; pk != "BY#PAGEVIEW#visitor#v%231" || sk != "1970-01-01T00:00:01.000Z#my-site##a" {
		t.Errorf("index key %q, %q", pk, sk)
	}
	back, err := item.Event(it)
	if err != nil || back.IndexBy != "visitor" || len(back.Attrs) != 1 {
		t.Errorf("decoded as %+v, %v", back, err)
	}
	for name, attrs := range map[string]model.Attrs{
		"without the field": nil,
		"an empty value":    {{Name: "visitor", Value: model.TextValue("")}},
		"a number":          {{Name: "visitor", Value: model.NumberValue(model.NewDecimal(1))}},
	} {
		view.Attrs = attrs
		if _, exists := item.FromEvent(&view)[keys.AttrGSI2PK]; exists {
			t.Errorf("%s: it is in the index", name)
		}
	}
}

func TestEvent_IgnoresIndexKeysOfOtherPrograms(t *testing.T) {
	it := item.FromEvent(
		&model.Event{Series: model.Series{Subject: model.Subject{Type: "SITE", ID: "a"}, Kind: "PAGEVIEW"}})
	for _, pk := range []string{"OWNER#ops", "BY#REQUEST#visitor#v"} {
		it[keys.AttrGSI2PK] = item.Value{Type: item.S, S: pk}
		if back, err := item.Event(it); err != nil || back.IndexBy != "" || back.Unreadable {
			t.Errorf("%s: decoded as %+v, %v", pk, back, err)
		}
	}
}

// Attributes that no field can have are kept when a profile is written back, and a removed index
// key leaves nothing.
func TestProfile_KeepsForeignAttributes(t *testing.T) {
	p := model.Profile{Subject: model.Subject{Type: "DEVICE", ID: "d"}, Version: 1}
	it := item.FromProfile(&p)
	it["set"] = item.Value{Type: item.Other}
	read, err := item.Profile(it)
	if err != nil {
		t.Fatal(err)
	}
	if again := item.FromProfile(&read); !reflect.DeepEqual(again, it) {
		t.Errorf("written back: %v, want %v", again, it)
	}
	index := keys.Key{PK: "a", SK: "b"}
	it.SetIndex(keys.IndexGSI1, index)
	pk, sk := item.IndexAttrs(keys.IndexGSI1)
	if it[pk].S != "a" || it[sk].S != "b" {
		t.Errorf("index key %v, %v; want a, b", it[pk], it[sk])
	}
	it.SetIndex(keys.IndexGSI1, keys.Key{})
	if _, found := it[pk]; found {
		t.Error("the partition key of the index is left")
	}
	if _, found := it[sk]; found {
		t.Error("the sort key of the index is left")
	}
}
