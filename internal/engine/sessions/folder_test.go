package sessions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/sessions"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// follow is short, so that histories have sessions that are followed no longer.
const follow = 3 * time.Hour

func kind(t fataler) *catalog.Kind {
	declared := web.Sessions
	rule := *declared.Sessions
	rule.Follow = follow
	declared.Sessions = &rule
	kinds, err := catalog.New(web.PageViews, declared)
	if err != nil {
		t.Fatal(err)
	}
	k, _ := kinds.Kind(declared.Name)
	return k
}

type fataler interface{ Fatal(args ...any) }

var (
	series = model.Series{Subject: model.Subject{Type: "SITE", ID: "example.com"}, Kind: web.Sessions.Name}
	noon   = model.NewTime(time.Date(2026, 4, 30, 12, 0, 0, 0, time.UTC))
)

func view(at model.Time, id, visitor, path string) model.Event {
	e := model.Event{Series: model.Series{Kind: web.PageViews.Name}, Order: model.Order{At: at, ID: id},
		ExpiresAt: at.Add(30 * tier.Day24).Seconds(), ArrivedAt: at + 1000}
	e.Attrs = model.Attrs{{Name: webfield.Path, Value: model.TextValue(path)}}
	if visitor != "" {
		e.Attrs = append(e.Attrs, model.Attr{Name: webfield.Visitor, Value: model.TextValue(visitor)})
	}
	e.Attrs.Sort()
	return e
}

// fold folds views in order into the buckets of a level in [from, to), until the folder has
// enough.
func fold(k *catalog.Kind, views []model.Event, level int, from, to model.Time) []sessions.Fold {
	f := sessions.New(k, series, level, from, to)
	for i := range views {
		if views[i].At >= f.Start() && !f.Add(&views[i]) {
			break
		}
	}
	return f.Folds()
}

// A dimension that is no field of the first or last event has its value in the first event. The dimensions
// are the table's, so that rows and single sessions have a dimension from the same time on.
func TestFolder_CopiesOtherDimensionsOfTheFirstEvent(t *testing.T) {
	k := kind(t)
	views := []model.Event{view(noon, "01", "a", "/"), view(noon+1, "02", "a", "/x"),
		view(noon+2, "03", "b", "/")}
	for i, region := range []string{"DE-BY", "DE-BE", "NO-03"} {
		views[i].Attrs = append(views[i].Attrs, model.Attr{Name: webfield.Region, Value: model.TextValue(region)})
		views[i].Attrs.Sort()
	}
	single := func() string {
		var text string
		all := func(yield func(model.Event, error) bool) { _ = yield(views[0], nil) && yield(views[1], nil) }
		for e, err := range sessions.Cut(k, series, "a", sessions.Span{From: noon, To: noon + 1000}, all) {
			v, _ := e.Attrs.Get(webfield.Region)
			text += fmt.Sprint(v.Text, err)
		}
		return text
	}
	if _, counted := fold(k, views, 0, noon,
		noon.Add(time.Hour))[0].Summary.Dimension(webfield.Region); counted || single() != "<nil>" {
		t.Errorf("regions are counted %v, in one session %q: want neither, they are not declared", counted,
			single())
	}
	spec := *k.Spec()
	spec.Dimensions = append(slices.Clone(spec.Dimensions), rollup.DimensionSpec{Name: webfield.Region})
	slices.SortFunc(spec.Dimensions, func(a, b rollup.DimensionSpec) int {
		return strings.Compare(a.Name, b.Name)
	})
	k.FoldBy(&spec)
	d, _ := fold(k, views, 0, noon, noon.Add(time.Hour))[0].Summary.Dimension(webfield.Region)
	if got := fmt.Sprint(d.Values); got != "[{DE-BY 1} {NO-03 1}]" || single() != "DE-BY<nil>" {
		t.Errorf("regions %s, in one session %q; want the regions of first views", got, single())
	}
}

// counted is a session as the recount counts it.
type counted struct {
	views            int64
	last             model.Time
	entry, exit      string
	bounce, duration int64
}

