package oracle

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// sketchBound is three standard errors of an estimated distinct count.
const sketchBound = 3 * 0.023

// Result is the result of the comparison with the oracle.
type Result struct {
	Buckets, Equal    int
	Exact, Estimated  int     // visitor counts
	Furthest          float64 // largest relative error of an estimate
	Tops, TopsInexact int     // equal top tens; top tens of inexact rows, which are not compared
	Wrong             []string
}

// Compare reads every bucket of the sites and tiers of the oracle with q and compares it: all kinds
// of a site merged, and page views separately.
func Compare(ctx context.Context, q *query.Service, kinds *catalog.Catalog,
	expects map[Bucket]*Expect) (Result, error) {
	r := Result{Buckets: len(expects)}
	missing := maps.Clone(expects)
	for _, site := range siteIDs(expects) {
		for _, unit := range []tier.Unit{tier.Hour, tier.Day, tier.Month} {
			views, err := read(ctx, q, kinds, site, unit, web.PageViews.Name)
			if err != nil {
				return r, err
			}
			visits, err := read(ctx, q, kinds, site, unit, web.Sessions.Name)
			if err != nil {
				return r, err
			}
			all, err := read(ctx, q, kinds, site, unit, web.PageViews.Name, web.Requests.Name, web.Malformed.Name)
			if err != nil {
				return r, err
			}
			for start, whole := range all {
				b := Bucket{Tier: unit, Site: site, Start: start}
				r.judge(b, whole, views[start], visits[start], expects[b])
				delete(missing, b)
			}
		}
	}
	for b := range missing {
		r.Wrong = append(r.Wrong, b.String()+": missing")
	}
	slices.Sort(r.Wrong)
	return r, nil
}

func siteIDs(expects map[Bucket]*Expect) []string {
	var sites []string
	for b := range expects {
		sites = append(sites, b.Site)
	}
	slices.Sort(sites)
	return slices.Compact(sites)
}

// read returns the merged rollups of kinds of a site, by the start of their bucket.
func read(ctx context.Context, q *query.Service, kinds *catalog.Catalog, site string, unit tier.Unit,
	names ...string) (map[model.Time]query.Rollup, error) {
	asked := query.Rollups{Unit: unit, From: model.MinTime, To: model.MaxTime + 1, Consistent: true}
	for i, name := range names {
		k, ok := kinds.Kind(name)
		switch {
		case !ok:
			return nil, fmt.Errorf("kind %s is not declared", name)
		case i == 0:
			asked.Series = query.Series{Kind: k, Subject: site}
		default:
			asked.With = append(asked.With, k)
		}
	}
	found := map[model.Time]query.Rollup{}
	for r, err := range q.EachRollup(ctx, asked) {
		if err = cmp.Or(err, r.Err); err != nil {
			return nil, err
		}
		found[r.Bucket.Start] = r
	}
	return found, nil
}

// judge compares one bucket.
func (r *Result) judge(b Bucket, whole, views, visits query.Rollup, want *Expect) {
	if want == nil {
		r.Wrong = append(r.Wrong, b.String()+": there, but not in the oracle")
		return
	}
	var d differences
	d.traffic(whole, want)
	d.bytes(whole.Measure(webfield.Bytes), want)
	r.visitors(&d, "visitors of everything", whole, want.VisitorsAny)
	r.visitors(&d, "visitors", views, want.Visitors)
	d.sessions(visits, want)
	for _, name := range slices.Sorted(maps.Values(tops)) {
		of := views
		if name == webfield.Entry {
			of = visits
		}
		r.top(&d, name, of, want.Top[name])
	}
	if len(d) > 0 {
		r.Wrong = append(r.Wrong, b.String()+": "+strings.Join(d, "; "))
		return
	}
	r.Equal++
}

type differences []string

func (d *differences) check(ok bool, format string, args ...any) {
	if !ok {
		*d = append(*d, fmt.Sprintf(format, args...))
	}
}

func (d *differences) count(what string, got, want int64) {
	d.check(got == want, "%s %d, want %d", what, got, want)
}

