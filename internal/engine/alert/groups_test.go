package alert_test

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// sites is a fleet of devices in groups by site, with the function that keeps their rows and alerts.
type sites struct {
	*testing.T
	table  *memory.Table
	kinds  *catalog.Catalog
	kind   *catalog.Kind
	now    model.Time
	start  model.Time // no event is earlier
	seen   uint64
	events map[model.EventKey]model.Event
	chance *rand.Rand // of faults; nil without faults
	mutant groupMutant
	depth  int // of sweeps that run within a request of another one
	agg    *aggregate.Aggregator
	*alert.Service
}

func newSites(t *testing.T, chance *rand.Rand) *sites {
	t.Helper()
	kinds, err := catalog.New(catalog.Kind{
		Name: "GAUGE", Subject: catalog.SubjectType{Name: "DEVICE"}, Groups: []string{"site"},
		Measures:  []rollup.MeasureSpec{{Name: "value", Scale: 3, Percentiles: true}},
		Retention: tier.Standard().Defer(),
	})
	if err != nil {
		t.Fatal(err)
	}
	f := &sites{T: t, kinds: kinds, now: model.Time(1_776_693_600_000), chance: chance,
		events: map[model.EventKey]model.Event{}}
	f.kind, _ = kinds.Kind("GAUGE")
	clock := func() model.Time { return f.now }
	f.table = memory.New(clock)
	f.Service = f.service()
	f.agg = &aggregate.Aggregator{
		Store: f.table, QuarantineStore: f.table, Catalog: kinds, Now: clock, Rand: seeded(1),
		Sleep: noSleep, OnGroups: f.onGroups,
	}
	return f
}

func noSleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func seeded(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// service returns the alerts of a process without rules in its cache.
func (f *sites) service() *alert.Service {
	return &alert.Service{
		Store: faulty{f.table, f}, Catalog: f.kinds, Now: func() model.Time { return f.now }, Rand: seeded(2),
		Sleep: noSleep, Parallel: 1, Stream: f.table,
	}
}

// onGroups evaluates the rules of groups as the function does. It may stop before or after.
func (f *sites) onGroups(ctx context.Context, buckets []storage.Change) map[model.Series]error {
	failed := map[model.Series]error{}
	if f.mutant.asInserts {
		for i := range buckets {
			buckets[i].Type = storage.Inserted
		}
	}
	if f.mutant.acceptAll {
		defer func() { clear(failed) }()
	}
	stop := f.happens(6)
	if stop && f.happens(2) {
		for i := range buckets {
			failed[buckets[i].Key.Series] = context.DeadlineExceeded
		}
		return failed
	}
	report := f.Evaluate(ctx, buckets)
	for _, failure := range report.Failures {
		failed[buckets[failure.Change].Key.Series] = failure.Err
	}
	if report.Damaged > 0 || report.Sealed > 0 {
		f.Errorf("damaged or sealed: %+v", report)
	}
	for i := range buckets {
		if stop {
			failed[buckets[i].Key.Series] = context.DeadlineExceeded
		}
	}
	return failed
}

// happens reports whether a fault happens, once in n.
func (f *sites) happens(n int) bool { return f.chance != nil && f.chance.IntN(n) == 0 }

// faulty is the table as alerts use it: a write may be lost, or its result. Within any request, other
// processes may store events and fold groups.
type faulty struct {
	*memory.Table
	f *sites
}

func (s faulty) disturb() {
	if s.f.depth > 1 || !s.f.happens(12) {
		return
	}
	s.f.depth++
	defer func() { s.f.depth-- }()
	s.f.act()
	s.f.work()
}

func (s faulty) GetItem(ctx context.Context, k keys.Key) (item.Item, error) {
	s.disturb()
	return s.Table.GetItem(ctx, k)
}

func (s faulty) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	if s.f.happens(3) && r.Limit == 0 {
		r.Limit = 1 + s.f.chance.IntN(3)
	}
	defer s.disturb()
	return s.Table.Rows(ctx, u, r)
}

func (s faulty) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	s.disturb()
	if s.f.happens(10) {
		return storage.Unknown, nil
	}
	result, err := s.Table.PutAll(ctx, puts)
	if s.f.happens(10) {
		result = storage.Unknown
	}
	return result, err
}

