package userprogram

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// score is ordered by a number with any sign, fraction and magnitude, and then by id.
type score struct {
	Player string        `tide:"subject"`
	Points model.Decimal `tide:"order"`
	ID     string        `tide:"id"`
	Level  string        `tide:"field"`
}

// release is ordered by a text.
type release struct {
	Product string `tide:"subject"`
	Version string `tide:"order"`
	Notes   string `tide:"field"`
}

// revision is ordered by a whole number.
type revision struct {
	Document string `tide:"subject"`
	Number   int64  `tide:"order"`
	Author   string `tide:"field"`
	Reviewer string `tide:"enrichment"`
}

func ordered[T any](t *testing.T, s timeseries.Store, name string,
	late catalog.LatePolicy) *timeseries.Events[T] {
	t.Helper()
	kind := catalog.Kind{Name: name, Subject: catalog.SubjectType{Name: "THING"}, Late: late}
	events, err := timeseries.Open[T](s, kind, &timeseries.Options{Now: clock, Attempts: 3})
	if err != nil {
		t.Fatal(err)
	}
	return events
}

func all[T any](t *testing.T, events *timeseries.Events[T], opts ...timeseries.HistoryOption) (found []T) {
	t.Helper()
	for v, err := range events.History(context.Background(), timeseries.Key{Subject: "one"}, opts...) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, v)
	}
	return found
}

func points(scores []score) (texts []string) {
	for _, s := range scores {
		texts = append(texts, s.Points.String())
	}
	return texts
}

func TestEntity_OrderedByADecimal(t *testing.T) {
	// 9 after 10, and -1.5 before -1.4, as texts would be in another order.
	inOrder := []string{"-1e120", "-99999999999999999999999999999999999999", "-10", "-9", "-1.5", "-1.4", "0",
		"0.001", "1.5", "9", "10", "12345678901234567890123456789012345678", "1e120"}
	want := make([]string, len(inOrder))
	for i, text := range inOrder {
		want[i] = model.MustDecimal(text).String()
	}
	onEachStore(t, func(t *testing.T, s store) {
		scores := ordered[score](t, s, "SCORE", "")
		var batch []score
		for _, i := range rand.New(rand.NewPCG(1, 1)).Perm(len(inOrder)) {
			batch = append(batch, score{Player: "one", Points: model.MustDecimal(inOrder[i]), Level: inOrder[i]})
		}
		if _, err := scores.AppendAll(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
		if got := points(all(t, scores)); !slices.Equal(got, want) {
			t.Errorf("history %v, want %v", got, want)
		}
		newest := slices.Clone(want[len(want)-3:])
		slices.Reverse(newest)
		if got := points(all(t, scores, timeseries.Newest(), timeseries.Limit(3))); !slices.Equal(got, newest) {
			t.Errorf("newest %v, want %v", got, newest)
		}
		latest, err := scores.Latest(context.Background(), timeseries.Key{Subject: "one"})
		if err != nil || latest.Level != "1e120" || latest.Points.String() != newest[0] {
			t.Errorf("latest %+v, %v", latest, err)
		}
		if got := points(all(t, scores, timeseries.Between(-9, model.MustDecimal("1.5")))); !slices.Equal(got,
			[]string{"-9", "-1.5", "-1.4", "0", "0.001"}) {
			t.Errorf("from -9 to 1.5: %v; the end must be excluded", got)
		}
		n, err := scores.Count(context.Background(), timeseries.Key{Subject: "one"}, timeseries.Between(9, nil))
		if err != nil || n.Events != 4 {
			t.Errorf("from 9: %d, %v; want 4", n.Events, err)
		}
	})
}

func TestEntity_OrderedByAText(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		releases := ordered[release](t, s, "RELEASE", "")
		versions := []string{"1.0", "1.0 beta", "1.0#2", "1.0%", "1.1", "B", "a", "é"}
		for _, i := range []int{5, 2, 7, 0, 1, 6, 4, 3} {
			if _, err := releases.Append(context.Background(),
				release{Product: "one", Version: versions[i], Notes: "n"}); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		for _, r := range all(t, releases) {
			got = append(got, r.Version)
		}
		if !slices.Equal(got, versions) {
			t.Errorf("history %q, want %q", got, versions)
		}
		if found := all(t, releases, timeseries.Between("1.0", "1.1")); len(found) != 4 {
			t.Errorf("from 1.0 to 1.1: %+v, want the four that begin with 1.0", found)
		}
		if _, err := releases.Append(context.Background(), release{Product: "one"}); !errors.Is(err,
			timeseries.ErrRejected) {
			t.Errorf("without a version: %v, want ErrRejected", err)
		}
	})
}

