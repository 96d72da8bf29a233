package timeseries_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
	"github.com/tidemark-db/tidemark/pkg/timeseries/timeseriestest"
)

// programs is the number of random programs: 200, or 5,000 in the long suite.
func programs() int {
	if testenv.Long() {
		return 5_000
	}
	return 200
}

// step is a reading as random programs append it: few devices, times, ids and values, so that
// they meet often.
type step struct {
	Device  string    `tide:"subject"`
	At      time.Time `tide:"time"`
	ID      string    `tide:"id"`
	Value   int       `tide:"measure"`
	Place   string    `tide:"field"`
	Account string    `tide:"enrichment"`
}

// plain is what a program expects of the table: maps, and the rules in a few lines.
type plain struct {
	late   catalog.LatePolicy
	events map[string][]step // by device, in order
	latest map[string]*step  // of the newest applied event, with earlier fields and enrichment
	order  map[string]*step  // the newest applied event itself; nil if only enrichment
	// unfolded are late events, and erased ones, since the last fold: latest items follow them.
	unfolded []step
}

func byOrder(a, b step) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) }

func (p *plain) find(s step) (int, bool) {
	return slices.BinarySearchFunc(p.events[s.Device], s, byOrder)
}

// holds reports whether the place of the latest item is want; "" means no condition.
func (p *plain) holds(device, want string) bool {
	latest := p.latest[device]
	return want == "" || latest != nil && latest.Place == want
}

// append returns the outcome of an append.
func (p *plain) append(s step, place string) model.Outcome {
	i, there := p.find(s)
	newest := p.order[s.Device]
	switch {
	case there && same(p.events[s.Device][i], s):
		return model.Duplicate
	case there:
		return model.Collision
	case newest != nil && byOrder(*newest, s) == 0: // erased: the latest item keeps the identity
		if same(*newest, s) {
			return model.Duplicate
		}
		return model.Collision
	case !p.holds(s.Device, place):
		return model.Conflict
	case newest != nil && byOrder(s, *newest) < 0 && p.late == catalog.DropLate:
		return model.Stale
	}
	s.Account = ""
	p.events[s.Device] = slices.Insert(p.events[s.Device], i, s)
	if newest != nil && byOrder(s, *newest) < 0 {
		p.unfolded = append(p.unfolded, s)
		return model.Late
	}
	p.order[s.Device] = &s
	merged := s
	if old := p.latest[s.Device]; old != nil {
		merged.Account, merged.Place = old.Account, cmp.Or(s.Place, old.Place)
	}
	p.latest[s.Device] = &merged
	return model.Applied
}

// same reports whether two events of one identity have the same fields.
func same(a, b step) bool { return a.Value == b.Value && a.Place == b.Place }

func (p *plain) enrich(device, account, place string) model.Outcome {
	if !p.holds(device, place) {
		return model.Conflict
	}
	latest := p.latest[device]
	if latest == nil {
		latest = &step{Device: device}
		p.latest[device] = latest
	}
	latest.Account = account
	return model.Applied
}

// follow makes the latest item follow a correction or, without after, a deletion, which events has already:
// it is of the newest event, and a field of a changed event has the value of the newest event that has it.
func (p *plain) follow(before step, after *step) {
	events, old := p.events[before.Device], p.latest[before.Device]
	if len(events) == 0 {
		p.order[before.Device] = nil
		p.latest[before.Device] = &step{Device: before.Device, Account: old.Account}
		return
	}
	newest := events[len(events)-1]
	p.order[before.Device] = &newest
	latest := newest
	latest.Account, latest.Place = old.Account, old.Place
	p.latest[before.Device] = &latest
	if before.Place+newest.Place == "" && (after == nil || after.Place == "") {
		return // the place is not in question
	}
	latest.Place = ""
	for _, e := range events {
		latest.Place = cmp.Or(e.Place, latest.Place)
	}
}

// stored returns the latest item of a device; nil if no event and no enrichment is left in it.
func (p *plain) stored(device string) *step {
	if p.order[device] == nil && (p.latest[device] == nil || p.latest[device].Account == "") {
		return nil
	}
	return p.latest[device]
}

// table is what a program runs on.
type table interface {
	timeseries.Store
	lifecycle.Store
	lifecycle.Eraser
	lifecycle.EventStore
}

// machine runs one random program on the table and on the model.
type machine struct {
	table   table
	memory  *timeseriestest.Table // nil on DynamoDB: no faults, and rollups are those that reads fold
	events  *timeseries.Events[step]
	purger  *lifecycle.Purger
	now     time.Time
	devices []string
	erases  bool // it erases ranges, rather than correct and delete events
	plain
}

