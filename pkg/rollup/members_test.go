package rollup_test

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Rankings that merge over buckets, and all.
var (
	mergingRankings = []rollup.Ranking{{By: rollup.ByMax}, {By: rollup.ByMin, Lowest: true}}
	allRankings     = append(slices.Clone(mergingRankings),
		rollup.Ranking{By: rollup.BySum}, rollup.Ranking{By: rollup.BySum, Lowest: true},
		rollup.Ranking{By: rollup.ByMean}, rollup.Ranking{By: rollup.ByMean, Lowest: true},
		rollup.Ranking{By: rollup.ByCount}, rollup.Ranking{By: rollup.ByCount, Lowest: true})
)

// sent are the values that members sent in an hour, in tenths.
type sent map[string][]int

// hours draws what members of a group sent in some hours: few values, so that many are equal.
func hours(t *rapid.T) (all []sent) {
	for range rapid.IntRange(1, 4).Draw(t, "hours") {
		hour := sent{}
		for m := range rapid.IntRange(1, 24).Draw(t, "members") {
			if rapid.Bool().Draw(t, "silent") {
				continue
			}
			hour[fmt.Sprintf("DEVICE#d%d", m*7%24)] = rapid.SliceOfN(rapid.IntRange(-2, 3), 1, 3).Draw(t, "values")
		}
		all = append(all, hour)
	}
	return all
}

// share is the share of a member in an hour. Its declaration may be another one than the other members'.
func share(member string, values []int, spec *rollup.Spec) *rollup.Row {
	f := rollup.NewFold(spec)
	for i, v := range values {
		f.AddEvent(event(noon+model.Time(i), member, "temperature", fmt.Sprintf("%d.%d", v, 5*(v&1)), "zeta", "1"))
	}
	return &rollup.Row{Key: rollup.Key{Member: member}, Fold: *f}
}

// groupHour folds an hour of a group from its shares, in a drawn order and through bytes.
func groupHour(t *rapid.T, hour sent) *rollup.Row {
	coarse := &rollup.Spec{Measures: []rollup.MeasureSpec{{Name: "temperature", Scale: 1}}}
	f := rollup.NewFold(station)
	members := slices.Sorted(func(yield func(string) bool) {
		for m := range hour {
			if !yield(m) {
				return
			}
		}
	})
	for _, m := range rapid.Permutation(members).Draw(t, "order") {
		spec := rapid.SampledFrom([]*rollup.Spec{station, coarse}).Draw(t, "declaration")
		row := share(m, hour[m], spec)
		row.Summary = decoded(t, row.Summary)
		f.AddRow(row)
	}
	return &rollup.Row{Fold: *f}
}

// naiveMembers ranks the members by all their values, without a limit but for the places.
func naiveMembers(by rollup.Ranking, places int, without string, all ...sent) (list []rollup.Member) {
	values := map[string][]*big.Rat{}
	for _, hour := range all {
		for m, vs := range hour {
			for _, v := range vs {
				values[m] = append(values[m], big.NewRat(int64(10*v+5*(v&1)*sign(v)), 10))
			}
		}
	}
	type entry struct {
		name  string
		value *big.Rat
	}
	var entries []entry
	for m, vs := range values {
		if m != without {
			entries = append(entries, entry{m, statistic(by.By, vs)})
		}
	}
	slices.SortFunc(entries, func(a, b entry) int {
		c := b.value.Cmp(a.value)
		if by.Lowest {
			c = -c
		}
		return cmp.Or(c, strings.Compare(a.name, b.name))
	})
	for _, e := range entries[:min(places, len(entries))] {
		number, _ := e.value.Float64()
		list = append(list, rollup.Member{Name: e.name, Value: model.MustDecimal(fmt.Sprint(number))})
	}
	return list
}

func sign(v int) int {
	if v < 0 {
		return -1
	}
	return 1
}

func statistic(by rollup.Statistic, vs []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, v := range vs {
		sum.Add(sum, v)
	}
	n := big.NewRat(int64(len(vs)), 1)
	return map[rollup.Statistic]*big.Rat{
		rollup.ByMax: slices.MaxFunc(vs, (*big.Rat).Cmp), rollup.ByMin: slices.MinFunc(vs, (*big.Rat).Cmp),
		rollup.BySum: sum, rollup.ByCount: n, rollup.ByMean: new(big.Rat).Quo(sum, n),
	}[by]
}