func (d *differences) traffic(r query.Rollup, want *Expect) {
	d.check(r.Exact, "says exact: false")
	d.count("events", r.Summary.Events(), want.Events)
	events := map[string]int64{}
	for _, k := range r.Kinds {
		events[k.Kind] = k.Events
	}
	d.count("page views", events[web.PageViews.Name], want.PageViews)
	d.count("malformed", events[web.Malformed.Name], want.Malformed)
	status, _ := r.Summary.Dimension(webfield.Status)
	for class, n := range map[int]int64{4: want.S4xx, 5: want.S5xx} {
		got, exact := web.CountStatusClass(status, class)
		d.check(exact, "status is not exact")
		d.count(fmt.Sprintf("%dxx", class), got, n)
	}
}

// sessions compares the sessions of a bucket; it has none if no page was viewed in it.
func (d *differences) sessions(r query.Rollup, want *Expect) {
	if r.Summary == nil {
		d.count("active sessions", 0, want.SessionsActive)
		return
	}
	d.check(r.Exact, "sessions say exact: false")
	d.count("sessions", r.Summary.Events(), want.Sessions)
	d.count("active sessions", r.Summary.Events()+r.Continuation.Carried, want.SessionsActive)
	bounces := r.Measure(webfield.Bounce)
	views := r.Measure(webfield.Views)
	duration := r.Measure(webfield.Duration)
	d.count("bounces", int64(bounces.Sum.Float64()), want.Bounces)
	for _, x := range []struct {
		what       string
		of         rollup.Measure
		unit, want float64
	}{{"bounce rate", bounces, 1, want.BounceRate}, {"session duration", duration, 1000, want.AvgSession},
		{"pages per session", views, 1, want.PagesPerSession}} {
		got, _ := x.of.Avg()
		d.check(math.Abs(got/x.unit-x.want) < 1e-6, "%s %v, want %v", x.what, got/x.unit, x.want)
	}
}

func (d *differences) bytes(m rollup.Measure, want *Expect) {
	d.count("bytes", m.Count, want.BytesN)
	for _, n := range []struct {
		what      string
		got, want model.Decimal
	}{{"sum", m.Sum, want.Sum}, {"min", m.Min, want.Min}, {"max", m.Max, want.Max},
		{"first", m.First, want.First}, {"last", m.Last, want.Last}} {
		d.check(n.got.Cmp(n.want) == 0, "%s of bytes %s, want %s", n.what, n.got, n.want)
	}
}

func (r *Result) visitors(d *differences, what string, of query.Rollup, want int64) {
	if of.Summary == nil {
		d.count(what, 0, want)
		return
	}
	got, exact, _ := of.Summary.Distinct(webfield.Visitor)
	if exact {
		r.Exact++
		d.count(what, got, want)
		return
	}
	r.Estimated++
	off := math.Abs(float64(got-want)) / float64(want)
	r.Furthest = max(r.Furthest, off)
	d.check(off <= sketchBound, "%s about %d, want %d within %.1f %%", what, got, want, 100*sketchBound)
}

func (r *Result) top(d *differences, name string, of query.Rollup, want []rollup.ValueCount) {
	var got rollup.Dimension
	if of.Summary != nil {
		got, _ = of.Summary.Dimension(name)
	}
	if !got.Exact && got.Values != nil {
		r.TopsInexact++
		return
	}
	r.Tops++
	ten := got.Values[:min(10, len(got.Values))]
	d.check(slices.Equal(ten, want), "top of %s %v, want %v", name, ten, want)
}

// shown is how many differing buckets are printed.
const shown = 10

// Print prints how many buckets are equal, and the others.
func (r Result) Print(out io.Writer) {
	fmt.Fprintf(out, "buckets   %d of %d equal in events, page views, malformed, 4xx, 5xx, bytes (n, "+
		"sum, min, max, first, last), visitors, sessions (begun, active, bounces, duration, "+
		"pages) and tops\n", r.Equal, r.Buckets)
	fmt.Fprintf(out, "visitors  %d counts exact, %d estimated, at most %.2f %% off\n", r.Exact, r.Estimated,
		100*r.Furthest)
	fmt.Fprintf(out, "tops      %d top tens of paths, referrers and entries equal, %d marked inexact and "+
		"not compared\n", r.Tops, r.TopsInexact)
	for i, sentence := range r.Wrong {
		if i == shown {
			fmt.Fprintf(out, "  … and %d more\n", len(r.Wrong)-shown)
			break
		}
		fmt.Fprintln(out, " ", sentence)
	}
}
