package aggregate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// followed is short, so that some sessions of a history are followed no longer.
const followed = 3 * time.Hour

var click = catalog.Kind{
	Name: "CLICK", Subject: catalog.SubjectType{Name: "SITE"}, Latest: catalog.NoLatest, Shards: 2,
	Retention: tier.Policy{Raw: 30 * tier.Day24},
}

var buy = catalog.Kind{Name: "BUY", Subject: click.Subject, Latest: catalog.NoLatest, Shards: 2,
	Retention: hourly()}

func hourly() tier.Policy {
	p := tier.Standard().Defer()
	p.Tiers = p.Tiers[:1]
	return p
}

// goals are met by a click, by an event of another kind, by a duration, and by events in order.
func goals() []goal.Goal {
	x := goal.Step{Of: "CLICK", Where: []goal.Match{{Field: "page", Pattern: "/x"}}}
	return []goal.Goal{
		{Name: "x", Steps: []goal.Step{x}},
		{Name: "buy", Steps: []goal.Step{{Of: "BUY"}}, Value: "amount"},
		{Name: "stay", MinDuration: 20 * time.Minute},
		{Name: "both", Steps: []goal.Step{x, {Of: "BUY"}}},
	}
}

// visit has sessions of clicks, in hours, days and months with this grace after the gap.
func visit(grace, jitter time.Duration) catalog.Kind {
	kind := catalog.Kind{
		Name: "VISIT", Subject: click.Subject, Latest: catalog.NoLatest, Retention: tier.Standard().Defer(),
		Sessions: &catalog.Sessions{
			Of: "CLICK", By: "who", Gap: 30 * time.Minute, Follow: followed,
			First: []catalog.SessionField{{Name: "entry", Of: "page"}}, Last: []catalog.SessionField{{Name: "exit", Of: "page"}},
		},
		Dimensions: []rollup.DimensionSpec{{Name: "entry"}, {Name: "exit"}},
		Goals:      goals(),
	}
	kind.Retention.Jitter = jitter
	for level := range kind.Retention.Tiers {
		kind.Retention.Tiers[level].Grace = 30*time.Minute + grace
	}
	return kind
}

// visits is a history of clicks: processes and sweeps take turns, request by request.
type visits struct {
	*closing
	click, buy *catalog.Kind
	site       string
	live       *query.Live
}

func newVisits(t *testing.T, draw *rand.Rand, grace, jitter time.Duration) *visits {
	t.Helper()
	kinds, err := catalog.New(click, visit(grace, jitter), buy)
	if err != nil {
		t.Fatal(err)
	}
	v := &visits{closing: &closing{world: newWorldWith(t, click), draw: draw, acked: map[model.Time]int{}},
		click: &kinds.Kinds[0], buy: &kinds.Kinds[2]}
	v.agg.Catalog = kinds
	v.kind = &kinds.Kinds[1]
	v.at("site")
	v.live = &query.Live{Store: v.table, Watermarks: v.table, Kind: query.CatalogKinds(kinds), Now: v.now}
	return v
}

// at makes a site the one that what follows is about.
func (v *visits) at(site string) { v.site, v.series = site, v.kind.Series(site, "", model.Order{}) }

// change appends, corrects or deletes a click, whose time is on a grid of ten minutes.
func (v *visits) change(at model.Time, who, page string) {
	v.t.Helper()
	v.store(v.click, model.Order{At: at, ID: who}, model.Attrs{{Name: "page", Value: model.TextValue(page)},
		{Name: "who", Value: model.TextValue(who)}}, page == "")
}

// clickAt stores a click of one visitor at each of some minutes after noon, when it is that time.
func (v *visits) clickAt(minutes ...int) {
	for _, minute := range minutes {
		v.setNow(noon.Add(time.Duration(minute) * time.Minute))
		v.change(v.now(), "a", "/")
	}
}

// changeBuy appends, corrects or deletes an event of a goal. A correction may be of its visitor.
func (v *visits) changeBuy(at model.Time, id, who string, amount int64) {
	v.t.Helper()
	v.store(v.buy, model.Order{At: at, ID: id}, model.Attrs{{Name: "amount", Value: model.NumberValue(
		model.NewDecimal(amount))}, {Name: "who", Value: model.TextValue(who)}}, amount == 0)
}

