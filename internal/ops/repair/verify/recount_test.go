package verify

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// seriesStub is a table of one series, read in pages of two.
type seriesStub struct {
	events []model.Event
	rows   map[tier.Unit][]rollup.Row
	shares map[model.Time][]rollup.Row // by the start of the bucket
}

func page[T any](all []T, after string) ([]T, string) {
	var from int
	fmt.Sscan(after, &from)
	to := min(from+2, len(all))
	if to == len(all) {
		return all[from:to], ""
	}
	return all[from:to], fmt.Sprint(to)
}

func (s *seriesStub) Events(_ context.Context, r storage.Range) (storage.EventPage, error) {
	events, next := page(s.events, r.After)
	return storage.EventPage{Events: events, Next: next}, nil
}

func (s *seriesStub) Rows(_ context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	rows, next := page(s.rows[u], r.After)
	return rollup.RowPage{Rows: rows, Next: next}, nil
}

func (s *seriesStub) Shares(_ context.Context, bucket rollup.Key, after string) (rollup.RowPage, error) {
	rows, next := page(s.shares[bucket.Start], after)
	return rollup.RowPage{Rows: rows, Next: next}, nil
}

var tested = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING"}

func testKind(t *testing.T) *catalog.Kind {
	t.Helper()
	c, err := catalog.New(catalog.Kind{
		Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Measures: []rollup.MeasureSpec{{Name: "value", Scale: 9, Percentiles: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &c.Kinds[0]
}

func eventAt(text string, value int64) model.Event {
	at, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.NewDecimal(value))}}
	return model.Event{Series: tested, Order: model.Order{At: at}, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ExpiresAt: 4e9}
}

// rightStub returns the events and their right rows, each tier folded from the finer.
func rightStub(kind *catalog.Kind, events ...model.Event) *seriesStub {
	s := &seriesStub{events: events, rows: map[tier.Unit][]rollup.Row{}}
	for i, t := range kind.Retention.Tiers {
		byStart := folds{}
		var starts []model.Time
		add := func(at model.Time, do func(*rollup.Fold)) {
			b := t.Unit.BucketAt(at)
			if byStart[b.Start] == nil {
				starts = append(starts, b.Start)
			}
			do(byStart.at(b, kind.Spec()))
		}
		if i == 0 {
			for j := range events {
				add(events[j].At, func(f *rollup.Fold) { f.AddEvent(&events[j]) })
			}
		} else {
			finer := s.rows[kind.Retention.Tiers[i-1].Unit]
			for j := range finer {
				add(finer[j].Key.Start, func(f *rollup.Fold) { f.AddRow(&finer[j]) })
			}
		}
		for _, start := range starts {
			s.rows[t.Unit] = append(s.rows[t.Unit], rollup.Row{
				Key:  rollup.Key{Series: tested, Tier: t.Unit.String(), Start: start},
				Fold: *byStart[start], ExpiresAt: 4e9,
			})
		}
	}
	return s
}

var testEvents = []model.Event{
	eventAt("2026-04-20T14:00:00Z", 1), eventAt("2026-04-20T14:30:00Z", 2), eventAt("2026-04-20T23:59:59Z", 3),
	eventAt("2026-04-21T00:00:00Z", 4), eventAt("2026-05-01T00:00:00Z", 5),
}

// recountAll counts the findings on a series by tier and status, as "hour equal".
func recountAll(t *testing.T, kind *catalog.Kind, s SeriesReader, now string) (map[string]int, []Finding) {
	t.Helper()
	at := eventAt(now, 0).At
	r := recount{store: s, kind: kind, series: tested, now: at, through: model.MaxTime, span: Always}
	findings, err := r.run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, f := range findings {
		counts[f.Key.Tier+" "+string(f.Status)]++
	}
	return counts, findings
}

const soon = "2026-05-02T00:00:00Z"

func TestRecount_RowsThatEqualTheirEventsAreEqual(t *testing.T) {
	kind := testKind(t)
	got, _ := recountAll(t, kind, rightStub(kind, testEvents...), soon)
	if fmt.Sprint(got) != fmt.Sprint(map[string]int{"hour equal": 4, "day equal": 3, "month equal": 2}) {
		t.Errorf("got %v", got)
	}
}

func TestRecount_DescribesEachDifference(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*seriesStub)
		want   map[string]int
		detail string
	}{
		"a corrected value that was not recomputed": {
			func(s *seriesStub) { s.events[0] = eventAt("2026-04-20T14:00:00Z", 9) },
			map[string]int{"hour differs": 1, "hour equal": 3, "day differs": 1, "day equal": 2, "month differs": 1,
				"month equal": 1},
			"value: the row has count 2, invalid 0, sum 3, min 1, max 2, first 1, last 2; its events have count 2, invalid 0, sum 11, min 2, max 9, first 9, last 2",
		},
		"an event that was not processed": {
			func(s *seriesStub) { s.events = append(s.events, eventAt("2026-05-01T07:00:00Z", 1)) },
			map[string]int{"hour missing": 1, "hour equal": 4, "day differs": 1, "day equal": 2, "month differs": 1,
				"month equal": 1},
			"there is no row for its 1 events",
		},
		"a deleted event": {
			func(s *seriesStub) { s.events = s.events[:4] },
			map[string]int{"hour extra": 1, "hour equal": 3, "day extra": 1, "day equal": 2, "month extra": 1,
				"month equal": 1},
			"the row counts 1 events, but there are none",
		},
		"a row with right numbers and a wrong digest": {
			func(s *seriesStub) { s.rows[tier.Hour][0].Digest[3]++ },
			map[string]int{"hour differs": 1, "hour equal": 3, "day equal": 3, "month equal": 2},
			"digest",
		},
		"a row that cannot be decoded": {
			func(s *seriesStub) { s.rows[tier.Day][0].Summary = nil },
			map[string]int{"hour equal": 4, "day differs": 1, "day equal": 2, "month equal": 2},
			"the stored row cannot be decoded",
		},
	} {
		t.Run(name, func(t *testing.T) {
			kind := testKind(t)
			s := rightStub(kind, append([]model.Event(nil), testEvents...)...)
			c.change(s)
			got, findings := recountAll(t, kind, s, soon)
			if fmt.Sprint(got) != fmt.Sprint(c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			var details []string
			for _, f := range findings {
				details = append(details, f.Detail)
			}
			if !strings.Contains(strings.Join(details, "\n"), c.detail) {
				t.Errorf("details %q, want %q", details, c.detail)
			}
		})
	}
}