func newMachine(r *rapid.T, on table, options *timeseries.Options, prefix string) *machine {
	kind := iot.Readings
	kind.Late = rapid.SampledFrom([]catalog.LatePolicy{catalog.KeepLate, catalog.DropLate}).Draw(r, "late")
	m := &machine{table: on, now: options.Now(), devices: []string{prefix + "a", prefix + "b"}}
	if m.memory, _ = on.(*timeseriestest.Table); m.memory == nil {
		kind.Retention = tier.Standard().Defer()
	}
	m.purger = &lifecycle.Purger{Store: on, Now: func() model.Time {
		return model.NewTime(m.now)
	}, Sleep: options.Sleep}
	m.erases = rapid.Bool().Draw(r, "erases")
	m.plain = plain{late: kind.Late, events: map[string][]step{}, latest: map[string]*step{},
		order: map[string]*step{}}
	var err error
	if m.events, err = timeseries.Open[step](on, kind, options); err != nil {
		r.Fatal(err)
	}
	return m
}

var places = []string{"", "hall", "roof"}

// at returns one of the few times of events.
func (m *machine) at(r *rapid.T, label string) time.Time {
	return m.now.Add(-time.Duration(rapid.IntRange(0, 5).Draw(r, label)) * 20 * time.Minute)
}

func (m *machine) anyStep(r *rapid.T) step {
	return step{
		Device: rapid.SampledFrom(m.devices).Draw(r, "device"), ID: rapid.SampledFrom([]string{"", "x"}).Draw(r, "id"),
		At:    m.at(r, "age"),
		Value: rapid.IntRange(0, 2).Draw(r, "value"), Place: rapid.SampledFrom(places).Draw(r, "place"), Account: "ignored",
	}
}

func onPlace(place string) []timeseries.AppendOption {
	if place == "" {
		return nil
	}
	return []timeseries.AppendOption{timeseries.If("place", model.Equal, place)}
}

// actions are the calls of a program. Each compares what the table returns with the model.
func (m *machine) actions() map[string]func(*rapid.T) {
	ctx := context.Background()
	all := map[string]func(*rapid.T){
		"append": func(r *rapid.T) {
			s, place := m.anyStep(r), rapid.SampledFrom(places).Draw(r, "if")
			out, err := m.events.Append(ctx, s, onPlace(place)...)
			want := m.append(s, place)
			if !fits(want, err) || out.Outcome != want {
				r.Fatalf("append %+v if %q: %s, %v; want %s", s, place, out.Outcome, err, want)
			}
			if out.Latest != nil &&
				(want == model.Applied || m.latest[s.Device] == nil || out.Latest.Account != m.latest[s.Device].Account) {
				r.Fatalf("append %+v: %s with the latest item %+v, stored is %+v", s, want, out.Latest,
					m.latest[s.Device])
			}
		},
		"append many": func(r *rapid.T) {
			all := rapid.SliceOfN(rapid.Custom(m.anyStep), 1, 6).Draw(r, "steps")
			outs, _ := m.events.AppendAll(ctx, all)
			for i, s := range all {
				if want := m.append(s, ""); !fits(want, outs[i].Err) || outs[i].Outcome != want {
					r.Fatalf("%d of %+v: %s, %v; want %s", i, all, outs[i].Outcome, outs[i].Err, want)
				}
			}
		},
		"busy": func(r *rapid.T) {
			if n := rapid.IntRange(0, 3).Draw(r, "writes"); m.memory != nil {
				m.memory.Fail("busy", n)
			}
		},
		"lost": func(r *rapid.T) {
			if n := rapid.IntRange(0, 3).Draw(r, "responses"); m.memory != nil {
				m.memory.Fail("lost response", n)
			}
		},
		"enrich": func(r *rapid.T) {
			device, place := rapid.SampledFrom(m.devices).Draw(r, "device"), rapid.SampledFrom(places).Draw(r, "if")
			account := rapid.SampledFrom([]string{"", "acct-1", "acct-2"}).Draw(r, "account")
			patch := map[string]any{"account": account}
			if account == "" {
				patch["account"] = nil
			}
			out, err := m.events.Enrich(ctx, timeseries.Key{Subject: device}, patch, onPlace(place)...)
			if want := m.enrich(device, account, place); !fits(want, err) || out.Outcome != want {
				r.Fatalf("enrich %s if %q: %s, %v; want %s", device, place, out.Outcome, err, want)
			}
		},
		"correct": func(r *rapid.T) {
			s := m.anyStep(r)
			done, err := m.events.Correct(ctx, s)
			i, want := m.find(s)
			if err != nil || done != want {
				r.Fatalf("correct %+v: %t, %v; want %t", s, done, err, want)
			}
			if s.Account = ""; want {
				before := m.plain.events[s.Device][i]
				m.plain.events[s.Device][i] = s
				m.follow(before, &s)
			}
		},
		"delete": func(r *rapid.T) {
			s := m.anyStep(r)
			done, err := m.events.Delete(ctx, s)
			i, want := m.find(s)
			if err != nil || done != want && !done { // a lost response counts as deleted
				r.Fatalf("delete %+v: %t, %v; want %t", s, done, err, want)
			}
			switch {
			case want:
				before := m.plain.events[s.Device][i]
				m.plain.events[s.Device] = slices.Delete(m.plain.events[s.Device], i, i+1)
				m.follow(before, nil)
			case done && m.plain.latest[s.Device] != nil: // each field of the item may be of what was deleted
				m.follow(step{Device: s.Device, Place: m.plain.latest[s.Device].Place}, nil)
			}
		},
		"erase": m.erase,
		"read":  m.read,
		"":      m.compare,
	}
	// The latest item follows an erasure of a range by the table stream, which only a fold processes.
	if m.erases {
		delete(all, "correct")
		delete(all, "delete")
	} else {
		delete(all, "erase")
	}
	return all
}