func (v *visits) store(kind *catalog.Kind, o model.Order, attrs model.Attrs, remove bool) {
	v.t.Helper()
	e := model.Event{
		Series: kind.Series(v.site, "", o), Order: o, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: v.now(), ExpiresAt: kind.Retention.EventExpiresAt(v.now()),
	}
	stored, err := storage.Event(v.ctx(), v.table, e.Key())
	switch {
	case err != nil:
	case stored == nil:
		_, err = v.table.Put(v.ctx(), e)
	case remove:
		_, err = v.table.DeleteEvent(v.ctx(), e.Key(), v.now())
	default:
		_, err = v.table.CorrectEvent(v.ctx(), e, v.now())
	}
	if err != nil {
		v.t.Fatal(err)
	}
	v.queue()
}

// queue queues the records of the table stream, some without images.
func (v *visits) queue() {
	records := v.table.Records(v.seen)
	changes := decodeChanges(records)
	v.seen += uint64(len(records))
	for i := range changes {
		for _, r := range records {
			if fmt.Sprint(r.Seq) == changes[i].Seq && v.draw.IntN(4) > 0 {
				changes[i].Before, changes[i].After = imageIn(r.Old), imageIn(r.New)
			}
		}
	}
	v.queued = append(v.queued, changes...)
}

func imageIn(it item.Item) *model.Event {
	if it == nil {
		return nil
	}
	e, _ := item.Event(it)
	return &e
}

// said is what is compared of a row of sessions.
type said struct {
	begun, carried, views, duration, bounces int64
	x, buy, amount, stay, both1, both        int64 // of goals
}

func saidBy(r *rollup.Fold) said {
	sum := func(name string) int64 {
		m, _ := r.Summary.Measure(name)
		return int64(m.Sum.Float64())
	}
	return said{
		begun: r.Summary.Events(), carried: r.Continuation.Carried, views: sum("views"),
		duration: sum("duration"), bounces: sum("bounce"), x: sum("goal_x"), buy: sum("goal_buy"),
		amount: sum("goal_buy_value"), stay: sum("goal_stay"), both1: sum("goal_both_1"),
		both: sum("goal_both"),
	}
}

// recountVisits counts the sessions of an hour or a day from the stored events.
func (v *visits) recountVisits(b tier.Bucket) (s said, any bool) {
	clicks, buys := map[string][]model.Event{}, map[string][]model.Event{}
	for _, it := range v.items() {
		if e, err := item.Event(it); err == nil && e.Series.Subject.ID == v.site {
			who, _ := e.Attrs.Get("who")
			all := map[string]map[string][]model.Event{"CLICK": clicks, "BUY": buys}[e.Series.Kind]
			all[who.Text] = append(all[who.Text], e)
		}
	}
	for who, all := range clicks {
		slices.SortFunc(all, func(x, y model.Event) int { return x.Compare(y.Order) })
		for i, first := range all {
			any = any || b.Contains(first.At)
			begins := i == 0 || first.At.Sub(all[i-1].At) > 30*time.Minute
			switch {
			case !b.Contains(first.At):
			case begins:
				s.add(first.At, all[i:], buys[who])
			case all[i-1].At < b.Start:
				s.carried++
			}
		}
	}
	return s, any
}

// add adds the session that begins with the first of some clicks.
func (s *said) add(begin model.Time, clicks, buys []model.Event) {
	one := func(is bool) int64 { return map[bool]int64{true: 1}[is] }
	until := tier.Hour.BucketAt(begin).End.Add(followed)
	n := int64(0)
	last := begin
	end := begin
	x := model.MaxTime
	for _, c := range clicks {
		if c.At.Sub(end) > 30*time.Minute {
			break
		}
		if end = c.At; end < until {
			n, last = n+1, end
			if page, _ := c.Attrs.Get("page"); page.Text == "/x" {
				x = min(x, c.At)
			}
		}
	}
	bought, both := false, false
	for _, e := range buys {
		if e.At >= begin && e.At < until && e.At.Sub(end) <= 30*time.Minute {
			amount, _ := e.Attrs.Get("amount")
			s.amount += int64(amount.Number.Float64())
			bought, both = true, both || x <= e.At
		}
	}
	s.begun++
	s.views += n
	s.duration += last.Sub(begin).Milliseconds()
	s.bounces += one(n == 1)
	s.x += one(x < model.MaxTime)
	s.buy += one(bought)
	s.stay += one(last.Sub(begin) >= 20*time.Minute)
	s.both1, s.both = s.both1+one(x < model.MaxTime), s.both+one(both)
}

