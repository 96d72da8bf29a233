package query_test

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/latest"
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

// listed is a table of devices with events that are in the list of series.
type listed struct {
	t     testingT
	kinds *catalog.Catalog
	table *memory.Table
	query *query.Service
	reads *countingLatest
}

// countingLatest counts reads of latest items.
type countingLatest struct {
	query.Store
	latest atomic.Int64
}

func (c *countingLatest) Latest(ctx context.Context, s model.Series, consistent bool) (*model.Latest, error) {
	c.latest.Add(1)
	return c.Store.Latest(ctx, s, consistent)
}

func newListed(t testingT) *listed {
	t.Helper()
	logs := iot.Readings
	logs.Name, logs.Path = "LOG", "logs"
	logs.Latest = catalog.NoLatest
	logs.Measures, logs.LatestBy = nil, nil
	readings := iot.Readings
	readings.Groups = []string{"site"}
	kinds, err := catalog.New(readings, logs)
	if err != nil {
		t.Fatalf("catalog: %v", err)
	}
	clock := func() model.Time { return now }
	l := &listed{t: t, kinds: kinds, table: memory.New(clock)}
	l.reads = &countingLatest{Store: l.table}
	l.query = &query.Service{Store: l.reads, Now: clock, CursorKey: []byte("a key for tests only")}
	return l
}

// list puts an entry into the list of series.
func (l *listed) list(series model.Series, last model.Time) {
	l.t.Helper()
	at := tier.Hour.BucketAt(last).Start
	entry := storage.ListedSeries{Series: series, First: at, Last: at}
	if err := l.table.PutItem(context.Background(), item.FromListedSeries(entry)); err != nil {
		l.t.Fatalf("list: %v", err)
	}
}

// send stores an event and lists its series.
func (l *listed) send(subject, kind, stream string, at model.Time) model.EventKey {
	l.t.Helper()
	return l.sendFrom("", subject, kind, stream, at)
}

// sendFrom is send from a site; "" is none.
func (l *listed) sendFrom(site, subject, kind, stream string, at model.Time) model.EventKey {
	l.t.Helper()
	of, _ := l.kinds.Kind(kind)
	service := &ingest.Service{Store: l.table, Limits: config.Default().Limits, Rand: rand.Reader,
		Now: func() model.Time { return now }}
	sent := []ingest.TypedObservation{{Subject: subject, Stream: stream, At: at}}
	if site != "" {
		sent[0].Attrs = model.Attrs{{Name: "site", Value: model.TextValue(site)}}
	}
	out, err := service.AppendEvents(context.Background(), of, sent)
	if err != nil {
		l.t.Fatalf("send: %v", err)
	}
	l.list(out[0].Key.Series, at)
	return out[0].Key
}

func (l *listed) request(span time.Duration) query.Silent {
	return query.Silent{SubjectType: "DEVICE", Kinds: query.CatalogKinds(l.kinds), Through: now, For: span}
}