// send stores or corrects a reading of a device in a site.
func (f *sites) send(device string, at model.Time, site, value string) {
	f.Helper()
	attrs := model.Attrs{{Name: "site", Value: model.TextValue(site)},
		{Name: "value", Value: model.NumberValue(model.MustDecimal(value))}}
	o := model.Order{At: at}
	e := model.Event{
		Series: f.kind.Series(device, "", o), Order: o, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: f.now, ExpiresAt: f.kind.Retention.EventExpiresAt(f.now),
	}
	if _, stored := f.events[e.Key()]; stored {
		result, err := f.table.CorrectEvent(f.Context(), e, f.now)
		if err != nil || result != storage.Written {
			f.Fatal(result, err)
		}
	} else if result, err := f.table.Put(f.Context(), e); err != nil || result.Result != storage.Written {
		f.Fatal(result, err)
	}
	f.events[e.Key()] = e
}

func (f *sites) remove(k model.EventKey) {
	f.Helper()
	if result, err := f.table.DeleteEvent(f.Context(), k, f.now); err != nil || result != storage.Written {
		f.Fatal(result, err)
	}
	delete(f.events, k)
}

// act changes an event at random: a new one, a late one, a correction, one of another site, or a deletion.
func (f *sites) act() {
	at := tier.Hour.BucketAt(f.now).Start.Add(time.Duration(f.chance.IntN(3)) * time.Minute)
	if f.chance.IntN(3) == 0 {
		at = max(f.start, at.Add(-time.Duration(f.chance.IntN(12))*time.Hour))
	}
	if all := slices.SortedFunc(maps.Keys(f.events), func(a, b model.EventKey) int {
		return strings.Compare(a.Series.String()+a.At.String(), b.Series.String()+b.At.String())
	}); len(all) > 0 && f.chance.IntN(6) == 0 {
		f.remove(all[f.chance.IntN(len(all))])
		return
	}
	device, site := fmt.Sprint("d", f.chance.IntN(3)), []string{"x", "y"}[f.chance.IntN(2)]
	f.send(device, at, site, fmt.Sprint(f.chance.IntN(40)))
}

// deliver passes the changes since the last call to the aggregator, with their images.
func (f *sites) deliver() {
	f.Helper()
	records := f.table.Records(f.seen)
	f.seen += uint64(len(records))
	what := map[string]storage.ChangeType{memory.Insert: storage.Inserted, memory.Modify: storage.Corrected,
		memory.Remove: storage.Deleted}
	var changes []storage.Change
	for _, r := range records {
		key, err := keys.ParseEvent(r.Keys)
		if err != nil {
			continue
		}
		c := storage.Change{Type: what[r.Name], Key: key, Seq: fmt.Sprint(r.Seq), At: r.At}
		if e, err := item.Event(r.Old); r.Old != nil && err == nil {
			c.Before = &e
		}
		if e, err := item.Event(r.New); r.New != nil && err == nil {
			c.After = &e
		}
		changes = append(changes, c)
	}
	if report := f.agg.Process(f.Context(), changes); len(report.Failures) > 0 {
		f.Fatal(report.Failures)
	}
}

// work delivers changes, and sweeps members and groups once.
func (f *sites) work() {
	f.Helper()
	f.deliver()
	shards, err := f.agg.QueueShards(f.Context())
	if err != nil {
		f.Fatal(err)
	}
	for _, shard := range shards {
		if _, err := f.agg.Sweep(f.Context(), shard.QueueShard); err != nil {
			f.Fatal(err)
		}
	}
}

// settle works without faults until nothing is due, a while later.
func (f *sites) settle(d time.Duration) {
	f.Helper()
	f.now = f.now.Add(d)
	chance := f.chance
	f.chance = nil
	defer func() { f.chance = chance }()
	for range 6 {
		f.now = f.now.Add(10 * time.Minute) // late changes wait for the end of a tick
		f.work()
	}
	if err := f.FindSilent(f.Context()); err != nil {
		f.Fatal(err)
	}
}

