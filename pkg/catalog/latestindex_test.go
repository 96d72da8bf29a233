package catalog_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func TestNew_ChecksIndexesOfLatestItems(t *testing.T) {
	t.Parallel()
	one := func(x catalog.LatestIndex) catalog.Kind {
		return catalog.Kind{Name: "FLOW", Subject: catalog.SubjectType{Name: "PUMP"},
			LatestBy: []catalog.LatestIndex{x}}
	}
	with := func(k catalog.Kind, change func(*catalog.Kind)) catalog.Kind { change(&k); return k }
	state := catalog.LatestIndex{By: []string{"state"}}
	for name, c := range map[string]struct {
		kind catalog.Kind
		want string // "" if it is valid
	}{
		"by one field":             {one(state), ""},
		"ordered, and preserved":   {one(catalog.LatestIndex{Index: "gsi2", By: []string{"state"}, Sort: []string{"room"}, Half: catalog.HalfPreserve}), ""},
		"by none":                  {one(catalog.LatestIndex{Sort: []string{"room"}}), "no field to find latest items by"},
		"in no index":              {one(catalog.LatestIndex{Index: "gsi3", By: []string{"state"}}), `"gsi3" is not an index`},
		"of no policy":             {one(catalog.LatestIndex{By: []string{"state"}, Half: "perhaps"}), `"perhaps" is not a policy for incomplete entries`},
		"of a field twice":         {one(catalog.LatestIndex{By: []string{"state"}, Sort: []string{"state"}}), "is in the key twice"},
		"of no name":               {one(catalog.LatestIndex{By: []string{""}}), "a field has no name"},
		"of a measure":             {with(one(state), func(k *catalog.Kind) { k.Measures = []rollup.MeasureSpec{{Name: "state"}} }), "is a measure"},
		"mixed with enrichment":    {with(one(catalog.LatestIndex{By: []string{"account"}, Sort: []string{"state"}}), func(k *catalog.Kind) { k.Enrichment = []string{"account"} }), "mixes fields of events with enrichment"},
		"of enrichment":            {with(one(state), func(k *catalog.Kind) { k.Enrichment = []string{"state"} }), ""},
		"of a kind without any":    {with(one(state), func(k *catalog.Kind) { k.Latest = catalog.NoLatest }), "needs exactly one latest item for each series"},
		"of a kind that is spread": {with(one(state), func(k *catalog.Kind) { k.Shards = 2 }), "needs exactly one latest item for each series"},
		"two in one index":         {with(one(state), func(k *catalog.Kind) { k.LatestBy = append(k.LatestBy, state) }), "declared twice: a latest item has one entry"},
	} {
		made, err := catalog.New(c.kind)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case c.want == "" && (made.Kinds[0].LatestBy[0].Index == "" || made.Kinds[0].LatestBy[0].Half == ""):
			t.Errorf("%s: defaults are not filled in: %+v", name, made.Kinds[0].LatestBy[0])
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want it to say %q", name, err, c.want)
		}
	}
}