// Pages of every size, and the iterator, have exactly the silent subjects.
func TestSilent_ListsExactlyTheSubjectsWithoutAnEventOfTheSpan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newListed(t)
		last := map[string]model.Time{}
		for i := range rapid.IntRange(0, 40).Draw(t, "devices") {
			name := fmt.Sprint("d", i)
			if rapid.Bool().Draw(t, "profile") {
				l.list(model.Series{Subject: model.Subject{Type: "DEVICE", ID: name}}, 0)
				last[name] = model.MinTime
			}
			kinds := rapid.SliceOfN(rapid.SampledFrom([]string{"READING", "LOG"}), 0, 4)
			for _, kind := range kinds.Draw(t, "kinds") {
				at := now.Add(-time.Duration(rapid.IntRange(0, 200).Draw(t, "minutes")) * time.Minute)
				l.send(name, kind, rapid.SampledFrom([]string{"", "roof"}).Draw(t, "stream"), at)
				last[name] = max(last[name], at)
			}
		}
		q := l.request(time.Duration(rapid.IntRange(1, 200).Draw(t, "span")) * time.Minute)
		want := map[string]model.Time{}
		for name, at := range last {
			if at <= now.Add(-q.For) {
				want[name] = at
			}
		}
		check := func(how string, all []query.SilentSubject) {
			got := map[string]model.Time{}
			for _, one := range all {
				got[one.Subject.ID] = model.MinTime
				if one.LastSeen != nil {
					got[one.Subject.ID] = *one.LastSeen
				}
			}
			if diff := cmp.Diff(want, got); diff != "" || len(got) != len(all) {
				t.Fatalf("%s, silent for %s (-want +got):\n%s", how, q.For, diff)
			}
		}
		all, err := paging.Collect(l.query.EachSilent(context.Background(), q))
		if err != nil {
			t.Fatal(err)
		}
		check("iterator", all)
		q.Limit, all = rapid.IntRange(1, 9).Draw(t, "limit"), nil
		for more := true; more; more = q.Cursor != "" {
			page, err := l.query.Silent(context.Background(), q)
			if err != nil || len(page.Subjects) > q.Limit {
				t.Fatalf("page of %d, limit %d: %v", len(page.Subjects), q.Limit, err)
			}
			all, q.Cursor = append(all, page.Subjects...), page.Next
		}
		check("pages", all)
	})
}

// A subject that the hours of the list decide costs no read.
func TestSilent_ReadsOnlyTheEventsThatTheListLeavesOpen(t *testing.T) {
	l := newListed(t)
	for i := range 30 {
		l.send(fmt.Sprint("active", i), "READING", "", now)
	}
	l.send("open", "READING", "", now.Add(-50*time.Minute))
	l.send("silent", "READING", "", now.Add(-3*time.Hour))
	found, err := paging.Collect(l.query.EachSilent(t.Context(), l.request(time.Hour)))
	if err != nil || len(found) != 1 || found[0].Subject.ID != "silent" {
		t.Fatalf("found %+v, %v", found, err)
	}
	if n := l.reads.latest.Load(); n > 2 {
		t.Errorf("%d latest items were read, want at most 2", n)
	}
}

// While the table stream is behind, a subject is not silent because its events are not processed.
func TestSilent_EndsWhereTheTableIsKnown(t *testing.T) {
	l := newListed(t)
	l.send("d", "LOG", "", now.Add(-time.Hour))
	for _, c := range []struct {
		through model.Time
		want    int
	}{{now, 1}, {now.Add(-31 * time.Minute), 0}, {model.MinTime, 0}} {
		q := l.request(30 * time.Minute)
		q.Through = c.through
		found, err := paging.Collect(l.query.EachSilent(t.Context(), q))
		if err != nil || len(found) != c.want {
			t.Errorf("known through %s: %+v, %v; want %d", c.through, found, err, c.want)
		}
	}
}

// A group with events in a bucket that has not closed is not silent.
func TestSilentThrough_OfGroupsIsTheStartOfTheLastClosedBucket(t *testing.T) {
	t.Parallel()
	kind := iot.Readings
	kind.Groups, kind.Retention = []string{"site"}, tier.Standard().Defer()
	kinds, err := catalog.New(kind)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	hour := tier.Hour.BucketAt(now.Add(-5 * time.Hour)).Start
	for name, c := range map[string]struct{ swept, want model.Time }{
		"before the first sweep": {swept: model.MinTime, want: model.MinTime},
		"in the grace":           {swept: hour.Add(4 * time.Minute), want: hour.Add(-2 * time.Hour)},
		"after the grace":        {swept: hour.Add(50 * time.Minute), want: hour.Add(-time.Hour)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			table := memory.New(clock)
			if c.swept > model.MinTime {
				if _, err := table.AdvanceSweep(t.Context(), storage.GroupShard, c.swept); err != nil {
					t.Fatal(err)
				}
			}
			live := &query.Live{Store: table, Watermarks: table, Kind: query.CatalogKinds(kinds), Now: clock}
			s := &query.Service{Store: live, Now: clock}
			for subjects, want := range map[string]model.Time{"BY_SITE": c.want, "DEVICE": now} {
				of, _ := kinds.SubjectType(subjects)
				through, err := s.SilentThrough(t.Context(), kinds.SubjectKinds(of), query.Progress{})
				if err != nil || through != want {
					t.Errorf("%s: %s, %v; want %s", subjects, through, err, want)
				}
			}
		})
	}
}

