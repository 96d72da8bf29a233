package query_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// siteMeters is a simulation of three meters at sites over some days, which are swept.
func siteMeters(t *rapid.T) *simulation {
	kind := iot.Readings
	kind.Measures = []rollup.MeasureSpec{{Name: "value", Counter: true}}
	kind.Groups, kind.Retention = []string{"site"}, tier.Standard().Defer()
	kind.Shards = rapid.SampledFrom([]int{1, 3}).Draw(t, "shards")
	l := newSimulation(t, kind)
	sites := rapid.SampledFrom([]string{"x", "x", "x", "y", ""})
	for _, meter := range []string{"a", "b", "c"} {
		site := sites.Draw(t, "site")
		for range rapid.IntRange(0, 20).Draw(t, "readings") {
			if rapid.IntRange(0, 4).Draw(t, "moves") == 0 {
				site = sites.Draw(t, "site")
			}
			age := time.Duration(rapid.IntRange(0, 4*24*4).Draw(t, "age")) * 15 * time.Minute
			l.appendAt(site, meter, now.Add(-age), rapid.Int64Range(0, 50).Draw(t, "value"))
		}
	}
	l.process()
	l.clock = now.Add(26 * time.Hour)
	l.sweep()
	if _, err := l.agg.Sweep(context.Background(), storage.GroupShard); err != nil {
		t.Fatalf("sweep groups: %v", err)
	}
	l.query.Store = l.live()
	return l
}

// appendAt is append with the field site; "" for none.
func (l *simulation) appendAt(site, subject string, at model.Time, value int64) {
	if site == "" {
		l.append(subject, "", at, value)
		return
	}
	l.append(subject, "", at, value, model.Attr{Name: "site", Value: model.TextValue(site)})
}

// usedBySite returns the increases of a meter by site, of the steps that end in a range: "?" where an hour
// has readings of several sites, and nil where no step ends.
func (l *simulation) usedBySite(from, to model.Time, meter string) map[string]*big.Rat {
	sites, used := map[model.Time][]string{}, map[string]*big.Rat{}
	siteOf := func(e model.Event) string {
		v, _ := e.Attrs.Get("site")
		text, _ := v.Plain()
		return text
	}
	for _, e := range l.appended {
		if hour := tier.Hour.BucketAt(e.At).Start; e.Series.Subject.ID == meter {
			if site := siteOf(e); !slices.Contains(sites[hour], site) {
				sites[hour] = append(sites[hour], site)
			}
		}
	}
	for hour, all := range sites {
		if hour < from || hour >= to {
			continue
		}
		site := all[0]
		if len(all) > 1 {
			site = "?"
		}
		steps := l.used(hour, hour.Add(time.Hour), meter)
		if steps != nil && used[site] != nil {
			steps.Add(steps, used[site])
		}
		used[site] = cmp.Or(steps, used[site])
	}
	return used
}

// What a meter counts in an hour belongs to the site that its readings of the hour name, in a range of any
// whole hours, whichever tiers are read.
func TestIncreases_BelongToTheGroupOfTheirHour(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := siteMeters(t)
		first := rapid.IntRange(0, 5*24-1).Draw(t, "from")
		last := rapid.IntRange(first+1, 5*24).Draw(t, "to")
		day := tier.Day.BucketAt(now).Start.Add(-4 * tier.Day24)
		q := l.increases(day.Add(time.Duration(first)*time.Hour), day.Add(time.Duration(last)*time.Hour))
		got, err := l.query.AllIncreases(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]map[string]*big.Rat{"a": {}, "b": {}, "c": {}}
		for _, m := range got.Members {
			for _, g := range m.Groups {
				name := g.Group.ID
				if g.Group.Unknown {
					name = "?"
				}
				found[m.Member.ID][name] = nil
				if g.Increase != nil {
					found[m.Member.ID][name] = g.Increase.Rat()
				}
				if !g.Exact || len(m.Missing) > 0 {
					t.Fatalf("%s in %s: exact %t, missing %v", m.Member.ID, name, g.Exact, m.Missing)
				}
			}
		}
		for meter, got := range found {
			if want := l.usedBySite(q.From, q.To, meter); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("%s from %s to %s: %v, want %v", meter, q.From, q.To, got, want)
			}
		}
	})
}

