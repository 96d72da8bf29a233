package verify

import (
	"slices"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// loseRows removes rows of the group, as if its notice had been lost.
func (f *fleet) loseRows(tiers ...string) {
	f.Helper()
	for _, t := range tiers {
		key := rollup.Key{Series: site, Tier: t, Start: tested14}
		switch t {
		case "day":
			key.Start = eventAt("2026-04-20T00:00:00Z", 0).At
		case "month":
			key.Start = eventAt("2026-04-01T00:00:00Z", 0).At
		}
		if err := f.DeleteItem(f.Context(), tablekeys.Row(key)); err != nil {
			f.Fatal(err)
		}
	}
}

// A recount of the group alone does not know of its shares, because the row that says where they are is gone.
func TestVerify_FindsABucketOfAGroupThatHasSharesAndNoRow(t *testing.T) {
	for name, c := range map[string]struct {
		plant func(*fleet)
		want  []string
	}{
		"nothing is lost": {func(*fleet) {}, nil},
		"the hour":        {func(f *fleet) { f.loseRows("hour") }, []string{"hour missing"}},
		"all, and the series with them": {
			func(f *fleet) { f.loseRows("hour", "day", "month") },
			[]string{"hour missing"},
		},
		"the hour of a group that is left": {func(f *fleet) { f.loseRows("hour"); f.moveAll() }, nil},
		"the notice is on its way": {func(f *fleet) {
			f.loseRows("hour")
			f.notify(site, tested14)
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t)
			c.plant(f)
			var got []string
			for _, d := range f.verify(Verifier{MaxExplained: 9}, Scope{Span: Always}).Differences {
				if d.Key.Series == site {
					got = append(got, d.Key.Tier+" "+string(d.Status))
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("rows of the group that differ: %q, want %q", got, c.want)
			}
			found, _ := watchedFor(f.fixture, 2, 1e6, "", nil)
			if found["berlin"] != len(c.want) {
				t.Errorf("two passes of a watch find %v, want %d rows of berlin", found, len(c.want))
			}
			f.rebuild("berlin", "b")
			if r := f.verify(Verifier{}, Scope{Span: Always}); !r.OK() {
				t.Errorf("after a rebuild differ %v, want none", r.Differences)
			}
		})
	}
}

// moveAll corrects the readings of all members: they were at another site.
func (f *fleet) moveAll() {
	f.Helper()
	for _, id := range []string{"a", "b", "c"} {
		f.move(id)
	}
}

// A watch recounts a group a second time after its patience, perhaps before its members.
func TestWatcher_ABucketWithoutARowIsFoundUntilItHasOne(t *testing.T) {
	f := newFleet(t)
	f.loseRows("hour")
	v := &Verifier{Store: f.Table, Catalog: f.catalog, Now: f.now, buckets: newGroupBuckets()}
	differ := func(s model.Series) int {
		t.Helper()
		report, err := recountOne(t.Context(), v, s)
		if err != nil {
			t.Fatal(err)
		}
		return len(report.Differences)
	}
	differ(f.reading("a", "2026-04-20T14:00:00Z").Series)
	for range 2 {
		if n := differ(site); n != 1 {
			t.Errorf("%d rows differ, want the hour", n)
		}
	}
	f.rebuild("berlin", "a")
	if n := differ(site); n != 0 || len(v.buckets.noted) > 0 {
		t.Errorf("%d rows differ after a rebuild and %v are noted, want none", n, v.buckets.noted)
	}
}