// anyRange returns a half-open range of event times, and which events of a device it has.
func (m *machine) anyRange(r *rapid.T) (device string, from, to time.Time, in func(step) bool) {
	device, from = rapid.SampledFrom(m.devices).Draw(r, "device"), m.at(r, "from")
	to = from.Add(time.Duration(rapid.IntRange(1, 3).Draw(r, "span")) * 20 * time.Minute)
	return device, from, to, func(s step) bool { return !s.At.Before(from) && s.At.Before(to) }
}

// erase deletes the events of a range.
func (m *machine) erase(r *rapid.T) {
	device, from, to, in := m.anyRange(r)
	kind := m.events.Kind()
	done, err := m.purger.EraseEvents(context.Background(), m.table, lifecycle.EventSelection{
		Series: kind.Series(device, "", model.Order{}), From: model.NewTime(from), To: model.NewTime(to),
	})
	before := len(m.plain.events[device])
	m.unfolded = append(m.unfolded, lists.Filter(m.plain.events[device], in)...)
	m.plain.events[device] = slices.DeleteFunc(m.plain.events[device], in)
	if want := int64(before - len(m.plain.events[device])); err != nil || done.Deleted != want {
		r.Fatalf("erase %s from %s to %s: %+v, %v; want %d deleted", device, from, to, done, err, want)
	}
}

// read reads a range in both orders, by iterator and by page, and counts it.
func (m *machine) read(r *rapid.T) {
	ctx := context.Background()
	device, from, to, in := m.anyRange(r)
	key := timeseries.Key{Subject: device}
	limit := rapid.IntRange(0, 3).Draw(r, "limit")
	where := timeseries.In(from, to)
	var want []step
	for _, s := range m.plain.events[device] {
		if in(s) {
			want = append(want, s)
		}
	}
	if n, err := m.events.Count(ctx, key, where, timeseries.Consistent()); err != nil ||
		n.Events != int64(len(want)) {
		r.Fatalf("count of %s from %s to %s: %d, %v; want %d", device, from, to, n.Events, err, len(want))
	}
	var pages []step
	for next := ""; ; {
		page, err := m.events.Page(ctx, key, where, timeseries.Consistent(), timeseries.Limit(1+limit),
			timeseries.After(next))
		if err != nil {
			r.Fatal(err)
		}
		for _, e := range page.Entries {
			pages = append(pages, e.Value)
		}
		if next = page.Next; next == "" {
			break
		}
	}
	if !slices.EqualFunc(pages, want, equalSteps) {
		r.Fatalf("pages of %s from %s to %s: %+v, want %+v", device, from, to, pages, want)
	}
	slices.Reverse(want)
	if limit > 0 {
		want = want[:min(limit, len(want))]
	}
	var got []step
	for s, err := range m.events.History(ctx, key, where, timeseries.Newest(), timeseries.Limit(limit),
		timeseries.Consistent()) {
		if err != nil {
			r.Fatal(err)
		}
		got = append(got, s)
	}
	if !slices.EqualFunc(got, want, equalSteps) {
		r.Fatalf("newest %d of %s from %s to %s: %+v, want %+v", limit, device, from, to, got, want)
	}
}