// sameMembers compares lists. Values of different scales are equal numbers.
func sameMembers(a, b []rollup.Member) bool {
	return slices.EqualFunc(a, b, func(x, y rollup.Member) bool {
		return x.Name == y.Name && x.Value.Rat().Cmp(y.Value.Rat()) == 0
	})
}

func wantMembers(t failer, what string, s *rollup.Summary, by rollup.Ranking, places int,
	want []rollup.Member) {
	t.Helper()
	got := s.Members("temperature", by)
	if got.Places != places || !sameMembers(got.Members, want) {
		t.Fatalf("%s, %s: %v of %d places, want %v of %d", what, by, got.Members, got.Places, want, places)
	}
}

func TestMembers_OfAnHourAreTheFirstByEveryStatistic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hour := hours(t)[0]
		s := decoded(t, groupHour(t, hour).Summary)
		for _, by := range allRankings {
			wantMembers(t, "hour", s, by, rollup.MaxMembers, naiveMembers(by, rollup.MaxMembers, "", hour))
		}
	})
}

// Rows merge in any order and grouping, as hours into days, days into months, and all of them for a reader.
func TestMembers_OfSeveralHoursAreTheFirstBySingleValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := hours(t)
		var rows []*rollup.Row
		for _, hour := range all {
			rows = append(rows, groupHour(t, hour))
		}
		merged := rollup.NewFold(station)
		for _, row := range rows {
			merged.AddRow(row)
		}
		tree := groupedRows(t, station, rapid.Permutation(rows).Draw(t, "order"))
		if encoded(tree) != encoded(merged.Summary) {
			t.Fatalf("the bytes depend on the order or the grouping")
		}
		for _, by := range mergingRankings {
			wantMembers(t, "day", tree, by, rollup.MaxMembers, naiveMembers(by, rollup.MaxMembers, "", all...))
		}
		heard := 0
		for _, hour := range all {
			heard += min(len(hour), 1)
		}
		for _, by := range allRankings[len(mergingRankings):] {
			if got := tree.Members("temperature", by); heard > 1 && (got.Places != 0 || got.Members != nil) {
				t.Fatalf("the list by %s of several hours is %v, want not known", by, got)
			}
		}
	})
}

// A member that is struck out of the rows of all tiers is in none of their lists, and what is left of a list
// is exact.
func TestMembers_StruckOutAreInNoListAndTheRestIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := hours(t)
		purged := fmt.Sprintf("DEVICE#d%d", rapid.IntRange(0, 23).Draw(t, "purged"))
		var rows, kept []*rollup.Row
		for _, hour := range all {
			row := groupHour(t, hour)
			kept = append(kept, &rollup.Row{Fold: rollup.Fold{Summary: decoded(t, row.Summary), Exact: true}})
			had := row.Summary.HasMember(purged)
			if struck := row.Summary.StrikeMember(purged); struck != had || row.Summary.HasMember(purged) {
				t.Fatalf("struck out: %v, had: %v", struck, had)
			}
			rows = append(rows, row)
		}
		day, whole := groupedRows(t, station, rows), groupedRows(t, station, kept)
		whole.StrikeMember(purged)
		if encoded(day.WithPlaces(whole)) != encoded(whole.WithPlaces(day)) {
			t.Fatal("lists of the same events differ in more than the number of their places")
		}
		for _, by := range mergingRankings {
			got := day.Members("temperature", by)
			wantMembers(t, "day", day, by, got.Places, naiveMembers(by, got.Places, purged, all...))
			if got.Places < rollup.MaxMembers-1 {
				t.Fatalf("%d places: one purge costs one place", got.Places)
			}
		}
	})
}

// groupedRows merges rows as a drawn tree, each part directly or through bytes.
func groupedRows(t *rapid.T, spec *rollup.Spec, rows []*rollup.Row) *rollup.Summary {
	f := rollup.NewFold(spec)
	if len(rows) == 1 {
		f.AddRow(rows[0])
		return f.Summary
	}
	cut := rapid.IntRange(1, len(rows)-1).Draw(t, "cut")
	for _, half := range [][]*rollup.Row{rows[:cut], rows[cut:]} {
		s := groupedRows(t, spec, half)
		if rapid.Bool().Draw(t, "through bytes") {
			s = decoded(t, s)
		}
		f.AddRow(&rollup.Row{Fold: rollup.Fold{Summary: s, Exact: true}})
	}
	return f.Summary
}