// recounted is what a recount says of an hour.
type recounted struct {
	sessions []counted
	carried  int64
	views    int64
	reach    model.Time
}

// recount counts an hour visitor by visitor, straight from the definition: a view without one
// of the same visitor in the 30 minutes before it begins a session.
func recount(views []model.Event, hour tier.Bucket) (r recounted) {
	byVisitor := map[string][]model.Event{}
	for _, v := range views {
		r.views += map[bool]int64{true: 1}[hour.Contains(v.At)]
		if who, ok := v.Attrs.Get(webfield.Visitor); ok {
			byVisitor[who.Text] = append(byVisitor[who.Text], v)
		}
	}
	const gap = 30 * time.Minute
	for _, all := range byVisitor {
		for i, v := range all {
			begins := i == 0 || v.At.Sub(all[i-1].At) > gap
			switch {
			case !hour.Contains(v.At):
				continue
			case !begins && all[i-1].At < hour.Start:
				r.carried++
				continue
			case !begins:
				continue
			}
			s := counted{entry: path(v)}
			for j := i; j < len(all) && (j == i || all[j].At.Sub(all[j-1].At) <= gap) &&
				all[j].At < hour.End.Add(follow); j++ {
				s.views++
				s.last, s.exit = all[j].At, path(all[j])
			}
			s.duration = s.last.Sub(v.At).Milliseconds()
			s.bounce = map[bool]int64{true: 1}[s.views == 1]
			r.reach = max(r.reach, min(s.last.Add(gap), hour.End.Add(follow)))
			r.sessions = append(r.sessions, s)
		}
	}
	return r
}

func path(e model.Event) string {
	v, _ := e.Attrs.Get(webfield.Path)
	return v.Text
}

// text is what the figures of a fold and of a recount have in common.
func (r recounted) text() string {
	var views, duration, bounces int64
	entry, exit := map[string]int64{}, map[string]int64{}
	for _, s := range r.sessions {
		views += s.views
		duration += s.duration
		bounces += s.bounce
		entry[s.entry]++
		exit[s.exit]++
	}
	return fmt.Sprint(len(r.sessions), views, duration, bounces, entry, exit, r.carried, r.views, r.reach)
}

func text(f *rollup.Fold) string {
	sum := func(name string) int64 {
		m, _ := f.Summary.Measure(name)
		return int64(m.Sum.Float64())
	}
	top := func(name string) map[string]int64 {
		counts := map[string]int64{}
		d, _ := f.Summary.Dimension(name)
		for _, v := range d.Values {
			counts[v.Value] = v.Count
		}
		return counts
	}
	c := f.Continuation
	return fmt.Sprint(f.Summary.Events(), sum(webfield.Views), sum(webfield.Duration), sum(webfield.Bounce),
		top(webfield.Entry), top(webfield.Exit), c.Carried, c.Events, c.Reach)
}

// anyViews are views of few visitors on a grid of ten minutes, so that pauses of exactly 30
// minutes are frequent, around noon and midnight.
func anyViews() *rapid.Generator[[]model.Event] {
	return rapid.Custom(func(t *rapid.T) []model.Event {
		n := rapid.IntRange(0, 40).Draw(t, "views")
		var all []model.Event
		for i := range n {
			at := noon.Add(time.Duration(rapid.IntRange(0, 120).Draw(t, "slot")) * 10 * time.Minute)
			at += model.Time(rapid.SampledFrom([]int{0, 0, 0, 1, -1}).Draw(t, "ms"))
			visitor := rapid.SampledFrom([]string{"a", "a", "b", "c", ""}).Draw(t, "visitor")
			all = append(all, view(at, fmt.Sprintf("%02d", i), visitor,
				rapid.SampledFrom([]string{"/", "/x", "/y"}).Draw(t, "path")))
		}
		chain := noon
		for i := range rapid.IntRange(0, 30).Draw(t, "views of a long session") {
			chain += model.Time(rapid.SampledFrom([]int{10, 20, 30, 30, 40}).Draw(t, "minutes") * 60_000)
			all = append(all, view(chain, fmt.Sprintf("c%02d", i), "a", "/x"))
		}
		slices.SortFunc(all, func(a, b model.Event) int { return a.Compare(b.Order) })
		return all
	})
}

