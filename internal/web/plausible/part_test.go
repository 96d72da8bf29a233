package plausible_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/web/plausible"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// past is a visit of January, whose events have expired long ago.
type past struct {
	visitor, source, entry string
	views, seconds         int
	bought                 int // 1 if the visit met goal buy
	at                     model.Time
}

func (s *site) session(i int, v past) model.Event {
	kind, _ := s.kinds.Kind("SESSION")
	number := func(name string, n int) model.Attr {
		return model.Attr{Name: name, Value: model.NumberValue(model.NewDecimal(int64(n)))}
	}
	bounce := 0
	if v.views == 1 {
		bounce = 1
	}
	attrs := model.Attrs{
		{Name: "visitor", Value: model.TextValue(v.visitor)}, {Name: "entry", Value: model.TextValue(v.entry)},
		number("views", v.views), number("duration", 1000*v.seconds), number("bounce", bounce),
		number("goal_buy", v.bought),
	}
	if v.source != "" {
		attrs = append(attrs, model.Attr{Name: "source", Value: model.TextValue(v.source)})
	}
	attrs.Sort()
	order := model.Order{At: v.at, ID: fmt.Sprint(i)}
	return model.Event{Series: kind.Series("x.org", "", order), Order: order, Attrs: attrs}
}

// drawn returns visits of January: of 60 visitors, 12 sources of unlike size or none, and 9 pages.
func drawn(draw *rand.Rand, n int) (all []past) {
	for range n {
		source := int(math.Pow(draw.Float64(), 3) * 13)
		v := past{
			visitor: fmt.Sprint(draw.IntN(60)), entry: fmt.Sprint("/", draw.IntN(9)),
			views: 1 + draw.IntN(3),
			at:    at("2026-01-01T00:00:00Z").Add(time.Duration(draw.IntN(31*24*60)) * time.Minute),
		}
		if source > 0 {
			v.source = fmt.Sprint("s", source)
		}
		if v.views > 1 {
			v.seconds = draw.IntN(600)
		}
		all = append(all, v)
	}
	return all
}

// recounted recounts visits: visitors, visits, bounce rate, duration and views a visit.
func recounted(all []past) string {
	visitors := map[string]bool{}
	var bounces, seconds, views float64
	for _, v := range all {
		visitors[v.visitor] = true
		views, seconds = views+float64(v.views), seconds+float64(v.seconds)
		if v.views == 1 {
			bounces++
		}
	}
	n := float64(max(1, len(all)))
	return fmt.Sprintf("[%d,%d,%v,%v,%v]", len(visitors), len(all), math.Round(100*bounces/n),
		math.Round(seconds/n), math.Round(100*views/n)/100)
}

func texts(metrics []plausible.Figure) string {
	text, _ := json.Marshal(metrics)
	return string(text)
}