func (f *sites) mustAddRule(draft storage.Rule) storage.Rule {
	f.Helper()
	draft.SubjectType, draft.Kind = "BY_SITE", "GAUGE_BY_SITE"
	draft.AnyStream = true
	made, wrong, err := f.AddRule(f.Context(), draft)
	if err != nil || wrong != nil {
		f.Fatalf("add rule: %v, %v", wrong, err)
	}
	return made
}

// bucket is a bucket of a site, as a recount of the events finds it.
type bucket struct {
	start  model.Time
	values []float64
}

// recount returns the buckets of a site in order of time, from the events alone.
func (f *sites) recount(site string) (all []bucket) {
	byStart := map[model.Time]*bucket{}
	for _, e := range f.events {
		name, _ := e.Attrs.Get("site")
		if text, _ := name.Plain(); text != site {
			continue
		}
		start := tier.Hour.BucketAt(e.At).Start
		if byStart[start] == nil {
			byStart[start] = &bucket{start: start}
		}
		v, _ := e.Attrs.Get("value")
		byStart[start].values = append(byStart[start].values, v.Number.Float64())
	}
	for _, start := range slices.Sorted(maps.Keys(byStart)) {
		all = append(all, *byStart[start])
	}
	return all
}

// oracle is what a rule tests, computed from values.
type oracle struct {
	rule storage.Rule
	test func(values []float64) (number float64)
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}

// groupRules test each form of figure, hysteresis, a duration, a rate and silence.
func groupRules() []oracle {
	rule := func(name, measure string, r storage.Rule) storage.Rule {
		r.Name, r.Measure = name, measure
		r.Severity = storage.Warning
		return r
	}
	above := func(n string) storage.Rule { return storage.Rule{Bounds: storage.Above, High: decimal(n)} }
	clear := above("24")
	clear.ClearHigh = decimal("18")
	long := above("15")
	long.For = times.Span(2 * time.Hour)
	fast := above("0.1")
	fast.Test = storage.TestRate
	few := storage.Rule{Bounds: storage.Below, Low: decimal("2")}
	quiet := storage.Rule{Test: storage.TestSilence, For: times.Span(2 * time.Hour)}
	return []oracle{
		{rule("mean", "value.avg", clear), func(v []float64) float64 { return sum(v) / float64(len(v)) }},
		{rule("peak", "value.max", above("35")), slices.Max[[]float64]},
		{rule("floor", "value.min", above("20")), slices.Min[[]float64]},
		{rule("total", "value.sum", above("60")), sum},
		{rule("long", "value.max", long), slices.Max[[]float64]},
		{rule("fast", "value.sum", fast), sum},
		{rule("few", "events", few), func(v []float64) float64 { return float64(len(v)) }},
		{rule("quiet", "", quiet), nil},
	}
}

// expected returns the alerts of one pass over the recounted buckets: the time at which each was raised and
// the time at which it ended.
func (f *sites) expected(site string, o *oracle) (all []string) {
	buckets := f.recount(site)
	if o.test == nil {
		return f.expectedSilences(buckets, &o.rule)
	}
	var since, open model.Time
	var before *bucket
	for i := range buckets {
		b := &buckets[i]
		number := o.test(b.values)
		if o.rule.Test == storage.TestRate {
			previous := before
			if before = b; previous == nil {
				continue
			}
			number = (number - o.test(previous.values)) / b.start.Sub(previous.start).Minutes()
		}
		beyond := o.beyond(number, o.rule.High)
		switch {
		case open != 0:
			until := o.rule.High
			if o.rule.ClearHigh != nil {
				until = o.rule.ClearHigh
			}
			if !o.beyond(number, until) {
				all = append(all, fmt.Sprintf("%s to %s", open, b.start))
				open, since = 0, 0
			}
		case !beyond:
			since = 0
		default:
			if since == 0 {
				since = b.start
			}
			if b.start.Sub(since) >= time.Duration(o.rule.For) {
				open = b.start
			}
		}
	}
	if open != 0 {
		all = append(all, fmt.Sprintf("%s to now", open))
	}
	return all
}

func (o *oracle) beyond(number float64, high *model.Decimal) bool {
	if o.rule.Low != nil {
		return number < o.rule.Low.Float64()
	}
	return number > high.Float64()
}