func TestFolder_EqualsARecountOfEachHour(t *testing.T) {
	k := kind(t)
	rapid.Check(t, func(t *rapid.T) {
		views := anyViews().Draw(t, "views")
		from, to := noon, noon.Add(24*time.Hour)
		together := map[model.Time]*rollup.Fold{}
		for _, f := range fold(k, views, 0, from, to) {
			together[f.Bucket.Start] = f.Fold
		}
		for hour := tier.Hour.BucketAt(from); hour.Start < to; hour = tier.Hour.BucketAt(hour.End) {
			want := recount(views, hour)
			alone := fold(k, views, 0, hour.Start, hour.End)
			if want.views == 0 {
				if len(alone) > 0 || together[hour.Start] != nil {
					t.Fatalf("%s has no view, but a fold", hour)
				}
				continue
			}
			if got := text(alone[0].Fold); got != want.text() {
				t.Fatalf("%s\n got %s\nwant %s", hour, got, want.text())
			}
			if f := together[hour.Start]; !f.Covers(withExpiry(alone[0].Fold, f)) {
				t.Fatalf("%s folded with other hours: %s, alone: %s", hour, text(f), want.text())
			}
		}
	})
}

// withExpiry is f with the expiry of o: a range reads views that its single hours do not.
func withExpiry(f, o *rollup.Fold) *rollup.Fold {
	same := *f
	same.ChildrenExpireAt = o.ChildrenExpireAt
	return &same
}

// A day is the sum of its hours: begun sessions add up, and those carried into the day are
// those carried into its first hour.
func TestFolder_HoursMergeToTheirDay(t *testing.T) {
	k := kind(t)
	rapid.Check(t, func(t *rapid.T) {
		views := anyViews().Draw(t, "views")
		for day := tier.Day.BucketAt(noon); day.Start < noon.Add(24*time.Hour); day = tier.Day.BucketAt(day.End) {
			merged := rollup.NewFold(k.Spec())
			for _, f := range fold(k, views, 0, day.Start, day.End) {
				merged.AddRow(&rollup.Row{Fold: *f.Fold})
			}
			merged.Continuation = merged.Continuation.StartAt(day.Start)
			whole := recountDay(views, day)
			if c := merged.Continuation; merged.Summary.Events() != whole.begun || c.Carried != whole.carried ||
				c.Events != whole.views {
				t.Fatalf("%s: %d begun, %d carried in, %d views; want %+v", day, merged.Summary.Events(), c.Carried,
					c.Events, whole)
			}
		}
	})
}

type daily struct{ begun, carried, views int64 }

func recountDay(views []model.Event, day tier.Bucket) (d daily) {
	for hour := tier.Hour.BucketAt(day.Start); hour.Start < day.End; hour = tier.Hour.BucketAt(hour.End) {
		d.begun += int64(len(recount(views, hour).sessions))
	}
	whole := recount(views, day)
	d.carried, d.views = whole.carried, whole.views
	return d
}

// The bucket settles when no view can prolong its sessions: views from then on change nothing.
func TestFolder_ViewsAfterReachChangeNothing(t *testing.T) {
	k := kind(t)
	rapid.Check(t, func(t *rapid.T) {
		views := anyViews().Draw(t, "views")
		hour := tier.Hour.BucketAt(noon.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "hour")) * time.Hour))
		all := fold(k, views, 0, hour.Start, hour.End)
		if len(all) == 0 {
			return
		}
		c := all[0].Continuation
		until := max(c.Reach, hour.End-1)
		early := fold(k, slices.DeleteFunc(slices.Clone(views), func(e model.Event) bool {
			return e.At > until
		}), 0, hour.Start, hour.End)
		if got, want := text(early[0].Fold), text(all[0].Fold); got != want {
			t.Fatalf("%s without views after %s: %s, want %s", hour, until, got, want)
		}
		closes := k.Retention.ClosesAt(0, hour, series)
		if slack := closes.Sub(hour.End.Add(k.Sessions.Gap)); c.Settles < closes || c.Settles < c.Reach.Add(slack) {
			t.Fatalf("%s settles at %s: want at least its closing time %s, and %s after its reach %s", hour, c.Settles,
				closes, slack, c.Reach)
		}
	})
}