// Of visits whose events have expired, rollups have the figures of each source exactly, and of every set of
// sources that a filter lets pass: an outsider's recount is the same.
func TestServe_FiguresOfAValueOfLongAgoEqualARecount(t *testing.T) {
	t.Parallel()
	const metrics = `"metrics": ["visitors", "visits", "bounce_rate", "visit_duration", "views_per_visit"], ` +
		`"date_range": ["2026-01-01", "2026-01-31"]`
	for seed := range 4 {
		s, draw := newSite(t, ""), rand.New(rand.NewPCG(11, uint64(seed)))
		all := drawn(draw, 260)
		var events []model.Event
		for i, v := range all {
			events = append(events, s.session(i, v))
		}
		s.storeRows(events...)
		named := map[string][]past{}
		for _, v := range all {
			name := v.source
			if name == "" {
				name = "Direct / None"
			}
			named[name] = append(named[name], v)
		}
		got, err := s.serveStored(metrics +
			`, "dimensions": ["visit:source"], "order_by": [["visit:source", "asc"]]`)
		if err != nil {
			t.Fatal(err)
		}
		var rows, want []string
		for _, r := range got.Results {
			rows = append(rows, r.Dimensions[0]+" "+texts(r.Metrics))
		}
		for _, name := range slices.Sorted(maps.Keys(named)) {
			want = append(want, name+" "+recounted(named[name]))
		}
		if fmt.Sprint(rows) != fmt.Sprint(want) {
			t.Errorf("seed %d:\ngot  %s\nwant %s", seed, rows, want)
		}
		for filter, passes := range map[string]func(source string) bool{
			`["is", "visit:source", ["s1", "s2"]]`:           func(s string) bool { return s == "s1" || s == "s2" },
			`["is_not", "visit:source", ["s1"]]`:             func(s string) bool { return s != "s1" },
			`["contains", "visit:source", ["1"]]`:            func(s string) bool { return strings.Contains(s, "1") },
			`["is", "visit:source", ["Direct / None"]]`:      func(s string) bool { return s == "" },
			`["is", "visit:source", ["nobody"]]`:             func(s string) bool { return false },
			`["is_not", "visit:source", ["Direct / None"]]`:  func(s string) bool { return s != "" },
			`["matches_not", "visit:source", ["^s"]]`:        func(s string) bool { return s == "" },
			`["not", ["is", "visit:source", ["s1", "s11"]]]`: func(s string) bool { return s != "s1" && s != "s11" },
		} {
			those := slices.DeleteFunc(slices.Clone(all), func(v past) bool { return !passes(v.source) })
			got, err := s.serveStored(metrics + `, "filters": [` + filter + `]`)
			if err != nil {
				t.Fatal(err)
			}
			if text := texts(got.Results[0].Metrics); text != recounted(those) {
				t.Errorf("seed %d, %s: %s, want %s", seed, filter, text, recounted(those))
			}
		}
	}
}

// Conversions of each source are known as long as rows are: an outsider's recount is the same.
func TestServe_ConversionsOfAValueOfLongAgoEqualARecount(t *testing.T) {
	t.Parallel()
	s, draw := newSite(t, ""), rand.New(rand.NewPCG(11, 8))
	all := drawn(draw, 260)
	var events []model.Event
	met, visits := map[string]int{}, map[string]int{}
	for i := range all {
		all[i].bought = draw.IntN(4) / 3
		events = append(events, s.session(i, all[i]))
		source := cmp.Or(all[i].source, "Direct / None")
		met[source], visits[source] = met[source]+all[i].bought, visits[source]+1
	}
	s.storeRows(events...)
	const january = `"date_range": ["2026-01-01", "2026-01-31"], `
	const buyers = `["is", "event:goal", ["buy"]]`
	got, err := s.serveStored(january + `"metrics": ["visits", "group_conversion_rate"], ` +
		`"dimensions": ["visit:source"], "filters": [` + buyers + `]`)
	if err != nil {
		t.Fatal(err)
	}
	rows, want := map[string]string{}, map[string]string{}
	for _, r := range got.Results {
		rows[r.Dimensions[0]] = texts(r.Metrics)
	}
	for source, n := range met {
		if n > 0 {
			rate := math.Round(10_000*float64(n)/float64(visits[source])) / 100
			want[source] = fmt.Sprintf("[%d,%v]", n, rate)
		}
	}
	if diff := gocmp.Diff(want, rows); diff != "" || len(want) < 5 {
		t.Errorf("conversions by source (-want +got):\n%s", diff)
	}
	const first = `["is", "visit:source", ["s1"]]`
	for _, filters := range []string{buyers + ", " + first, first + ", " + buyers} {
		got, err := s.serveStored(january + `"metrics": ["visits"], "filters": [` + filters + `]`)
		if err != nil || texts(got.Results[0].Metrics) != fmt.Sprintf("[%d]", met["s1"]) {
			t.Errorf("%s: %v, %v; want %d", filters, got, err, met["s1"])
		}
	}
	const both, others = `["is", "event:goal", ["buy", "blog"]]`, `["is_not", "event:goal", ["buy"]]`
	for _, refused := range []string{both, others} {
		_, err := s.serveStored(january + `"metrics": ["visits"], "dimensions": ["visit:source"], ` +
			`"filters": [` + refused + `]`)
		if err == nil {
			t.Errorf("%s is served", refused)
		}
	}
}

