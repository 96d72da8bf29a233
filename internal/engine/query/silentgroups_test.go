package query_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Each silent device counts once, in the site that its newest reading with a site had. Pages add up.
func TestCountSilent_CountsEachSilentMemberInItsLatestGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newListed(t)
		sites := rapid.SampledFrom([]string{"", "a", "b", "c"})
		last, of := map[string]model.Time{}, map[string]string{}
		for i := range rapid.IntRange(0, 30).Draw(t, "devices") {
			name := fmt.Sprint("d", i)
			if rapid.Bool().Draw(t, "profile") {
				l.list(model.Series{Subject: model.Subject{Type: "DEVICE", ID: name}}, 0)
				last[name] = model.MinTime
			}
			at := now.Add(-200 * time.Minute)
			for range rapid.IntRange(0, 3).Draw(t, "events") {
				at = at.Add(time.Duration(rapid.IntRange(1, 60).Draw(t, "minutes")) * time.Minute)
				kind, site := rapid.SampledFrom([]string{"READING", "LOG"}).Draw(t, "kind"), sites.Draw(t, "site")
				l.sendFrom(site, name, kind, "", at)
				if last[name] = at; kind == "READING" && site != "" {
					of[name] = site
				}
			}
		}
		q := l.request(time.Duration(rapid.IntRange(1, 200).Draw(t, "span")) * time.Minute)
		q.By, _ = l.kinds.Kind("READING_BY_SITE")
		want := map[string]int{}
		for name, at := range last {
			if at <= now.Add(-q.For) {
				want[of[name]]++
			}
		}
		all, err := paging.Collect(l.query.EachSilent(t.Context(), q))
		if err != nil {
			t.Fatal(err)
		}
		var paged []query.SilentSubject
		q.Limit = rapid.IntRange(1, 9).Draw(t, "limit")
		for more := true; more; more = q.Cursor != "" {
			page, err := l.query.Silent(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			paged, q.Cursor = append(paged, page.Subjects...), page.Next
		}
		for how, found := range map[string][]query.SilentSubject{"iterator": all, "pages": paged} {
			counts := query.CountSilent(found)
			got := map[string]int{"": counts.None.Silent}
			for _, g := range counts.Groups {
				got[g.Group] += g.Silent
			}
			want[""] += 0
			if diff := cmp.Diff(want, got); diff != "" || counts.Unknown.Silent != 0 {
				t.Fatalf("%s, silent for %s, %d unknown (-want +got):\n%s", how, q.For, counts.Unknown.Silent, diff)
			}
			if !slices.IsSortedFunc(counts.Groups, func(x, y query.SilentCount) int { return y.Silent - x.Silent }) {
				t.Fatalf("%s: %+v, want the most first", how, counts.Groups)
			}
		}
		if n := len(slices.Collect(maps.Keys(want))); n == 0 {
			t.Fatal("nothing was counted")
		}
	})
}

// A member whose newest event is not stored any more is in no known group, which is not the same as none. It
// costs no read more than the list of silent members.
func TestCountSilent_DoesNotTakeAnExpiredEventForOneWithoutAGroup(t *testing.T) {
	t.Parallel()
	l := newListed(t)
	l.list(model.Series{Subject: model.Subject{Type: "DEVICE", ID: "expired"}, Kind: "READING"},
		now.Add(-3*time.Hour))
	l.list(model.Series{Subject: model.Subject{Type: "DEVICE", ID: "profile only"}}, 0)
	l.sendFrom("a", "stored", "READING", "", now.Add(-3*time.Hour))
	q := l.request(time.Hour)
	count := func() (query.SilentCounts, int64) {
		before := l.reads.latest.Load()
		found, err := paging.Collect(l.query.EachSilent(t.Context(), q))
		if err != nil {
			t.Fatal(err)
		}
		return query.CountSilent(found), l.reads.latest.Load() - before
	}
	_, listReads := count()
	q.By, _ = l.kinds.Kind("READING_BY_SITE")
	got, reads := count()
	want := query.SilentCounts{
		Groups: []query.SilentCount{{Group: "a", Members: 1, Silent: 1}},
		None:   query.SilentCount{Members: 1, Silent: 1}, Unknown: query.SilentCount{Members: 1, Silent: 1},
	}
	if diff := cmp.Diff(want, got); diff != "" || reads != listReads {
		t.Errorf("%d reads, the list takes %d (-want +got):\n%s", reads, listReads, diff)
	}
}

// Of a group whose newest bucket was emptied, the newest bucket with events counts.
func TestSilent_AGroupIsKnownByItsNewestBucketWithEvents(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Groups, kind.Retention = []string{"site"}, tier.Standard().Defer()
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	table := memory.New(func() model.Time { return now })
	hours := func(ago int) model.Time {
		return tier.Hour.BucketAt(now.Add(-time.Duration(ago) * time.Hour)).Start
	}
	list := func(site string, removed model.Time, rows map[int]bool) {
		t.Helper()
		of := model.Series{Subject: model.Subject{Type: "BY_SITE", ID: site}, Kind: "READING_BY_SITE"}
		listed := storage.ListedSeries{Series: of, First: hours(9), Last: hours(1), Removed: removed}
		if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
			t.Fatal(err)
		}
		for ago, empty := range rows {
			fold := rollup.NewFold(&rollup.Spec{})
			if !empty {
				fold.AddEvent(&model.Event{Order: model.Order{At: hours(ago)}})
			}
			key := rollup.Key{Series: of, Tier: tier.Hour.String(), Start: hours(ago)}
			row := rollup.Row{
				Key: key, Fold: *fold, V: item.Version, WrittenAt: now, Rev: rollup.Rev{1}, Empty: empty,
			}
			result, err := table.PutRow(t.Context(), &row, rollup.Rev{})
			if err != nil || result != storage.Written {
				t.Fatal(result, err)
			}
		}
	}
	list("active", 0, map[int]bool{1: false})
	list("filled-again", hours(1), map[int]bool{1: false})
	list("moved", hours(1), map[int]bool{1: true, 2: true, 5: false})
	list("mistyped", hours(1), map[int]bool{1: true})
	s := &query.Service{Store: table, Now: func() model.Time { return now }}
	found, err := paging.Collect(s.EachSilent(t.Context(), query.Silent{
		SubjectType: "BY_SITE", Kinds: query.CatalogKinds(kinds), Through: now, For: 3 * time.Hour,
	}))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, one := range found {
		got[one.Subject.ID] = "removed"
		if one.LastSeen != nil {
			got[one.Subject.ID] = fmt.Sprint(one.LastSeen, one.Rounded)
		}
	}
	want := map[string]string{"moved": fmt.Sprint(hours(5), true), "mistyped": "removed"}
	if !maps.Equal(got, want) {
		t.Errorf("silent are %v, want %v", got, want)
	}
}
