package rollup_test

import (
	"fmt"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func foldEvents(events ...*model.Event) *rollup.Fold {
	f := rollup.NewFold(station)
	for _, e := range events {
		f.AddEvent(e)
	}
	return f
}

// rowFrom returns the row of a fold as it is read from the store.
func rowFrom(t failer, f *rollup.Fold, expiresAt int64) *rollup.Row {
	row := &rollup.Row{Fold: *f, ExpiresAt: expiresAt, V: rollup.Version}
	row.Summary = decoded(t, f.Summary)
	row.Children = 0
	return row
}

func TestFold_OfNoChildren(t *testing.T) {
	f := rollup.NewFold(station)
	if !f.Exact || f.ChildrenExpireAt != rollup.NoExpiry || f.Children != 0 || f.Summary.Events() != 0 ||
		f.Digest != (rollup.Digest{}) {
		t.Errorf("got %+v", f)
	}
}

func TestFold_OfRowsEqualsTheFoldOfTheirEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := events(20).Draw(t, "events")
		for i, e := range all {
			if rapid.IntRange(0, 9).Draw(t, "unreadable") == 0 {
				all[i] = &model.Event{Series: e.Series, Order: e.Order, Unreadable: true}
			}
		}
		want := foldEvents(all...)
		got := rollup.NewFold(station)
		for part := range slices.Chunk(rapid.Permutation(all).Draw(t, "order"), 6) {
			got.AddRow(rowFrom(t, foldEvents(part...), 0))
		}
		if !got.Covers(want) || !want.Covers(got) {
			t.Fatalf("of rows:   %+v\nof events: %+v", got, want)
		}
	})
}

func TestFold_UnreadableEventIsCountedAndMakesItInexact(t *testing.T) {
	readable := event(noon, "1", "temperature", "20")
	unreadable := &model.Event{Series: series, Order: readable.Order, Unreadable: true, ExpiresAt: 50,
		Attrs: readable.Attrs}
	f := foldEvents(unreadable)
	if f.Unreadable != 1 || f.Exact || f.Summary.Events() != 0 || f.Children != 1 || f.ChildrenExpireAt != 50 {
		t.Errorf("got %+v", f)
	}
	if f.Digest == (rollup.Digest{}) || f.Digest == foldEvents(readable).Digest {
		t.Errorf("digest %s equals the digest of no event or of the readable one", f.Digest)
	}
	row := rollup.NewFold(station)
	row.AddRow(rowFrom(t, f, 0))
	if row.Unreadable != 1 || row.Exact {
		t.Errorf("folded from that row: unreadable %d, exact %v", row.Unreadable, row.Exact)
	}
}

func TestFold_ChildrenExpireAtIsTheEarliestExpiryOfItsOwnChildren(t *testing.T) {
	first := event(noon, "1")
	second := event(noon, "2")
	never := event(noon, "3")
	first.ExpiresAt, second.ExpiresAt = 200, 100
	hour := foldEvents(first, second, never)
	if hour.ChildrenExpireAt != 100 {
		t.Errorf("of events: %d, want 100", hour.ChildrenExpireAt)
	}
	if got := foldEvents(never).ChildrenExpireAt; got != rollup.NoExpiry {
		t.Errorf("of an event that never expires: %d, want NoExpiry", got)
	}
	day := rollup.NewFold(station)
	day.AddRow(rowFrom(t, hour, 900))
	day.AddRow(rowFrom(t, hour, 800))
	if day.ChildrenExpireAt != 800 || day.Children != 2 {
		t.Errorf("of rows: %d from %d children, want 800 from 2", day.ChildrenExpireAt, day.Children)
	}
}

func TestFold_NewestArrivalIsTheLatest(t *testing.T) {
	early, late := event(noon, "1"), event(noon-1000, "2")
	early.ArrivedAt, late.ArrivedAt = noon+5, noon+9
	day := rollup.NewFold(station)
	day.AddRow(rowFrom(t, foldEvents(late, early), 0))
	if day.NewestArrival != noon+9 {
		t.Errorf("got %s, want %s", day.NewestArrival, noon+9)
	}
}

