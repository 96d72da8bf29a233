package fleet

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// group returns the group of a sample in a kind of groups: "" is none.
func (w *history) group(g *catalog.Kind, s sample) string {
	if !g.GroupByProfile {
		return s.site
	}
	return w.hallAt(w.member(s.member), tier.Hour.BucketAt(s.at).Start)
}

func (w *history) hallAt(m *member, at model.Time) (hall string) {
	for _, one := range m.log {
		if one.from <= at {
			hall = one.hall
		}
	}
	return hall
}

// check compares what readers get with a recount of the samples.
func (w *history) check() {
	for _, g := range w.kind().GroupKinds() {
		w.checkRows(g)
		w.checkIncreases(g)
		w.checkPresence(g)
	}
	w.checkVerify(true)
}

var groupIDs = []string{"berlin", "paris", "rome", "north", "south", "east"}

// checkRows recounts the rows of the groups that have closed, and their lists of members.
func (w *history) checkRows(g *catalog.Kind) {
	marks, err := w.table.Sweeps(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	for _, id := range groupIDs {
		series := g.GroupSeries(id, w.kind().Series("m0", "", model.Order{}))
		for level, t := range g.Retention.Tiers {
			want := map[model.Time][]sample{}
			for _, s := range w.samples {
				if b := t.Unit.BucketAt(s.at); w.group(g, s) == id {
					want[b.Start] = append(want[b.Start], s)
				}
			}
			rows := w.rows(series, t.Unit)
			starts := append(slices.Collect(maps.Keys(rows)), slices.Collect(maps.Keys(want))...)
			slices.Sort(starts)
			for _, start := range slices.Compact(starts) {
				if g.Retention.ClosesAt(level, t.Unit.BucketAt(start), series) > marks.For(series) {
					continue
				}
				w.checked["rows of groups"]++
				if got, right := rowText(rows[start]), samplesText(want[start]); got != right {
					w.fail("%s %s %s: the row has %s, the readings have %s", id, t.Unit, start, got, right)
				}
			}
		}
	}
}

func (w *history) rows(series model.Series, unit tier.Unit) map[model.Time]*rollup.Row {
	rows := map[model.Time]*rollup.Row{}
	page, err := w.table.Rows(w.Context(), unit, storage.Range{Series: series, From: model.MinTime,
		To: model.MaxTime, Consistent: true})
	if err != nil || page.Next != "" {
		w.Fatal(page.Next, err)
	}
	for _, row := range page.Rows {
		if !row.Empty {
			rows[row.Key.Start] = &row
		}
	}
	return rows
}

// rowText describes a row and its members by their highest value; "" is none.
func rowText(row *rollup.Row) string {
	if row == nil {
		return ""
	}
	m, _ := row.Summary.Measure("heat")
	ranks := row.Summary.Members("heat", rollup.Ranking{By: rollup.ByMax})
	names := lists.Map(ranks.Members, func(m rollup.Member) string { return m.Name[len(m.Name)-2:] })
	return fmt.Sprint(m.Count, " ", m.Sum, " ", m.Min, " ", m.Max, " ", names, " exact ", row.Exact)
}

func samplesText(all []sample) string {
	if len(all) == 0 {
		return ""
	}
	sum, highest := int64(0), map[string]int64{}
	for _, s := range all {
		sum += s.heat
		highest[s.member] = max(highest[s.member], s.heat)
	}
	names := slices.SortedFunc(maps.Keys(highest), func(a, b string) int {
		return cmp.Or(cmp.Compare(highest[b], highest[a]), cmp.Compare(a, b))
	})
	byHeat := func(a, b sample) int { return cmp.Compare(a.heat, b.heat) }
	return fmt.Sprint(len(all), " ", sum, " ", slices.MinFunc(all, byHeat).heat, " ",
		slices.MaxFunc(all, byHeat).heat, " ", names, " exact ", true)
}

// used is what counters of a group have counted: known if a step ends in it.
type used struct {
	members int
	counted int64
	known   bool
}

// checkIncreases recounts what the counters of each group have counted. An hour with readings of several
// groups is of none that is known.
func (w *history) checkIncreases(g *catalog.Kind) {
	page, err := w.query.AllIncreases(w.Context(), query.Increases{By: g, Of: w.kind(), Measure: "energy",
		From: firstHour.Add(-day), To: tier.Hour.BucketAt(w.now).End, Consistent: true})
	if err != nil {
		w.Fatal(err)
	}
	got := map[string]used{}
	note := func(id string, g query.GroupIncrease) {
		if g.Members > 0 {
			u := used{members: g.Members, known: g.Increase != nil}
			if u.known {
				n := g.Increase.Rat().Num().Int64()
				u.counted = n
			}
			got[id] = u
		}
	}
	for _, one := range page.Sums.Groups {
		note(one.Group.ID, one)
	}
	note("", page.Sums.None)
	note("?", page.Sums.Unknown)
	want := w.increases(g, page.To)
	w.checked["increases of groups"] += len(want)
	if !maps.Equal(got, want) || len(page.Sums.Missing) > 0 {
		w.fail("increases by %s until %s: %v, missing %v; the readings have %v", g.Name, page.To, got,
			page.Sums.Missing, want)
	}
}

func (w *history) increases(g *catalog.Kind, to model.Time) map[string]used {
	want := map[string]used{}
	for _, m := range w.members {
		own := map[string]used{}
		var readings []sample
		groups := map[model.Time][]string{} // of each hour
		for _, s := range w.samples {
			if s.member == m.id && s.at < to {
				readings = append(readings, s)
				hour := tier.Hour.BucketAt(s.at).Start
				groups[hour] = append(groups[hour], w.group(g, s))
			}
		}
		slices.SortFunc(readings, func(a, b sample) int { return cmp.Compare(a.at, b.at) })
		for i, s := range readings {
			id := w.group(g, s)
			for _, other := range groups[tier.Hour.BucketAt(s.at).Start] {
				if other != id {
					id = "?"
					break
				}
			}
			u := own[id]
			if u.members = 1; i > 0 {
				u.counted, u.known = u.counted+s.energy-readings[i-1].energy, true
			}
			own[id] = u
		}
		for id, u := range own {
			sum := want[id]
			sum.members++
			sum.counted, sum.known = sum.counted+u.counted, sum.known || u.known
			want[id] = sum
		}
	}
	return want
}

// silence is how long members are silent that lists of silent members have.
const silence = 6 * time.Hour

// checkPresence compares the list of members with the readings and profiles that are left.
func (w *history) checkPresence(g *catalog.Kind) {
	got := map[string]string{}
	for s, err := range w.query.EachSilent(w.Context(), query.Silent{SubjectType: "DEVICE", Through: w.now,
		Kinds: query.CatalogKinds(w.kinds), For: silence, Members: true, By: g}) {
		if err != nil {
			w.Fatal(err)
		}
		got[s.Subject.ID] = fmt.Sprint("active ", s.Active, " in ", s.Group)
	}
	want := map[string]string{}
	for _, m := range w.members {
		newest, any := w.newest(m, func(sample) bool { return true })
		if m.sent == 0 && !m.profile {
			continue
		}
		in := query.MemberGroup{ID: newest.site}
		if w.kind().LatestInTransaction() { // a latest item has the latest value of each field
			placed, _ := w.newest(m, func(s sample) bool { return s.site != "" })
			in.ID = placed.site
		}
		in.Unknown = !any && m.sent > 0
		if g.GroupByProfile {
			in.Unknown = false
			in.ID = w.hallAt(m, model.MaxTime)
		}
		want[m.id] = fmt.Sprint("active ", any && newest.at > w.now.Add(-silence), " in ", in)
	}
	w.checked["lists of members"]++
	if !maps.Equal(got, want) {
		w.fail("members by %s: %v; the readings have %v", g.Name, got, want)
	}
}

// newest returns the newest of some samples of a member.
func (w *history) newest(m *member, some func(sample) bool) (newest sample, any bool) {
	for _, s := range w.samples {
		if s.member == m.id && some(s) && (!any || s.at > newest.at) {
			newest, any = s, true
		}
	}
	return newest, any
}