// A session goes on for ten hours, and is followed to three hours after its first one.
func TestFolder_LeavesOutWhatASessionIsNotFollowedTo(t *testing.T) {
	k := kind(t)
	var views []model.Event
	for i := range 21 {
		views = append(views,
			view(noon.Add(time.Duration(i)*30*time.Minute), fmt.Sprintf("%02d", i), "a", fmt.Sprint("/", i)))
	}
	got := fold(k, views, 0, noon, noon.Add(time.Hour))
	want := recounted{sessions: []counted{{views: 8, entry: "/0", exit: "/7", duration: 12_600_000}}, views: 2,
		reach: noon.Add(4 * time.Hour)}
	if text(got[0].Fold) != want.text() {
		t.Errorf("%s, want %s", text(got[0].Fold), want.text())
	}
	if next := fold(k, views, 0, noon.Add(5*time.Hour), noon.Add(6*time.Hour)); next[0].Summary.Events() != 0 ||
		next[0].Continuation.Carried != 1 {
		t.Errorf("%s, want no session begun and one carried in", text(next[0].Fold))
	}
}

func TestFolder_AnEventWithoutAKeyIsInNoSession(t *testing.T) {
	k := kind(t)
	null := view(noon, "2", "", "/")
	null.Attrs = append(null.Attrs, model.Attr{Name: webfield.Visitor})
	null.Attrs.Sort()
	got := fold(k, []model.Event{view(noon, "1", "", "/"), null}, 0, noon, noon.Add(time.Hour))
	if len(got) != 1 || got[0].Summary.Events() != 0 || got[0].Continuation.Events != 2 || !got[0].Exact {
		t.Errorf("%+v, want an exact fold of two views and no session", got)
	}
}

// It may be part of any session that is open then.
func TestFolder_AnUnreadableEventMakesTheFoldsAroundItInexact(t *testing.T) {
	k := kind(t)
	damaged := func(at model.Time) model.Event {
		return model.Event{Series: model.Series{Kind: web.PageViews.Name}, Order: model.Order{At: at, ID: "x"},
			Unreadable: true}
	}
	first := view(noon, "1", "a", "/")
	for name, c := range map[string]struct {
		at    model.Time
		exact bool
	}{
		"in the hour":               {noon.Add(10 * time.Minute), false},
		"in the gap before it":      {noon.Add(-10 * time.Minute), false},
		"in the gap after its view": {noon.Add(30 * time.Minute), false},
		"longer before it":          {noon.Add(-31 * time.Minute), true},
		"after it ended":            {noon.Add(61 * time.Minute), true},
	} {
		views := []model.Event{first, damaged(c.at)}
		slices.SortFunc(views, func(a, b model.Event) int { return a.Compare(b.Order) })
		if got := fold(k, views, 0, noon, noon.Add(time.Hour)); got[0].Exact != c.exact {
			t.Errorf("%s: exact %v, want %v", name, got[0].Exact, c.exact)
		}
	}
}

// Its row depends on each view that it was folded from, one in the gap before it included.
func TestFolder_ExpiresWithTheFirstViewRead(t *testing.T) {
	k := kind(t)
	before := view(noon.Add(-20*time.Minute), "0", "b", "/")
	first := view(noon.Add(50*time.Minute), "1", "a", "/")
	next := view(noon.Add(70*time.Minute), "2", "a", "/")
	for _, least := range []*model.Event{&before, &first, &next} {
		was := least.ExpiresAt
		least.ExpiresAt = 5
		got := fold(k, []model.Event{before, first, next}, 0, noon, noon.Add(time.Hour))
		if got[0].ChildrenExpireAt != 5 {
			t.Errorf("view of %s expires at 5, the fold's first child at %d", least.At, got[0].ChildrenExpireAt)
		}
		least.ExpiresAt = was
	}
}