// check fails where a reader's row of a bucket that has settled differs from a recount, or an open
// one in the number of sessions.
func (v *visits) check(hour model.Time) {
	v.t.Helper()
	service := &query.Service{Store: v.live, Now: v.now}
	for _, unit := range []tier.Unit{tier.Hour, tier.Day} {
		b := unit.BucketAt(hour)
		want, any := v.recountVisits(b)
		page, err := service.Rollups(v.ctx(),
			query.Rollups{Series: query.Series{Kind: v.kind, Subject: v.site}, Unit: unit, From: b.Start, To: b.End})
		if err != nil || any != (len(page.Rollups) == 1) {
			v.t.Fatalf("%s: %d rows, %v; has clicks: %v", b, len(page.Rollups), err, any)
		}
		if !any {
			continue
		}
		r := page.Rollups[0]
		got := saidBy(&r.Fold)
		if r.Open {
			got, want = said{begun: got.begun, carried: got.carried}, said{begun: want.begun, carried: want.carried}
		}
		if got != want || !r.Exact {
			v.t.Fatalf("%s at %s, open %v, exact %v: %+v, want %+v", b, v.now(), r.Open, r.Exact, got, want)
		}
	}
}

// run plays a history of clicks around some hours, with late ones.
func (v *visits) run(begin model.Time) {
	hours := []model.Time{begin, begin.Add(time.Hour), begin.Add(2 * time.Hour)}
	for range 100 + v.draw.IntN(60) {
		slot := v.now()/600_000*600_000 - model.Time(600_000*[]int{0, 0, 1, 2, 3, 6, 12}[v.draw.IntN(7)])
		who := []string{"a", "b"}[v.draw.IntN(2)]
		switch what := v.draw.IntN(16); {
		case what < 3:
			v.change(slot, who, []string{"/", "/x", "/", "/x", ""}[v.draw.IntN(5)])
		case what > 13:
			v.changeBuy(slot, []string{"A", "z"}[v.draw.IntN(2)], who, int64(v.draw.IntN(4)))
		case what == 3 || len(v.queued) > 8:
			v.deliver()
		case what == 4 && len(v.running) < 3:
			v.startSweep()
		case what == 5:
			v.advance(time.Duration(v.draw.IntN(12)) * time.Minute)
		case what == 6:
			v.advance(time.Duration(v.draw.IntN(100)) * time.Second)
		}
		for range v.draw.IntN(6) {
			v.step()
		}
		if len(v.running) == 0 && len(v.queued) == 0 {
			v.check(hours[v.draw.IntN(3)])
		}
	}
	v.settle(hours)
}

// step lets one process make a request.
func (v *visits) step() {
	if len(v.running) == 0 {
		return
	}
	i := v.draw.IntN(len(v.running))
	if p := v.running[i]; !p.step() {
		v.running = append(v.running[:i], v.running[i+1:]...)
		p.ended()
	}
}

// settle processes all changes, and then sweeps until every row has settled.
func (v *visits) settle(hours []model.Time) {
	for len(v.running) > 0 || len(v.queued) > 0 {
		if len(v.running) == 0 {
			v.deliver()
		}
		v.step()
	}
	for range 16 {
		v.check(hours[v.draw.IntN(3)])
		v.advance(2 * time.Hour)
		if _, err := v.agg.Sweep(v.ctx(), storage.FirstGeneration.Shard(v.series)); err != nil {
			v.t.Fatal(err)
		}
		v.live = &query.Live{Store: v.table, Watermarks: v.table, Kind: v.live.Kind, Now: v.now}
	}
	for _, hour := range hours {
		v.check(hour)
		if row := v.row(tier.Hour, hour.String()); row != nil && row.Continuation.Settles > v.now() {
			v.t.Errorf("%s settles at %s", hour, row.Continuation.Settles)
		}
	}
}