func TestFold_NewestCorrectionIsTheLatest(t *testing.T) {
	first, never := event(noon, "1"), event(noon, "3")
	second := event(noon, "2")
	first.CorrectedAt, second.CorrectedAt = noon+9, noon+5
	day := rollup.NewFold(station)
	day.AddRow(rowFrom(t, foldEvents(first, second, never), 0))
	day.AddRow(rowFrom(t, foldEvents(never), 0))
	if day.NewestCorrection != noon+9 {
		t.Errorf("got %s, want %s", day.NewestCorrection, noon+9)
	}
	if f := foldEvents(never); f.NewestCorrection != 0 {
		t.Errorf("without a correction: %s", f.NewestCorrection)
	}
}

func TestFold_EmptyRowIsNotAChild(t *testing.T) {
	f := rollup.NewFold(station)
	f.AddRow(&rollup.Row{Fold: rollup.Fold{Exact: true}, Empty: true, ExpiresAt: 10})
	if f.Children != 0 || f.ChildrenExpireAt != rollup.NoExpiry || !f.Exact {
		t.Errorf("got %+v", f)
	}
}

func TestFold_PlaceholderIsAMissingChild(t *testing.T) {
	f := rollup.NewFold(station)
	f.AddRow(&rollup.Row{Empty: true, ExpiresAt: 10})
	if f.Children != 0 || f.ChildrenExpireAt != 10 || f.Exact {
		t.Errorf("got %+v", f)
	}
}

func TestFold_OfAnInexactRowIsInexact(t *testing.T) {
	inexact := foldEvents(event(noon, "1"))
	inexact.Exact, inexact.ChildrenExpireAt = false, 0
	f := rollup.NewFold(station)
	f.AddRow(rowFrom(t, inexact, 0))
	f.AddRow(rowFrom(t, foldEvents(event(noon, "2")), 0))
	if f.Exact {
		t.Error("the fold is exact, want inexact")
	}
}