func TestRecount_SealedRowsReplaceExpiredEvents(t *testing.T) {
	kind := testKind(t)
	s := rightStub(kind, testEvents...)
	for i := range s.rows[tier.Hour] {
		s.rows[tier.Hour][i].ChildrenExpireAt = eventAt(soon, 0).At.Add(30 * time.Minute).Seconds()
	}
	s.events = nil
	got, _ := recountAll(t, kind, s, soon)
	if fmt.Sprint(got) != fmt.Sprint(map[string]int{"hour sealed": 4, "day equal": 3, "month equal": 2}) {
		t.Errorf("got %v", got)
	}
}

func TestRecount_AbsentRowMayHaveExpiredOnlyUnderASealedParent(t *testing.T) {
	kind := testKind(t)
	s := rightStub(kind, testEvents[0])
	s.rows[tier.Hour] = nil
	const later = "2026-12-01T00:00:00Z" // the hour's 90 days are over
	if got, _ := recountAll(t, kind, s, later); got["hour missing"] != 1 {
		t.Errorf("under an open day: got %v, want the hour missing", got)
	}
	s.rows[tier.Day][0].ChildrenExpireAt = 1
	if got, _ := recountAll(t, kind, s, later); got["hour expired"] != 1 || got["day sealed"] != 1 ||
		got["month equal"] != 1 {
		t.Errorf("under a sealed day: got %v, want the hour expired", got)
	}
}

func TestRecount_BucketsBeforeATierBeganAreFoldedFromTheTierBelow(t *testing.T) {
	kind := *testKind(t)
	tiers := append([]tier.Tier(nil), kind.Retention.Tiers...)
	s := rightStub(&kind, testEvents...)
	tiers[0].From = tier.Day.BucketAt(testEvents[4].At).Start // no hours before May
	kind.Retention.Tiers = tiers
	s.rows[tier.Hour] = s.rows[tier.Hour][3:]
	got, _ := recountAll(t, &kind, s, soon)
	if fmt.Sprint(got) != fmt.Sprint(map[string]int{"hour equal": 1, "day equal": 3, "month equal": 2}) {
		t.Errorf("got %v", got)
	}
}

func TestSpan_IsWidenedToTheEdgesOfTheCoarsestTier(t *testing.T) {
	day := func(text string) model.Time { return eventAt(text+"T00:00:00Z", 0).At }
	policy := tier.Standard()
	for _, c := range []struct{ from, to, wantFrom, wantTo string }{
		{"2026-04-20", "2026-04-21", "2026-04-01", "2026-05-01"},
		{"2026-04-01", "2026-05-01", "2026-04-01", "2026-05-01"},
		{"2024-02-29", "2024-03-02", "2024-02-01", "2024-04-01"},
	} {
		got := Span{day(c.from), day(c.to)}.widened(policy)
		if got.From != day(c.wantFrom) || got.To != day(c.wantTo) {
			t.Errorf("%s to %s became %s to %s", c.from, c.to, got.From, got.To)
		}
	}
	if got := Always.widened(policy); got != Always {
		t.Errorf("all of time became %v", got)
	}
}

// A group has no events: its finest rows are folded from the shares of its members.
func TestRecount_FoldsGroupsFromShares(t *testing.T) {
	member := *testKind(t)
	member.Groups = []string{"site"}
	c, err := catalog.New(member)
	if err != nil {
		t.Fatal(err)
	}
	kind := c.Kinds[0].GroupKinds()[0]
	group := func() *seriesStub {
		s := rightStub(kind, testEvents...)
		s.events, s.shares = nil, map[model.Time][]rollup.Row{}
		for _, of := range [][]model.Event{testEvents[:1], testEvents[1:3], testEvents[3:]} { // three members
			for _, share := range rightStub(kind, of...).rows[tier.Hour] {
				s.shares[share.Key.Start] = append(s.shares[share.Key.Start], share)
			}
		}
		return s
	}
	right := map[string]int{"hour equal": 4, "day equal": 3, "month equal": 2}
	if got, _ := recountAll(t, kind, group(), soon); !maps.Equal(got, right) {
		t.Errorf("right rows: got %v", got)
	}
	changed := group()
	first := changed.rows[tier.Hour][0].Key.Start
	changed.shares[first] = changed.shares[first][1:]
	got, _ := recountAll(t, kind, changed, soon)
	if got["hour differs"] != 1 || got["hour equal"] != 3 || got["day differs"] != 1 {
		t.Errorf("without a share: got %v", got)
	}
}