func (f *sites) expectedSilences(buckets []bucket, r *storage.Rule) (all []string) {
	for i, b := range buckets {
		until := f.now
		if i+1 < len(buckets) {
			until = buckets[i+1].start
		}
		if until.Sub(b.start.Add(time.Hour)) < time.Duration(r.For) {
			continue
		}
		if i+1 < len(buckets) {
			all = append(all, fmt.Sprintf("%s to %s", b.start, until))
		} else {
			all = append(all, fmt.Sprintf("%s to now", b.start))
		}
	}
	return all
}

// stored returns the alerts of a site by the name of their rule, without those that were withdrawn.
func (f *sites) stored(site, rule string) (all []string) {
	f.Helper()
	subject := model.Subject{Type: "BY_SITE", ID: site}
	for a, err := range f.OfSubject(f.Context(), subject, alert.Filter{}, 0) {
		switch {
		case err != nil:
			f.Fatal(err)
		case a.Withdrawn != "" || !strings.HasPrefix(strings.TrimPrefix(a.Rule, "own."), rule+"."):
		case a.Recovered == nil:
			all = append(all, fmt.Sprintf("%s to now", a.Raised.At))
		default:
			all = append(all, fmt.Sprintf("%s to %s", a.Raised.At, a.Recovered.At))
		}
	}
	slices.Sort(all)
	return all
}

// groupMutant is a planted fault of the alerts of groups; the zero groupMutant has none.
type groupMutant struct {
	asInserts bool // a row that was written is handled as a new event
	acceptAll bool // invalidations are deleted although their groups were not evaluated
}

// playSites plays a history, and returns how many alerts it should have, and the first rule whose alerts
// differ.
func playSites(t *testing.T, seed uint64, m groupMutant) (raised int, differs string) {
	f := newSites(t, rand.New(rand.NewPCG(seed, 19)))
	f.mutant = m
	rules := groupRules()
	chance := f.chance
	f.chance = nil
	for _, o := range rules {
		f.mustAddRule(o.rule)
	}
	f.chance = chance
	f.start = tier.Hour.BucketAt(f.now).Start
	for n := range 90 {
		f.now = f.start.Add(time.Duration(n) * 20 * time.Minute)
		if f.chance.IntN(4) > 0 {
			f.act()
		}
		if f.chance.IntN(3) == 0 {
			f.work()
		}
		if f.chance.IntN(5) == 0 {
			if err := f.FindSilent(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
	}
	f.settle(6 * time.Hour)
	for _, site := range []string{"x", "y"} {
		for i := range rules {
			name := rules[i].rule.Name
			got, want := f.stored(site, name), f.expected(site, &rules[i])
			if raised += len(want); differs == "" && !cmp.Equal(got, want) {
				differs = fmt.Sprintf("site %s, rule %s: got %q, want %q", site, name, got, want)
			}
		}
	}
	return raised, differs
}

// The alerts of groups are right, by one pass over a recount of the events, after late events, corrections,
// moves between groups and deletions, lost writes, stopped sweeps, and sweeps within any request of others.
func TestGroups_AlertsAreThoseOfOnePassOverARecount(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			raised, differs := playSites(t, seed, groupMutant{})
			if differs != "" {
				t.Error(differs)
			}
			if raised < 20 {
				t.Errorf("%d alerts: the history tests too little", raised)
			}
		})
	}
}

func TestGroups_FindsPlantedFaults(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]groupMutant{
		"a row is handled as a new event":             {asInserts: true},
		"groups that were not evaluated are not left": {acceptAll: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(40) {
				if _, differs := playSites(t, seed, m); differs != "" {
					return
				}
			}
			t.Error("the fault changes no alert")
		})
	}
}

// figureRule returns a rule of a bound for a figure of groups.
func figureRule(name, measure, above string) storage.Rule {
	return storage.Rule{
		Name: name, SubjectType: "BY_SITE", Kind: "GAUGE_BY_SITE", AnyStream: true, Measure: measure,
		Bounds: storage.Above, High: decimal(above), Severity: storage.Critical,
	}
}