func TestCovers_TrueWhereNothingChanged(t *testing.T) {
	base := func() *rollup.Fold {
		e := event(noon, "1", "temperature", "20")
		e.ExpiresAt = 1000
		return foldEvents(e)
	}
	for _, c := range []struct {
		name   string
		change func(g *rollup.Fold)
		want   bool
	}{
		{"the same", func(*rollup.Fold) {}, true},
		{"other bookkeeping", func(g *rollup.Fold) { g.Children, g.NewestArrival = 9, noon }, true},
		{"children expire later", func(g *rollup.Fold) { g.ChildrenExpireAt = 1001 }, true},
		{"children expire sooner", func(g *rollup.Fold) { g.ChildrenExpireAt = 999 }, false},
		{"one event more", func(g *rollup.Fold) { g.AddEvent(event(noon, "2")) }, false},
		{"another digest", func(g *rollup.Fold) { g.Digest[15]++ }, false},
		{"not exact", func(g *rollup.Fold) { g.Exact = false }, false},
		{"one unreadable more", func(g *rollup.Fold) { g.Unreadable++ }, false},
		{"another group", func(g *rollup.Fold) { g.Groups = []string{"site#berlin"} }, false},
		{"another value", func(g *rollup.Fold) { g.Summary = newSummary(station, event(noon, "1", "temperature", "21")) }, false},
	} {
		g := base()
		c.change(g)
		if got := rowFrom(t, base(), 0).Covers(g); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

// A day names the groups of all its hours, in any order and grouping, or says that they are too many.
func TestFold_NamesTheGroupsOfAllRows(t *testing.T) {
	hour := func(groups ...string) *rollup.Row {
		f := foldEvents(event(noon, "1", "temperature", "20"))
		f.Groups = groups
		return rowFrom(t, f, 0)
	}
	day := func(rows ...*rollup.Row) *rollup.Row {
		f := rollup.NewFold(station)
		for _, row := range rows {
			f.AddRow(row)
		}
		return &rollup.Row{Fold: *f}
	}
	var many []*rollup.Row
	for i := range 400 {
		many = append(many, hour(fmt.Sprintf("READING_BY_SITE#site-%03d", i)))
	}
	for _, c := range []struct {
		got  *rollup.Row
		want []string
	}{
		{day(hour(), hour()), nil},
		{day(hour("x", "z"), hour(), hour("y", "z")), []string{"x", "y", "z"}},
		{day(day(hour("z"), hour("y")), day(hour("x"))), []string{"x", "y", "z"}},
		{day(many...), []string{rollup.AllGroups}},
		{day(day(many[:200]...), day(many[200:]...)), []string{rollup.AllGroups}},
		{day(day(many...), hour("x")), []string{rollup.AllGroups}},
	} {
		if !slices.Equal(c.got.Groups, c.want) {
			t.Errorf("got %.5q, want %q", c.got.Groups, c.want)
		}
	}
}

func TestCovers_EmptyRowCoversOnlyTheFoldOfNoChildren(t *testing.T) {
	empty := &rollup.Row{Empty: true, Fold: rollup.Fold{Exact: true, ChildrenExpireAt: rollup.NoExpiry}}
	if !empty.Covers(rollup.NewFold(station)) {
		t.Error("the empty row does not cover the fold of no children")
	}
	if empty.Covers(foldEvents(event(noon, "1"))) {
		t.Error("the empty row covers the fold of an event")
	}
}

func TestDigest_AddsModulo2To128(t *testing.T) {
	number := func(d rollup.Digest) *big.Int {
		slices.Reverse(d[:])
		return new(big.Int).SetBytes(d[:])
	}
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7f, 0x80, 0xfe, 0xff}), 16, 16)
		a, b := rollup.Digest(draw.Draw(t, "a")), rollup.Digest(draw.Draw(t, "b"))
		want := new(big.Int).Add(number(a), number(b))
		want.SetBit(want, 128, 0)
		if a.Add(b); number(a).Cmp(want) != 0 {
			t.Fatalf("got %x, want %x", number(a), want)
		}
	})
}

func TestDigest_DependsOnIdentityAndValues(t *testing.T) {
	seen := map[rollup.Digest]string{}
	for name, change := range map[string]func(*model.Event){
		"unchanged":                   func(*model.Event) {},
		"another value":               func(e *model.Event) { e.Attrs = model.Attrs{{Name: "temperature", Value: model.BoolValue(true)}} },
		"another id":                  func(e *model.Event) { e.ID = "2" },
		"another time":                func(e *model.Event) { e.At++ },
		"another stream":              func(e *model.Event) { e.Series.Stream = "status" },
		"another kind":                func(e *model.Event) { e.Series.Kind = "STATE" },
		"another id of the subject":   func(e *model.Event) { e.Series.Subject.ID = "sensor_02" },
		"another type of the subject": func(e *model.Event) { e.Series.Subject.Type = "SITE" },
		"unreadable":                  func(e *model.Event) { e.Unreadable = true },
	} {
		e := event(noon, "1", "temperature", "20")
		change(e)
		digest := foldEvents(e).Digest
		if other, ok := seen[digest]; ok {
			t.Errorf("%q has the digest of %q", name, other)
		}
		seen[digest] = name
	}
	e := event(noon, "1", "temperature", "20")
	want := foldEvents(e).Digest
	e.Series.Shard = 3
	e.ArrivedAt = noon
	e.ExpiresAt = 77
	e.Hash = model.Hash{}
	if got := foldEvents(e).Digest; got != want {
		t.Errorf("shard, arrival, expiry or the stored hash changed the digest: %s, want %s", got, want)
	}
}

func TestDigest_SubReversesAdd(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		draw := func(name string) (d rollup.Digest) {
			copy(d[:], rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(r, name))
			return d
		}
		a, b := draw("a"), draw("b")
		sum := a
		sum.Add(b)
		sum.Sub(b)
		if sum != a {
			t.Errorf("%s + %s - %[2]s = %s", a, b, sum)
		}
	})
}
