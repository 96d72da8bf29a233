package keys_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// window generates a range of time, which may be empty, reversed, or beyond the times that
// can be stored.
func window(near model.Time) *rapid.Generator[[2]model.Time] {
	return rapid.Custom(func(t *rapid.T) [2]model.Time {
		span := rapid.Int64Range(-3, 3)
		if rapid.Bool().Draw(t, "far") {
			span = rapid.Int64Range(-1e15, 1e15)
		}
		return [2]model.Time{
			near + model.Time(span.Draw(t, "from")),
			near + model.Time(span.Draw(t, "to")),
		}
	})
}

// sibling generates a series that differs from s in one similar part.
func sibling(s model.Series) *rapid.Generator[model.Series] {
	return rapid.Custom(func(t *rapid.T) model.Series {
		other := s
		switch rapid.IntRange(0, 3).Draw(t, "which") {
		case 0:
			other.Stream += hostile(1).Draw(t, "longer stream")
		case 1:
			other.Stream, other.Kind = "", s.Kind+"#"+s.Stream
		case 2:
			other.Kind += hostile(1).Draw(t, "longer kind")
		default:
			other.Stream = hostile(0).Draw(t, "another stream")
		}
		return other
	})
}

func TestEventRange_IncludesExactlyTheEventsOfTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEventKey().Draw(t, "event")
		w := window(e.At).Draw(t, "window")
		lo, hi := keys.EventRange(e.Series, w[0], w[1])
		sk := keys.Event(e).SK
		if lo > hi {
			t.Fatalf("lower bound %q is above %q", lo, hi)
		}
		if got, want := lo <= sk && sk <= hi, w[0] <= e.At && e.At < w[1]; got != want {
			t.Fatalf("%q is in %q to %q: %v, want %v", sk, lo, hi, got, want)
		}
	})
}

func TestEventRange_ExcludesOtherSeries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := anyEventKey().Draw(t, "event")
		other := e
		other.Series = sibling(e.Series).Draw(t, "sibling")
		if other.Series == e.Series {
			t.Skip("the same series")
		}
		lo, hi := keys.EventRange(e.Series, model.MinTime, model.MaxTime+1)
		for _, sk := range []string{
			keys.Event(other).SK, keys.Latest(e.Series).SK, keys.Latest(other.Series).SK,
			keys.Metadata(e.Series.Subject).SK,
			keys.Row(rollup.Key{Series: e.Series, Tier: "hour", Start: e.At}).SK,
		} {
			if lo <= sk && sk <= hi {
				t.Fatalf("%q is in the range %q to %q of another series", sk, lo, hi)
			}
		}
	})
}

func TestEventRange_ExcludesSimilarStreams(t *testing.T) {
	const when = model.Time(1776693600000)
	for _, stream := range []string{"a#b", "ab", "a ", "a\x00", "a%", "a$", "", "A",
		"a#2026-04-20T14:00:00.000Z"} {
		lo, hi := keys.EventRange(reading("d", "a"), when-1000, when+1000)
		if sk := keys.Event(model.EventKey{Series: reading("d", stream),
			Order: model.Order{At: when, ID: "x"}}).SK; lo <= sk && sk <= hi {
			t.Errorf("stream %q: %q is in the range %q to %q of stream a", stream, sk, lo, hi)
		}
	}
}

func TestRowRange_IncludesExactlyTheBucketsOfTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRowKey().Draw(t, "row")
		u := anyUnit().Draw(t, "unit")
		r.Tier, r.Start = u.String(), u.BucketAt(r.Start).Start
		w := window(r.Start).Draw(t, "window")
		lo, hi := keys.RowRange(r.Series, u, w[0], w[1])
		sk := keys.Row(r).SK
		if lo > hi {
			t.Fatalf("lower bound %q is above %q", lo, hi)
		}
		if got, want := lo <= sk && sk <= hi, w[0] <= r.Start && r.Start < w[1]; got != want {
			t.Fatalf("%q is in %q to %q: %v, want %v", sk, lo, hi, got, want)
		}
	})
}