// A row of before, or one that had no place, does not have the list: then it is not known, and not empty.
func TestMembers_OfARowWithoutListsAreNotKnown(t *testing.T) {
	with := rollup.NewFold(station)
	with.AddRow(share("DEVICE#a", []int{1}, station))
	without := foldEvents(event(noon, "1", "temperature", "1"))
	for name, rows := range map[string][]*rollup.Fold{
		"without": {without}, "with, without": {with, without}, "without, with": {without, with},
	} {
		day := rollup.NewFold(station)
		for _, f := range rows {
			day.AddRow(&rollup.Row{Fold: *f})
		}
		for _, by := range allRankings {
			if got := decoded(t, day.Summary).Members("temperature", by); got.Places != 0 {
				t.Errorf("%s: the list by %s is %v, want not known", name, by, got)
			}
		}
		if got := day.Summary.Members("pressure", allRankings[0]); got.Places != rollup.MaxMembers {
			t.Errorf("%s: a measure that no event has: %v, want no members of all places", name, got)
		}
	}
	lowestMax := rollup.Ranking{By: rollup.ByMax, Lowest: true}
	if got := with.Summary.Members("temperature", lowestMax); got.Places != 0 {
		t.Errorf("lowest max is %v, but no row has that list", got)
	}
}

// A row that is too large loses the lists that only it has, then all lists, and says that they are not known.
func TestMembers_AreDroppedFromARowThatIsTooLarge(t *testing.T) {
	f := rollup.NewFold(station)
	for i := range 30 {
		f.AddRow(share(fmt.Sprintf("DEVICE#d%02d", i), []int{i % 4}, station))
	}
	var places [][2]int
	for _, reduce := range rollup.Reductions {
		for small, ok := reduce(f); ok && len(places) < 2; small, ok = reduce(f) {
			f = small
			places = append(places, [2]int{f.Summary.Members("temperature", allRankings[0]).Places,
				f.Summary.Members("temperature", allRankings[2]).Places})
		}
	}
	if want := [][2]int{{rollup.MaxMembers, 0}, {0, 0}}; !slices.Equal(places, want) || !f.Exact {
		t.Errorf("places by max and by sum %v, want %v; exact %v", places, want, f.Exact)
	}
}

func TestDecode_RejectsListsOfMembersThatEncodeNeverWrites(t *testing.T) {
	f := rollup.NewFold(&rollup.Spec{})
	for _, m := range []string{"aa", "ab"} {
		f.AddRow(share(m, []int{len(f.Summary.Names())}, &rollup.Spec{}))
	}
	valid := f.Summary.Encode(nil)
	names := []byte("\x02\x00\x02aa\x01\x01b") // of the members
	at := strings.Index(string(valid), string(names))
	if at < 0 {
		t.Fatalf("no names in %x", valid)
	}
	for name, change := range map[string]func(b []byte){
		"names out of order":        func(b []byte) { b[at+4] = 'c' },
		"a longer shared name":      func(b []byte) { b[at+5] = 3 },
		"a measure that is missing": func(b []byte) { b[at+9] = 7 },
		"more places than exist":    func(b []byte) { b[at+11] = 11<<4 | 2 },
		"more members than places":  func(b []byte) { b[at+11] = 1<<4 | 2 },
		"no places":                 func(b []byte) { b[at+11] = 2 },
		"zeros beyond the scale":    func(b []byte) { b[at+12] = 10 },
		"a name that is missing":    func(b []byte) { b[at+13] = 2 },
		"a member twice":            func(b []byte) { b[at+13] = b[at+15] },
	} {
		b := slices.Clone(valid)
		if change(b); rollupError(b) == nil {
			t.Errorf("%s: no error for %x", name, b)
		}
	}
	unshared := strings.Replace(string(valid), string(names), "\x02\x00\x02aa\x00\x02ab", 1)
	if rollupError([]byte(unshared)) == nil {
		t.Error("no error for names that share less than they could")
	}
	if err := rollupError(valid); err != nil {
		t.Error(err)
	}
}

func rollupError(b []byte) error {
	_, err := rollup.Decode(b)
	return err
}