// A series of which no event is stored any more is known by the hour of the list.
func TestSilent_KnowsExpiredEventsByTheHour(t *testing.T) {
	l := newListed(t)
	key := l.send("d", "LOG", "", now.Add(-90*time.Minute))
	if _, err := l.table.DeleteEvent(t.Context(), key, now); err != nil {
		t.Fatal(err)
	}
	found, err := paging.Collect(l.query.EachSilent(t.Context(), l.request(time.Hour)))
	if err != nil || len(found) != 1 || !found[0].Rounded || *found[0].LastSeen != at("2026-04-20T13:00:00Z") {
		t.Errorf("found %+v, %v", found, err)
	}
}

// The entry of a series says that an event of its newest hour was deleted: the events that are left decide.
func TestSilent_ADeletedEventIsNoPresence(t *testing.T) {
	old := "2026-04-20T12:00:00.000Z"
	minute := func(n time.Duration) model.Time { return now.Add(-n * time.Minute) }
	for name, c := range map[string]struct {
		kind   string
		kept   []model.Time
		silent string
	}{
		"nothing is left":                        {"READING", nil, "removed"},
		"an older event is left":                 {"READING", []model.Time{minute(150)}, old},
		"another event of the span is left":      {"READING", []model.Time{minute(20)}, ""},
		"nothing is left, no latest item":        {"LOG", nil, "removed"},
		"an older one is left, no latest item":   {"LOG", []model.Time{minute(150)}, old},
		"another of the span, and no latest one": {"LOG", []model.Time{minute(20)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := newListed(t)
			for _, at := range c.kept {
				l.send("d", c.kind, "", at)
			}
			last := minute(10)
			key := l.send("d", c.kind, "", last)
			if _, err := l.table.DeleteEvent(t.Context(), key, now); err != nil {
				t.Fatal(err)
			}
			kind, _ := l.kinds.Kind(c.kind)
			if kind.LatestInTransaction() {
				folder := latest.Folder{Store: l.table, Now: func() model.Time { return now },
					NewRev: func() (rollup.Rev, error) { return rollup.Rev{9}, nil }}
				deleted := []storage.Change{{Type: storage.Deleted, Key: key}}
				if _, err := folder.Fold(t.Context(), kind, key.Series, deleted, false); err != nil {
					t.Fatal(err)
				}
			}
			hour := tier.Hour.BucketAt(last).Start
			entry := storage.ListedSeries{Series: key.Series.WithoutShard(), First: hour, Last: hour,
				Removed: hour}
			if err := l.table.PutItem(t.Context(), item.FromListedSeries(entry)); err != nil {
				t.Fatal(err)
			}
			found, err := paging.Collect(l.query.EachSilent(t.Context(), l.request(time.Hour)))
			got := ""
			for _, one := range found {
				if got = "removed"; !one.Removed {
					got = one.LastSeen.String()
				}
			}
			if err != nil || got != c.silent {
				t.Errorf("silent since %q, %v, want %q", got, err, c.silent)
			}
		})
	}
}

func TestSilent_RefusesASpanOfNothingAndAForeignCursor(t *testing.T) {
	l := newListed(t)
	if _, err := l.query.Silent(t.Context(), l.request(0)); !errors.Is(err, query.ErrRange) {
		t.Errorf("span of 0: %v", err)
	}
	for i := range 3 {
		l.send(fmt.Sprint("d", i), "READING", "", now.Add(-3*time.Hour))
	}
	q := l.request(time.Hour)
	q.Limit = 1
	page, err := l.query.Silent(t.Context(), q)
	if err != nil || page.Next == "" {
		t.Fatalf("%+v, %v", page, err)
	}
	q.Cursor, q.For = page.Next, 2*time.Hour
	if _, err := l.query.Silent(t.Context(), q); !errors.Is(err, query.ErrCursorMismatch) {
		t.Errorf("cursor of another span: %v", err)
	}
}