func TestGroups_ANewRuleTestsTheLastClosedBucketAtOnceAndItsAlertsEndWithIt(t *testing.T) {
	t.Parallel()
	for _, site := range []string{"", "berlin/west"} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			f := newSites(t, nil)
			hour := tier.Hour.BucketAt(f.now).Start
			f.send("d1", hour, "berlin/west", "30")
			f.send("d2", hour, "berlin/west", "10")
			f.send("d3", hour, "paris", "10")
			f.settle(100 * time.Minute)
			rule := figureRule("warm", "value.avg", "19.9")
			rule.Subject = site
			f.mustAddRule(rule)
			got, want := f.stored("berlin/west", "warm"), []string{hour.String() + " to now"}
			if !cmp.Equal(got, want) {
				t.Errorf("got %q, want %q", got, want)
			}
			if got := f.stored("paris", "warm"); got != nil {
				t.Errorf("got %q of the other site, want none", got)
			}
			if _, err := f.RemoveRule(t.Context(), "BY_SITE", site, "warm", "ann"); err != nil {
				t.Fatal(err)
			}
			subject := model.Subject{Type: "BY_SITE", ID: "berlin/west"}
			for a, err := range f.OfSubject(t.Context(), subject, alert.Filter{}, 0) {
				if err != nil || a.Status() == storage.AlertOpen {
					t.Errorf("%v, %+v is open after its rule was removed", err, a)
				}
			}
		})
	}
}

func TestGroups_AWithdrawnAlertSaysThatItsBucketChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(f *sites, first model.EventKey)
		want   string
	}{
		"late": {
			change: func(f *sites, first model.EventKey) { f.send("d2", first.At, "x", "0") },
			want:   "events changed",
		},
		"deleted": {
			change: func(f *sites, first model.EventKey) { f.remove(first) },
			want:   "no events any more",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newSites(t, nil)
			f.mustAddRule(figureRule("warm", "value.avg", "20"))
			hour := tier.Hour.BucketAt(f.now).Start
			f.send("d1", hour, "x", "30")
			f.settle(2 * time.Hour)
			for first := range f.events {
				c.change(f, first)
				break
			}
			f.settle(0)
			site := model.Subject{Type: "BY_SITE", ID: "x"}
			for a, err := range f.OfSubject(t.Context(), site, alert.Filter{}, 0) {
				if err != nil || !strings.Contains(a.Withdrawn, c.want) {
					t.Errorf("%v, withdrawn because %q; want %q", err, a.Withdrawn, c.want)
				}
				return
			}
			t.Error("no alert")
		})
	}
}

func TestAddRule_OfGroupsNamesAFigureOfTheirRows(t *testing.T) {
	t.Parallel()
	f := newSites(t, nil)
	silent := func(d time.Duration) storage.Rule {
		r := storage.Rule{Name: "quiet", SubjectType: "BY_SITE", Kind: "GAUGE_BY_SITE", AnyStream: true,
			Test: storage.TestSilence, Severity: storage.Info, For: times.Span(d)}
		return r
	}
	type want struct {
		rule  storage.Rule
		code  string
		known bool // whether the measure is declared
	}
	for _, c := range []want{
		{rule: figureRule("a", "value.avg", "1"), code: "", known: true},
		{rule: figureRule("b", "events", "1"), code: "", known: true},
		{rule: figureRule("c", "battery.level.p95", "1"), code: "", known: false},
		{rule: figureRule("d", "value", "1"), code: alert.CodeRuleMeasure, known: true},
		{rule: figureRule("e", ".avg", "1"), code: alert.CodeRuleMeasure, known: true},
		{rule: figureRule("f", "value.mean", "1"), code: alert.CodeRuleMeasure, known: true},
		{rule: silent(30 * time.Second), code: alert.CodeRuleFor, known: true},
		{rule: silent(time.Hour), code: "", known: true},
	} {
		_, errs, err := f.AddRule(t.Context(), c.rule)
		known, failed := f.KnowsMeasure(t.Context(), c.rule)
		code := ""
		if len(errs) > 0 {
			code = errs[0].Code
		}
		if err != nil || failed != nil || code != c.code || known != c.known {
			t.Errorf("%s: %v, %v; got code %q, known %v; want %q, %v",
				c.rule.Measure, err, failed, code, known, c.code, c.known)
		}
	}
}