// The compare-and-swap, conditions, enrichment, corrections and deletions work as for any kind.
func TestEntity_OrderedByANumberDecidesAsByTime(t *testing.T) {
	onEachStore(t, func(t *testing.T, s store) {
		ctx, key := context.Background(), timeseries.Key{Subject: "one"}
		revisions := ordered[revision](t, s, "REVISION", catalog.DropLate)
		expect := func(number int64, author string, want model.Outcome, opts ...timeseries.AppendOption) {
			t.Helper()
			out, err := revisions.Append(ctx, revision{Document: "one", Number: number, Author: author}, opts...)
			if !fits(want, err) || out.Outcome != want {
				t.Fatalf("revision %d: %s, %v; want %s", number, out.Outcome, err, want)
			}
		}
		expect(-3, "a", model.Applied)
		expect(10, "b", model.Applied)
		expect(9, "c", model.Stale)
		expect(10, "b", model.Duplicate)
		expect(10, "c", model.Collision)
		if _, err := revisions.Enrich(ctx, key, map[string]any{"reviewer": "r"}); err != nil {
			t.Fatal(err)
		}
		expect(11, "d", model.Conflict, timeseries.If("author", model.Equal, "x"))
		expect(11, "d", model.Applied, timeseries.If("number", model.Equal, 10))
		if latest, err := revisions.Latest(ctx, key); err != nil || *latest != (revision{
			Document: "one", Number: 11, Author: "d", Reviewer: "r",
		}) {
			t.Errorf("latest %+v, %v", latest, err)
		}
		if ok, err := revisions.Correct(ctx, revision{Document: "one", Number: -3, Author: "z"}); err != nil ||
			!ok {
			t.Errorf("correct: %t, %v", ok, err)
		}
		if ok, err := revisions.Delete(ctx, revision{Document: "one", Number: 10}); err != nil || !ok {
			t.Errorf("delete: %t, %v", ok, err)
		}
		if got := fmt.Sprint(all(t, revisions)); got != "[{one -3 z } {one 11 d }]" {
			t.Errorf("history %s", got)
		}
	})
}

// Random programs of appends, ranges and pages, against a sorted list.
func TestEntity_OrderedByANumberAgreesWithASortedList(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 17))
		table := timeseriestest.New(t, now)
		scores := ordered[score](t, table, "SCORE", "")
		number := func() model.Decimal {
			return model.MustDecimal(fmt.Sprintf("%de%d", random.IntN(41)-20, random.IntN(5)-2))
		}
		stored := map[[2]string]score{}
		var newest *score
		for range 30 {
			s := score{Player: "one", Points: number(), ID: []string{"", "x", "y"}[random.IntN(3)]}
			key := [2]string{s.Points.String(), s.ID}
			want := model.Late
			switch _, exists := stored[key]; {
			case exists:
				want = model.Duplicate
			case newest == nil || compareScores(*newest, s) < 0:
				want, newest = model.Applied, &s
			}
			if out, err := scores.Append(context.Background(), s); !fits(want, err) || out.Outcome != want {
				t.Fatalf("seed %d: append %s %q: %s, %v; want %s", seed, s.Points, s.ID, out.Outcome, err, want)
			}
			stored[key] = s
		}
		lo, hi := number(), number()
		if lo.Cmp(hi) >= 0 {
			if _, err := scores.Count(context.Background(), timeseries.Key{Subject: "one"},
				timeseries.Between(lo, hi)); !errors.Is(err, timeseries.ErrRange) {
				t.Fatalf("seed %d: from %s to %s: %v, want ErrRange", seed, lo, hi, err)
			}
			continue
		}
		var want []score
		for _, s := range stored {
			if s.Points.Cmp(lo) >= 0 && s.Points.Cmp(hi) < 0 {
				want = append(want, s)
			}
		}
		slices.SortFunc(want, compareScores)
		if got := readPages(t, scores, 1+random.IntN(4), timeseries.Between(lo, hi)); !slices.Equal(got, want) {
			t.Fatalf("seed %d: from %s to %s: %v, want %v", seed, lo, hi, got, want)
		}
	}
}

func compareScores(a, b score) int {
	if c := a.Points.Cmp(b.Points); c != 0 {
		return c
	}
	return slices.Compare([]byte(a.ID), []byte(b.ID))
}

func readPages[T any](
	t *testing.T, events *timeseries.Events[T], limit int, opts ...timeseries.PageOption,
) (found []T) {
	t.Helper()
	for next := ""; ; {
		page, err := events.Page(context.Background(), timeseries.Key{Subject: "one"},
			append(opts, timeseries.Limit(limit), timeseries.After(next))...)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range page.Entries {
			found = append(found, e.Value)
		}
		if next = page.Next; next == "" {
			return found
		}
	}
}

// A kind without event times has no tiers, and a range must fit what orders the events.
func TestEntity_OrderedByANumberRefusesWhatNeedsATime(t *testing.T) {
	table := timeseriestest.New(t, now)
	kind := catalog.Kind{Name: "SCORE", Subject: catalog.SubjectType{Name: "THING"}, Retention: tier.Standard()}
	if _, err := timeseries.Open[score](table, kind, nil); err == nil {
		t.Error("with tiers: no error")
	}
	scores := ordered[score](t, table, "SCORE", "")
	key := timeseries.Key{Subject: "one"}
	if _, err := scores.Count(context.Background(), key, timeseries.In(now, now.Add(time.Hour))); !errors.Is(err,
		timeseries.ErrOrder) {
		t.Errorf("a range of times: %v, want ErrOrder", err)
	}
	if _, err := scores.Count(context.Background(), key, timeseries.Between("a", "b")); !errors.Is(err,
		timeseries.ErrOrder) {
		t.Errorf("a range of texts: %v, want ErrOrder", err)
	}
	if _, err := open(t, table, catalog.Kind{Name: "READING", Subject: kind.Subject}).Count(context.Background(),
		key, timeseries.Between(1, 2)); !errors.Is(err, timeseries.ErrOrder) {
		t.Errorf("a range of numbers in a kind with times: %v, want ErrOrder", err)
	}
	if _, err := scores.Rollups(context.Background(), key, tier.Day); !errors.Is(err, timeseries.ErrNoTier) {
		t.Errorf("rollups: %v, want ErrNoTier", err)
	}
}