func TestRowRange_ExcludesOtherSeriesAndTiers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRowKey().Draw(t, "row")
		u := anyUnit().Draw(t, "unit")
		lo, hi := keys.RowRange(r.Series, u, model.MinTime, model.MaxTime+1)
		if sk := keys.Row(r).SK; (lo <= sk && sk <= hi) != (r.Tier == u.String()) {
			t.Fatalf("%q is in %q to %q of tier %s: want %v", sk, lo, hi, u, r.Tier == u.String())
		}
		other := r
		other.Tier, other.Series = u.String(), sibling(r.Series).Draw(t, "sibling")
		if sk := keys.Row(other).SK; other.Series != r.Series && lo <= sk && sk <= hi {
			t.Fatalf("%q is in the range %q to %q of another series", sk, lo, hi)
		}
	})
}

// A range over all times that can be stored equals the range of all times.
func TestRanges_OfMoreThanCanBeStoredAreOfAll(t *testing.T) {
	t.Parallel()
	s := reading("d", "a")
	for _, u := range tier.Units() {
		lo, hi := keys.RowRange(s, u, model.MinTime, model.MaxTime+1)
		if a, b := keys.RowRange(s, u, model.MinTime-1, model.MaxTime+2); a != lo || b != hi {
			t.Errorf("%s: %q to %q, want %q to %q", u, a, b, lo, hi)
		}
	}
	lo, hi := keys.EventRange(s, model.MinTime, model.MaxTime+1)
	if a, b := keys.EventRange(s, model.MinTime-1, model.MaxTime+2); a != lo || b != hi {
		t.Errorf("%q to %q, want %q to %q", a, b, lo, hi)
	}
}

func TestRanges_OfNoTimeAreEmpty(t *testing.T) {
	e := model.EventKey{Series: reading("d", ""),
		Order: model.Order{At: model.MaxTime, ID: strings.Repeat("\U0010FFFF", 9)}}
	if lo, hi := keys.EventRange(e.Series, model.MaxTime, model.MaxTime+1); keys.Event(e).SK < lo ||
		keys.Event(e).SK > hi {
		t.Error("an event of the last millisecond is not in its range")
	}
	if lo, hi := keys.EventRange(e.Series, model.MaxTime, model.MaxTime); keys.Event(e).SK >= lo &&
		keys.Event(e).SK <= hi {
		t.Error("an empty range contains an event")
	}
	if lo, hi := keys.EventRange(e.Series, model.MaxTime+1, model.MaxTime+9); keys.Event(e).SK >= lo &&
		keys.Event(e).SK <= hi {
		t.Error("a range after all times contains an event")
	}
}

func TestRowRange_OfNoTimeIncludesNoBucket(t *testing.T) {
	r := rollup.Key{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "d"}, Kind: "READING"},
		Tier: "hour", Start: 1_776_693_600_000}
	for _, to := range []model.Time{r.Start, r.Start - 1} {
		if lo, hi := keys.RowRange(r.Series, tier.Hour, r.Start, to); lo <= keys.Row(r).SK && keys.Row(r).SK <= hi {
			t.Errorf("%q is in %q to %q", keys.Row(r).SK, lo, hi)
		}
	}
}

// A range of days finds keys of instants: the last day is not lost.
func TestTimeRange_HasFinerKeysOfTheLastInterval(t *testing.T) {
	from := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)
	until := from.AddDate(1, 0, 0)
	for _, by := range []keys.Granularity{keys.ByYear, keys.ByMonth, keys.ByDay, keys.ByInstant} {
		lo, hi, err := keys.TimeRange(by, from, until)
		if err != nil {
			t.Fatal(err)
		}
		for at, within := range map[time.Time]bool{
			from.Add(-time.Millisecond): false, from: true, until.Add(-time.Millisecond): true, until: false,
		} {
			key, err := keys.TimeKey(at, keys.ByInstant)
			if err != nil {
				t.Fatal(err)
			}
			if got := lo <= key && key <= hi; got != within {
				t.Errorf("%s: %s within %q and %q: %t, want %t", by, key, lo, hi, got, within)
			}
		}
	}
	for _, by := range []keys.Granularity{"", "02-01-2006", "2006-01-02 "} {
		if key, err := keys.TimeKey(from, by); !errors.Is(err, keys.ErrTimeKey) {
			t.Errorf("granularity %q: %q, %v; want %v", by, key, err, keys.ErrTimeKey)
		}
	}
}
