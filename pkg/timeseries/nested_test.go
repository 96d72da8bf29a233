package timeseries_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// shop is a profile with lists, maps and a struct.
type shop struct {
	ID      string           `tide:"subject"`
	Domains []string         `tide:"field"`
	Prices  map[string]int64 `tide:"field"`
	Place   *place           `tide:"field"`
}

type place struct {
	City   string   `json:"city"`
	Floors []string `json:"floors,omitempty"`
}

func TestProfiles_HaveListsMapsAndStructs(t *testing.T) {
	t.Parallel()
	shops, err := timeseries.OpenProfiles[shop](newTable(), catalog.SubjectType{Name: "SHOP"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	full := shop{ID: "a", Domains: []string{"b.example", "ü"}, Prices: map[string]int64{"x": 1 << 62},
		Place: &place{City: "Ulm", Floors: []string{"1"}}}
	for version, v := range []shop{full, {ID: "a", Domains: []string{}}, full} {
		if _, err := shops.Put(ctx, v, int64(version)); err != nil {
			t.Fatal(err)
		}
		stored, err := shops.Get(ctx, "a")
		if err != nil || stored == nil {
			t.Fatal(stored, err)
		}
		if diff := cmp.Diff(v, stored.Value); diff != "" {
			t.Errorf("version %d (-want +got):\n%s", stored.Version, diff)
		}
	}
	_, err = shops.Put(ctx, shop{ID: "b", Domains: []string{"\xff"}}, 0)
	if !errors.Is(err, timeseries.ErrRejected) || !strings.Contains(err.Error(), "UTF-8") {
		t.Errorf("text that is not UTF-8: %v", err)
	}
	if out, err := shops.Put(ctx, shop{ID: "b", Domains: []string{`\ufffd`, "\ufffd"}}, 0); err != nil ||
		out.Outcome != lifecycle.Created {
		t.Errorf("text that looks like a replacement: %v, %v", out.Outcome, err)
	}
}

func TestOpenProfiles_RefusesListsWhereTheyCannotBe(t *testing.T) {
	t.Parallel()
	unique := catalog.SubjectType{Name: "SHOP",
		Profile: &catalog.Profile{Unique: []catalog.Unique{{Name: "domains", Fields: []string{"domains"}}}}}
	indexed := catalog.SubjectType{Name: "SHOP",
		Profile: &catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "prices"}}}}
	_, first := timeseries.OpenProfiles[shop](newTable(), unique, nil)
	_, second := timeseries.OpenProfiles[shop](newTable(), indexed, nil)
	for name, err := range map[string]error{"unique": first, "indexed": second} {
		var mistake *timeseries.Error
		if !errors.As(err, &mistake) || mistake.Code != timeseries.RowDiffers {
			t.Errorf("%s: %v, want %s", name, err, timeseries.RowDiffers)
		}
	}
}

// Another program may have stored a list where the type has a text.
func TestProfiles_AListInPlaceOfATextIsAnError(t *testing.T) {
	t.Parallel()
	table, ctx := newTable(), context.Background()
	others := &lifecycle.Service{Store: table}
	list := model.Attrs{{Name: "email", Value: model.Value{Kind: model.Nested, Text: `["x"]`}}}
	if _, err := others.Create(ctx, model.Subject{Type: "ACCOUNT", ID: "a"}, list); err != nil {
		t.Fatal(err)
	}
	if _, err := accounts(t, table).Get(ctx, "a"); err == nil || !strings.Contains(err.Error(), "Email") {
		t.Errorf("%v, want the field", err)
	}
}