// increases is a request for the increases of the meters by site.
func (l *simulation) increases(from, to model.Time) query.Increases {
	by, _ := l.agg.Catalog.Kind("READING_BY_SITE")
	return query.Increases{Of: l.kind, By: by, Measure: "value", From: from, To: to}
}

func TestIncreases_SaysWhatRowsOfGroupsDoNotTell(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Measures = []rollup.MeasureSpec{{Name: "value", Counter: true}, {Name: "gauge"}}
	kind.Groups, kind.Retention = []string{"site"}, tier.Standard().Defer()
	l := newSimulation(t, kind)
	hour := tier.Hour.BucketAt(now).Start
	l.appendAt("x", "a", hour.Add(-2*time.Hour), 5)
	l.appendAt("x", "a", hour.Add(-time.Hour), 9)
	l.process()
	q := l.increases(hour.Add(-150*time.Minute), hour.Add(time.Hour))
	l.query.Store = l.live()
	page, err := l.query.Increases(t.Context(), q)
	if err != nil || len(page.Members) > 0 || !page.Open || *page.CompleteThrough != model.MinTime ||
		page.Sums.Exact {
		t.Errorf("before the first sweep: %+v, %v", page, err)
	}
	l.clock = hour.Add(30 * time.Minute)
	l.sweep()
	if _, err := l.agg.Sweep(t.Context(), storage.GroupShard); err != nil {
		t.Fatal(err)
	}
	l.query.Store = l.live()
	page, err = l.query.Increases(t.Context(), q)
	if err != nil || page.From != hour.Add(-2*time.Hour) || page.To != hour || !page.Open ||
		*page.CompleteThrough != hour {
		t.Errorf("%+v, complete through %v, %v; want two hours", page, page.CompleteThrough, err)
	}
	if sums := page.Sums; len(sums.Groups) != 1 || sums.Groups[0].Increase.String() != "4" {
		t.Errorf("increases %+v; want 4 of x", sums)
	}
	later := *q.By // whose groups began an hour ago
	later.Retention.Tiers = slices.Clone(later.Retention.Tiers)
	later.Retention.Tiers[0].From = hour.Add(-time.Hour)
	q.By = &later
	page, err = l.query.Increases(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	sums := page.Sums
	if sums.Unknown.Members != 1 || sums.Unknown.Increase != nil || sums.Exact || len(sums.Groups) != 1 ||
		sums.Groups[0].Increase.String() != "4" || sums.Groups[0].Exact {
		t.Errorf("a reading from before there were groups: %+v; want 4 of x, and an unknown rest", sums)
	}
	q = l.increases(hour.Add(-2*time.Hour), hour.Add(-time.Hour))
	page, err = l.query.Increases(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	part, err := l.query.Increases(t.Context(), l.increases(hour.Add(-30*time.Minute), hour))
	if err != nil || part.Open || part.Sums.Exact {
		t.Errorf("a range without a whole bucket: %+v, %v; want that it is not exact", part.Sums, err)
	}
	if x := page.Sums.Group("x"); x.Members != 1 || x.Increase != nil || !x.Exact {
		t.Errorf("the first reading: %+v; want no increase, which is not 0", x)
	}
	q.Streams = []string{"other"}
	if page, err := l.query.Increases(t.Context(), q); err != nil || len(page.Members) > 0 {
		t.Errorf("another stream: %+v, %v; want nothing", page.Members, err)
	}
	for name, q := range map[string]struct {
		change func(*query.Increases)
		want   error
	}{
		"no counter": {change: func(q *query.Increases) { q.Measure = "gauge" }, want: query.ErrNoCounter},
		"no groups":  {change: func(q *query.Increases) { q.By = l.kind }, want: query.ErrNoMembers},
		"no range":   {change: func(q *query.Increases) { q.To = q.From }, want: query.ErrRange},
	} {
		request := l.increases(hour.Add(-time.Hour), hour)
		q.change(&request)
		if _, err := l.query.Increases(t.Context(), request); !errors.Is(err, q.want) {
			t.Errorf("%s: %v, want %v", name, err, q.want)
		}
	}
}