// compare compares latest items and histories, and now and then the rollups.
func (m *machine) compare(r *rapid.T) {
	ctx := context.Background()
	fold := rapid.IntRange(0, 4).Draw(r, "fold") == 0
	if fold && m.memory != nil {
		m.memory.Fold(m.events.Kind())
		for _, s := range m.unfolded {
			m.follow(s, nil)
		}
		m.unfolded = nil
	}
	for _, device := range m.devices {
		key := timeseries.Key{Subject: device}
		latest, err := m.events.Latest(ctx, key, timeseries.Consistent())
		if want := m.stored(device); err != nil || !equalLatest(latest, want) {
			r.Fatalf("latest of %s: %+v, %v; want %+v", device, latest, err, want)
		}
		var got []step
		for s, err := range m.events.History(ctx, key, timeseries.Consistent()) {
			if err != nil {
				r.Fatal(err)
			}
			got = append(got, s)
		}
		if want := m.plain.events[device]; !slices.EqualFunc(got, want, equalSteps) {
			r.Fatalf("history of %s: %+v, want %+v", device, got, want)
		}
		if fold {
			m.compareRollups(r, key)
		}
	}
}

func equalSteps(a, b step) bool {
	return a.At.Equal(b.At) && a.Device == b.Device && a.ID == b.ID && same(a, b) && a.Account == b.Account
}

func equalLatest(a, b *step) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.At.Equal(b.At) && a.Place == b.Place && a.Value == b.Value && a.Account == b.Account && a.ID == b.ID
}

func (m *machine) compareRollups(r *rapid.T, key timeseries.Key) {
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		want := map[string]string{}
		sums, counts := map[string]int{}, map[string]int{}
		for _, s := range m.plain.events[key.Subject] {
			label := unit.BucketAt(model.NewTime(s.At)).Label()
			sums[label], counts[label] = sums[label]+s.Value, counts[label]+1
			want[label] = fmt.Sprint(counts[label], " ", sums[label], " true")
		}
		got := map[string]string{}
		found, err := m.events.Rollups(context.Background(), key, unit, timeseries.Consistent())
		if err != nil || len(found.Missing) > 0 {
			r.Fatal(found.Missing, err)
		}
		for _, rollup := range found.Rollups {
			if v := rollup.Measure("value"); v.Count > 0 {
				got[rollup.Bucket.Label()] = fmt.Sprint(v.Count, " ", v.Sum, " ", rollup.Exact)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			r.Fatalf("%ss of %s: %v, want %v", unit, key.Subject, got, want)
		}
	}
}

// Every outcome and everything that is read agrees with a plain model, in random programs over
// the public API, with busy tables and lost responses.
func TestPrograms_AgreeWithAPlainModel(t *testing.T) {
	t.Parallel()
	for done := 0; done < programs() && !t.Failed(); done += 100 {
		t.Run(fmt.Sprint(done), rapid.MakeCheck(func(r *rapid.T) {
			table := timeseriestest.New(t, today)
			r.Repeat(newMachine(r, table, table.Options(), "").actions())
		}))
	}
}

func TestMain(m *testing.M) { ddbtest.Main(m) }

// programTime is how long programs run on DynamoDB Local.
func programTime() time.Duration {
	if testenv.Long() {
		return 30 * time.Second
	}
	return 5 * time.Second
}

// The same programs on DynamoDB Local, where reads fold the rollups of open buckets. Programs on
// one table have devices of their own. make programs runs as many as -rapid.checks says.
func TestPrograms_AgreeWithAPlainModelOnDynamoDB(t *testing.T) {
	t.Parallel()
	client, err := dynamo.NewClient(t.Context(), "", ddbtest.ForTest(t).Endpoint)
	if err != nil {
		t.Fatal(err)
	}
	table := dynamo.New(client, "programs-"+rand.Text())
	if err := table.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	now := time.Now().UTC().Truncate(time.Minute)
	end, n := time.Now().Add(programTime()), 0
	program := func(r *rapid.T) {
		n++
		r.Repeat(newMachine(r, table, &timeseries.Options{Now: func() time.Time { return now }},
			rand.Text()).actions())
	}
	defer func() { t.Logf("%d programs", n) }()
	if os.Getenv("TIDEMARK_PROGRAMS") != "" {
		rapid.Check(t, program)
		return
	}
	for time.Now().Before(end) && !t.Failed() {
		t.Run(fmt.Sprint(n), rapid.MakeCheck(func(r *rapid.T) {
			if time.Now().Before(end) {
				program(r)
			}
		}))
	}
}