func (v *visits) startSweep() {
	v.start(func(ctx context.Context, on store) bool {
		_, err := v.skewed(on).Sweep(ctx, storage.FirstGeneration.Shard(v.series))
		return err == nil
	}, func() {})
}

// Whatever the interleaving and however late a change, readers see the sessions of a recount when
// all changes are processed: of stored rows as soon as they have settled.
func TestSessions_AnyInterleavingEqualsARecount(t *testing.T) {
	histories := uint64(25)
	if testenv.Long() {
		histories = 150
	}
	for seed := range histories {
		draw := rand.New(rand.NewPCG(seed, 7))
		v := newVisits(t, draw, []time.Duration{3, 5, 15}[draw.IntN(3)]*time.Minute,
			[]time.Duration{0, 100 * time.Second}[draw.IntN(2)])
		begin := at([]string{"2026-03-10T22:00:00Z", "2026-03-10T23:00:00Z", "2026-03-31T22:00:00Z"}[draw.IntN(3)])
		v.setNow(begin.Add(time.Duration(draw.IntN(60)) * time.Minute))
		v.run(begin)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestSessions_AreFoldedAgainWhenTheyHaveEnded(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	for minute := 0; minute <= 150; minute += 30 { // one session, from 12:00 to 14:30
		v.setNow(noon.Add(time.Duration(minute) * time.Minute))
		v.change(v.now(), "a", "/")
		if report := v.processAll(v.queued); report.Walks != 0 {
			t.Errorf("at minute %d: %d walks, want none for a change in time", minute, report.Walks)
		}
		v.queued = nil
	}
	v.setNow(at("2026-03-10T13:40:00Z"))
	if _, err := v.agg.Sweep(t.Context(), storage.FirstGeneration.Shard(v.series)); err != nil {
		t.Fatal(err)
	}
	first := v.row(tier.Hour, "2026-03-10T12:00:00Z")
	queue, err := v.table.Invalidations(t.Context(), storage.FirstGeneration.Shard(v.series), model.MaxTime, "")
	if err != nil {
		t.Fatal(err)
	}
	settles := at("2026-03-10T15:05:00Z") // two hours after the bucket, and the grace
	if first.Continuation.Settles != settles ||
		!slices.Contains(queue.Invalidations, storage.FirstGeneration.Invalidation(settles, first.Key)) {
		t.Errorf("the row settles at %s, the queue is %v; want it there at %s", first.Continuation.Settles,
			queue.Invalidations, settles)
	}
	v.check(noon)
	if !v.readsOpen(noon) {
		t.Error("a closed row whose session goes on is read as complete")
	}
	v.setNow(at("2026-03-10T15:10:00Z"))
	if !v.readsOpen(noon) {
		t.Error("a row is read as complete before the sweep that folds it again")
	}
	if _, err := v.agg.Sweep(t.Context(), storage.FirstGeneration.Shard(v.series)); err != nil {
		t.Fatal(err)
	}
	if got, want := saidBy(&v.row(tier.Hour, "2026-03-10T12:00:00Z").Fold),
		(said{begun: 1, views: 6, duration: 9_000_000, stay: 1}); got != want {
		t.Errorf("after its end the session is %+v, want %+v", got, want)
	}
	if v.readsOpen(noon) {
		t.Error("a row is read as open after all its sessions have ended")
	}
}

// readsOpen reports whether a new reader's row of an hour says that its sessions may go on.
func (v *visits) readsOpen(hour model.Time) bool {
	v.t.Helper()
	service := &query.Service{Store: &query.Live{Store: v.table, Watermarks: v.table, Kind: v.live.Kind,
		Now: v.now}, Now: v.now}
	page, err := service.Rollups(v.ctx(), query.Rollups{Series: query.Series{Kind: v.kind, Subject: "site"},
		Unit: tier.Hour, From: hour, To: hour + 1})
	if err != nil || len(page.Rollups) != 1 {
		v.t.Fatalf("%d rows, %v", len(page.Rollups), err)
	}
	return page.Rollups[0].Open
}

// A walk that cannot read fails its change, and none before it.
func TestSessions_AWalkWithoutAResponseFailsItsChange(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.setNow(noon)
	v.change(noon, "a", "/")
	v.setNow(noon.Add(time.Minute))
	v.change(noon.Add(-60*time.Minute), "a", "/")
	v.change(noon.Add(-70*time.Minute), "a", "/") // walked first, together with the change before
	v.agg.Store = noEvents{v.table}
	report := v.agg.Process(t.Context(), v.queued)
	if len(report.Failures) == 0 || report.Failures[0].Change != 1 {
		t.Errorf("failures %v, want the first late change", report.Failures)
	}
}

// noEvents is a store that cannot read events.
type noEvents struct{ store }

func (noEvents) Events(context.Context, storage.Range) (storage.EventPage, error) {
	return storage.EventPage{}, fmt.Errorf("no response")
}

// A change near the end of the retention may meet rows around it whose clicks have expired: what
// it cannot count any more is inexact, and what it does not touch stays exact.
func TestSessions_AreInexactWhereANeighbourMayHaveExpired(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.clickAt(50, 70, 200) // a session over the hour, and another one
	v.processAll(v.queued)
	v.queued = nil
	v.setNow(noon.Add(24 * time.Hour))
	v.sweep()
	// The first click expires in less than an hour: its row is sealed.
	v.setNow(noon.Add(50*time.Minute + 30*tier.Day24 - 30*time.Minute))
	v.change(noon.Add(80*time.Minute), "a", "/")
	v.processAll(v.queued)
	for hour, exact := range map[string]bool{"2026-03-10T12:00:00Z": false, "2026-03-10T13:00:00Z": false,
		"2026-03-10T15:00:00Z": true} {
		if row := v.row(tier.Hour, hour); row == nil || row.Empty || row.Exact != exact {
			t.Errorf("%s: %+v, want exact %v", hour, row, exact)
		}
	}
	if got := saidBy(&v.row(tier.Hour, "2026-03-10T12:00:00Z").Fold); got.views != 2 {
		t.Errorf("the sealed row has %d views, want the 2 that it had", got.views)
	}
}

// The first click of an hour is late, and the session that it is part of may have gone on over the
// edge of the hour with a click that has expired.
func TestSessions_AreInexactInANewRowNextToAnExpiredClick(t *testing.T) {
	for name, c := range map[string]struct {
		expired, late int // minutes after noon
		exact         bool
	}{
		"before the hour": {50, 70, false},
		"after the hour":  {70, 50, false},
		"long before":     {20, 70, true},
		"hours after":     {130, 50, true},
		"a gap before":    {30, 60, false},
		"longer before":   {29, 60, true},
		"a gap after":     {60, 30, false},
		"longer after":    {60, 29, true},
	} {
		v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
		v.setNow(noon.Add(time.Duration(c.expired) * time.Minute))
		v.change(v.now(), "a", "/")
		v.processAll(v.queued)
		v.setNow(noon.Add(24 * time.Hour))
		v.sweep()
		v.setNow(noon.Add(30*tier.Day24 + 3*time.Hour))
		if n := v.table.Expire(v.now()); n != 1 {
			t.Fatalf("%d clicks expired, want one", n)
		}
		v.queued, v.seen = nil, v.seen+uint64(len(v.table.Records(v.seen)))
		late := noon.Add(time.Duration(c.late) * time.Minute)
		v.change(late, "a", "/")
		v.processAll(v.queued)
		if row := v.row(tier.Hour, tier.Hour.BucketAt(late).Start.String()); row == nil || row.Empty ||
			row.Exact != c.exact {
			t.Errorf("%s: %+v, want a row, exact %v", name, row, c.exact)
		}
	}
}

// A click after the end of the retention makes a session of which an event of a goal may have
// expired: whether the session met the goal is not known.
func TestSessions_AreInexactWhereAnEventOfAGoalMayHaveExpired(t *testing.T) {
	for name, c := range map[string]struct {
		bought int // minute after noon
		exact  bool
	}{
		"in the session":     {65, false},
		"in the hour":        {10, false},
		"in the hour before": {-10, true},
		"hours later":        {200, true},
	} {
		v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
		v.setNow(noon.Add(time.Duration(c.bought) * time.Minute))
		v.changeBuy(v.now(), "1", "a", 5)
		v.processAll(v.queued)
		v.setNow(noon.Add(24 * time.Hour))
		v.sweepAll()
		v.setNow(noon.Add(30 * tier.Day24).Add(4 * time.Hour))
		if n := v.table.Expire(v.now()); n != 1 {
			t.Fatalf("%d events expired, want one", n)
		}
		v.queued, v.seen = nil, v.seen+uint64(len(v.table.Records(v.seen)))
		v.change(noon.Add(50*time.Minute), "a", "/")
		v.processAll(v.queued)
		if row := v.row(tier.Hour, "2026-03-10T12:00:00Z"); row == nil || row.Empty || row.Exact != c.exact {
			t.Errorf("bought %s: %+v, want a row, exact %v", name, row, c.exact)
		}
	}
}

// sweepAll sweeps the queue shards of the sessions and of the events of goals.
func (v *visits) sweepAll() {
	v.t.Helper()
	for _, s := range []model.Series{v.series, v.buy.Series("site", "", model.Order{}).WithoutShard()} {
		if _, err := v.agg.Sweep(v.ctx(), storage.FirstGeneration.Shard(s)); err != nil {
			v.t.Fatal(err)
		}
	}
}

// The first click of a session has expired, so a late change cannot be walked back to it. Its row
// says that it may miss the change.
func TestSessions_AreInexactWhereTheChainToALateChangeHasExpired(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.clickAt(40, 65)
	v.processAll(v.queued)
	v.setNow(noon.Add(24 * time.Hour))
	v.sweep()
	v.setNow(noon.Add(66*time.Minute + 30*tier.Day24))
	if n := v.table.Expire(v.now()); n != 2 {
		t.Fatalf("%d clicks expired, want both", n)
	}
	v.queued, v.seen = nil, v.seen+uint64(len(v.table.Records(v.seen)))
	v.change(noon.Add(90*time.Minute), "a", "/")
	v.processAll(v.queued)
	for _, hour := range []string{"2026-03-10T12:00:00Z", "2026-03-10T13:00:00Z"} {
		if row := v.row(tier.Hour, hour); row == nil || row.Empty || row.Exact {
			t.Errorf("%s: %+v, want a row that is inexact", hour, row)
		}
	}
}

// slowPut lets something happen while the first invalidation is put.
type slowPut struct {
	store
	during func()
}

func (s *slowPut) PutInvalidations(
	ctx context.Context, these []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	left, result, err := s.store.PutInvalidations(ctx, these)
	if during := s.during; during != nil {
		s.during = nil
		during()
	}
	return left, result, err
}

// A row is not written by a fold whose sessions have ended since: it is folded again.
func TestSessions_AreFoldedAgainIfTheyEndWhileTheInvalidationIsPut(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.clickAt(50, 70)
	v.processAll(v.queued)
	v.setNow(at("2026-03-10T13:45:00Z")) // the hour has closed, and settles at 14:05
	v.on(&slowPut{store: v.table, during: func() {
		v.setNow(at("2026-03-10T14:10:00Z"))
		v.change(at("2026-03-10T13:38:00Z"), "a", "/")
	}})
	v.sweep()
	if got := saidBy(&v.row(tier.Hour, "2026-03-10T12:00:00Z").Fold); got.views != 3 {
		t.Errorf("the row has %d views, want the one of during the put too", got.views)
	}
}

// A process that dies between the two requests leaves an invalidation without a row, and no row that is never
// folded again.
func TestSessions_PutTheInvalidationBeforeTheRow(t *testing.T) {
	v := newVisits(t, rand.New(rand.NewPCG(1, 1)), 5*time.Minute, 0)
	v.clickAt(50, 70)
	v.processAll(v.queued)
	v.setNow(at("2026-03-10T13:45:00Z")) // the hour has closed, and settles at 14:05
	puts := 0
	v.on(&slowPut{store: v.table, during: func() {
		puts++
		if row := v.row(tier.Hour, "2026-03-10T12:00:00Z"); row != nil {
			t.Errorf("the row was written before its invalidation: %+v", row)
		}
	}})
	v.sweep()
	if row := v.row(tier.Hour, "2026-03-10T12:00:00Z"); puts != 1 || row == nil {
		t.Errorf("%d puts seen, row %+v; want one before the row", puts, row)
	}
}