// Pairs of dimensions that are declared together are counted beyond the retention of events, too: grouped by
// both or by one of them, and filtered by the other.
func TestServe_FiguresOfPairsOfLongAgoEqualARecount(t *testing.T) {
	t.Parallel()
	const metrics = `"metrics": ["visitors", "visits", "bounce_rate", "visit_duration", "views_per_visit"], ` +
		`"date_range": ["2026-01-01", "2026-01-31"]`
	s, draw := newSite(t, ""), rand.New(rand.NewPCG(11, 5))
	all := drawn(draw, 260)
	var events []model.Event
	for i := range all {
		if all[i].source != "" {
			all[i].source = "s" + string(all[i].source[1]) // pairs of 9 sources and 4 pages fit a row
		}
		all[i].entry = "/" + string('0'+all[i].entry[1]%4)
		events = append(events, s.session(i, all[i]))
	}
	s.storeRows(events...)
	source := func(v past) string { return cmp.Or(v.source, "Direct / None") }
	for query, c := range map[string]struct {
		key    func(past) string
		passes func(past) bool
	}{
		`"dimensions": ["visit:source", "visit:entry_page"]`: {
			func(v past) string { return source(v) + " " + v.entry }, func(past) bool { return true }},
		`"dimensions": ["visit:entry_page", "visit:source"]`: {
			func(v past) string { return v.entry + " " + source(v) }, func(past) bool { return true }},
		`"dimensions": ["visit:entry_page"], "filters": [["is", "visit:source", ["s1", "Direct / None"]]]`: {
			func(v past) string { return v.entry }, func(v past) bool { return v.source == "s1" || v.source == "" }},
		`"dimensions": ["visit:source"], "filters": [["is_not", "visit:entry_page", ["/1"]]]`: {
			source, func(v past) bool { return v.entry != "/1" }},
		`"filters": [["is", "visit:source", ["s1"]], ["contains", "visit:entry_page", ["2"]]]`: {
			func(past) string { return "" }, func(v past) bool { return v.source == "s1" && v.entry == "/2" }},
		`"filters": [["or", [["is", "visit:source", ["s2"]], ["is", "visit:entry_page", ["/3"]]]]]`: {
			func(past) string { return "" }, func(v past) bool { return v.source == "s2" || v.entry == "/3" }},
	} {
		groups := map[string][]past{}
		for _, v := range all {
			if c.passes(v) {
				groups[c.key(v)] = append(groups[c.key(v)], v)
			}
		}
		got, err := s.serveStored(metrics + ", " + query)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]string{}
		for _, r := range got.Results {
			rows[strings.Join(r.Dimensions, " ")] = texts(r.Metrics)
		}
		want := map[string]string{}
		for key, group := range groups {
			want[key] = recounted(group)
		}
		if diff := gocmp.Diff(want, rows); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
}

// What is too rare to be stored is null, and the visitors of many are an estimate that says so.
func TestServe_FiguresOfRareValuesOfLongAgoAreNull(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	var events []model.Event
	for i := range 3000 {
		v := past{visitor: fmt.Sprint(i), views: 1, at: at("2026-01-01T00:00:00Z")}
		v.entry = fmt.Sprintf("/%02d", int(math.Sqrt(float64(i))))
		events = append(events, s.session(i, v))
	}
	s.storeRows(events...)
	visitors := func(filter string) (string, string) {
		got, err := s.serveStored(`"metrics": ["visitors"], "date_range": ["2026-01-01", "2026-01-01"], ` +
			`"filters": [["is", "visit:entry_page", ["` + filter + `"]]]`)
		if err != nil {
			t.Fatal(err)
		}
		return texts(got.Results[0].Metrics), fmt.Sprint(got.Meta["warnings"])
	}
	if figure, why := visitors("/01"); figure != "[null]" || !strings.Contains(why, "most frequent values") {
		t.Errorf("a rare page: %s, %s; want null", figure, why)
	}
	if figure, why := visitors("/50"); figure == "[null]" || !strings.Contains(why, "estimated") {
		t.Errorf("a frequent page: %s, %s; want an estimate", figure, why)
	}
}
