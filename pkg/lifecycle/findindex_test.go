package lifecycle_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A list by one field finds the index of this field alone, in whichever order the indexes are declared.
func TestList_UsesTheIndexThatHasExactlyItsFields(t *testing.T) {
	both := catalog.ProfileIndex{Field: "account", And: []string{"status"}, Index: catalog.FirstIndex}
	one := catalog.ProfileIndex{Field: "account", Index: catalog.SecondIndex}
	for _, indexes := range [][]catalog.ProfileIndex{{both, one}, {one, both}} {
		w := newFixture(t, catalog.Profile{Indexes: indexes}.Complete())
		attrs := model.Attrs{{Name: "account", Value: model.TextValue("acme")},
			{Name: "status", Value: model.TextValue("active")}}
		w.noError(w.Create(t.Context(), alice, attrs))
		for _, by := range []map[string]string{{"account": "acme"}, {"account": "acme", "status": "active"}} {
			page, err := w.List(t.Context(), lifecycle.ProfileQuery{SubjectType: alice.Type, By: by})
			if err != nil || len(page.Profiles) != 1 {
				t.Errorf("indexes %v, by %v: %d profiles, %v; want one", indexes, by, len(page.Profiles), err)
			}
		}
	}
}
