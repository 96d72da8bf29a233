package aggregate_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/testenv"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

func (t *turn) Shares(ctx context.Context, bucket rollup.Key, after string) (rollup.RowPage, error) {
	if err := t.wait(); err != nil {
		return rollup.RowPage{}, err
	}
	return t.store.(*memory.Table).Shares(ctx, bucket, after)
}

func (t *turn) Memberships(ctx context.Context, subject model.Subject) (storage.Memberships, error) {
	if err := t.wait(); err != nil {
		return storage.Memberships{}, err
	}
	return t.store.(*memory.Table).Memberships(ctx, subject)
}

func (t *turn) SubjectSeries(
	ctx context.Context, subject model.Subject, after string,
) ([]storage.ListedSeries, string, error) {
	if err := t.wait(); err != nil {
		return nil, "", err
	}
	return t.store.(*memory.Table).SubjectSeries(ctx, subject, after)
}

// byHall is a kind with groups by a field of profiles.
func byHall() catalog.Kind {
	k := deferred(gauge, 0)
	k.Groups = []string{"profile.hall"}
	k.Subject.Profile = &catalog.Profile{Declared: []catalog.ProfileField{{Name: "hall"}}}
	return k
}

// hall returns the fields of a profile; "" is a profile that was deleted.
func hall(name string) model.Attrs {
	return withoutEmpty(model.Attr{Name: "hall", Value: model.TextValue(name)}, name)
}

func withoutEmpty(a model.Attr, text string) model.Attrs {
	if text == "" {
		return nil
	}
	return model.Attrs{a}
}

// log returns the stored log of a member's groups.
func (f *fleet) log() *storage.Memberships {
	f.t.Helper()
	m, err := f.table.Memberships(f.ctx(), f.series.Subject)
	if err != nil {
		f.t.Fatal(err)
	}
	return &m
}

// move is a change of a profile: its time is when the log was read, and it may be stored later.
type move struct{ was, next *storage.Memberships }

func (f *fleet) planMove(to string) move {
	f.t.Helper()
	was := f.log()
	next, _, err := was.Moved([]string{"hall"}, hall(to), f.now(), tier.Forever)
	if err != nil {
		f.t.Fatal(err)
	}
	return move{was, next}
}

// storeMove stores a change of a profile unless another one was stored since the log was read.
func (f *fleet) storeMove(m move) {
	f.t.Helper()
	if len(f.log().Log) != len(m.was.Log) || len(m.next.Log) == len(m.was.Log) {
		return
	}
	result, err := f.table.PutAll(f.ctx(), []itemop.Put{{Item: item.FromMemberships(m.next)}})
	if err != nil || result != storage.Written {
		f.t.Fatal(result, err)
	}
	f.logs[m.next.Subject] = *m.next
}

func (f *fleet) moveTo(to string) { f.storeMove(f.planMove(to)) }

// delivered returns the changes since the last call, of events and of logs.
func (f *fleet) delivered() (all []storage.Change) {
	for _, r := range f.table.Records(f.seen) {
		f.seen = r.Seq
		if m, err := item.Memberships(r.New); err == nil {
			key := model.EventKey{Series: model.Series{Subject: m.Subject}, Order: model.Order{At: m.Newest()}}
			all = append(all, storage.Change{
				Type: storage.Moved, Key: key, Groups: &m, Seq: fmt.Sprint(r.Seq), At: r.At,
			})
		}
		all = append(all, decodeChanges([]memory.Record{r})...)
	}
	return all
}

func (f *fleet) wantHall(id, when string, count int64) {
	f.t.Helper()
	row, got := f.groupRow("GAUGE_BY_PROFILE_HALL", id, tier.Hour, when), int64(0)
	if row != nil && !row.Empty {
		got = row.Summary.Events()
	}
	if got != count || row != nil && !row.Exact {
		f.t.Errorf("hour %s of hall %s: %d events, want %d; row %+v", when, id, got, count, row)
	}
}

func TestMoves_CountFromTheNextBucketOn(t *testing.T) {
	t.Parallel()
	f := newFleet(t, byHall())
	for _, hour := range []string{"11", "12", "13", "14", "15", "16"} {
		f.setNow(at("2026-03-10T" + hour + ":30:00Z"))
		switch hour {
		case "12":
			f.moveTo("north")
		case "14":
			f.moveTo("south")
			f.moveTo("west") // of two within an hour, the later one counts
		case "15":
			f.moveTo("") // the profile is deleted
		}
		f.send(f.member("d1", "2026-03-10T"+hour+":01:00Z", "x", "1"))
		f.processAll(f.delivered())
	}
	f.sweepAll(at("2026-03-13T12:00:00Z"))
	f.wantRecount(3)
	f.wantHall("north", "2026-03-10T12:00:00Z", 0)
	f.wantHall("north", "2026-03-10T13:00:00Z", 1)
	f.wantHall("north", "2026-03-10T14:00:00Z", 1)
	f.wantHall("south", "2026-03-10T15:00:00Z", 0)
	f.wantHall("west", "2026-03-10T15:00:00Z", 1)
	f.wantHall("west", "2026-03-10T16:00:00Z", 0)
}

// A process that was suspended stores a change of a profile after hours that it concerns were recomputed.
func TestMoves_AStragglerMovesTheBucketsThatHaveClosed(t *testing.T) {
	t.Parallel()
	f := newFleet(t, byHall())
	f.setNow(at("2026-03-10T11:30:00Z"))
	f.moveTo("north")
	late := f.planMove("south")
	for _, when := range []string{"2026-03-10T11:31:00Z", "2026-03-10T12:01:00Z", "2026-03-10T13:01:00Z"} {
		f.setNow(at(when))
		f.send(f.member("d1", when, "x", "1"))
		f.processAll(f.delivered())
	}
	f.sweepAll(at("2026-03-10T15:00:00Z"))
	f.wantHall("north", "2026-03-10T12:00:00Z", 1)
	f.storeMove(late)
	f.processAll(f.delivered())
	f.sweepAll(at("2026-03-13T12:00:00Z"))
	f.wantHall("north", "2026-03-10T12:00:00Z", 0)
	f.wantHall("south", "2026-03-10T12:00:00Z", 1)
	f.wantHall("south", "2026-03-10T13:00:00Z", 1)
	f.wantRecount(2)
}

// A recount wrote a share and stopped before the row that would remember it. A purge removes the events,
// whose records name no group: the log does, until it expires with the lock.
func TestMoves_ThePurgedLogNamesTheShareOfAStoppedRecount(t *testing.T) {
	t.Parallel()
	f := newFleet(t, byHall())
	f.setNow(at("2026-03-10T11:30:00Z"))
	f.moveTo("north")
	f.setNow(at("2026-03-10T12:05:00Z"))
	e := f.member("d1", "2026-03-10T12:01:00Z", "x", "1")
	f.send(e)
	inserted := f.delivered()
	f.setNow(at("2026-03-10T14:00:00Z"))
	f.on(stopsAtRow{f.table})
	if report := f.agg.Process(f.ctx(), inserted); len(report.Failures) == 0 || report.Shares != 1 {
		t.Fatalf("%+v", report)
	}
	f.on(f.table)
	expiring := *f.log()
	expiring.ExpiresAt = f.now().Add(tier.Day24).Seconds()
	if _, err := f.table.PutAll(f.ctx(), []itemop.Put{{Item: item.FromMemberships(&expiring)}}); err != nil {
		t.Fatal(err)
	}
	f.deleteEvent(e.Key())
	f.processAll(f.delivered()[1:]) // without the log's own record, which is of no move
	f.sweepAll(at("2026-03-13T12:00:00Z"))
	f.wantHall("north", "2026-03-10T12:00:00Z", 0)
}

// during is a table in which something happens once while a process uses it.
type during struct {
	*memory.Table
	// before the first series is listed, after the first log is read, before the first row is written
	list, members, write func()
	stops                bool // before the row of a member
}

func once(do *func()) {
	if now := *do; now != nil {
		*do = nil
		now()
	}
}

func (d *during) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	once(&d.list)
	return d.Table.PutAll(ctx, puts)
}

func (d *during) Memberships(ctx context.Context, s model.Subject) (storage.Memberships, error) {
	m, err := d.Table.Memberships(ctx, s)
	once(&d.members)
	return m, err
}

func (d *during) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	once(&d.write)
	if d.stops && row.Key.Member == "" && row.Key.Series.Kind == gauge.Name {
		return 0, errStopped
	}
	return d.Table.PutRow(ctx, row, prev)
}

// straggling is a member in north with an event in an hour that has closed, of whose insert the record is
// returned, and late changes of its profile whose time is before that hour.
func straggling(t *testing.T, to ...string) (f *fleet, inserted []storage.Change, late []move) {
	t.Helper()
	f = newFleet(t, byHall())
	f.setNow(at("2026-03-10T11:30:00Z"))
	f.moveTo("north")
	late = append(late, f.planMove(to[0]))
	for _, id := range to[1:] {
		next, _, err := late[len(late)-1].next.Moved([]string{"hall"}, hall(id), f.now(), tier.Forever)
		if err != nil {
			t.Fatal(err)
		}
		late = append(late, move{late[len(late)-1].next, next})
	}
	f.setNow(at("2026-03-10T12:05:00Z"))
	f.processAll(f.delivered())
	f.send(f.member("d1", "2026-03-10T12:01:00Z", "x", "1"))
	inserted = f.delivered()
	f.setNow(at("2026-03-10T14:00:00Z"))
	return f, inserted, late
}

// other processes changes in another process.
func (f *fleet) other(changes []storage.Change) {
	f.t.Helper()
	if report := f.process2(0, f.table).Process(f.ctx(), changes); len(report.Failures) > 0 {
		f.t.Fatal(report.Failures)
	}
}

func (f *fleet) wantHalls(north, south int64) {
	f.t.Helper()
	f.sweepAll(at("2026-03-13T12:00:00Z"))
	f.wantHall("north", "2026-03-10T12:00:00Z", north)
	f.wantHall("south", "2026-03-10T12:00:00Z", south)
}

// A recount wrote a share and stopped before the row. The record of the move names the group that was left.
func TestMoves_TheRecordNamesTheGroupBefore(t *testing.T) {
	t.Parallel()
	f, inserted, late := straggling(t, "south")
	f.on(&during{Table: f.table, stops: true})
	if report := f.agg.Process(f.ctx(), inserted); report.Shares != 1 {
		t.Fatalf("%+v", report)
	}
	f.on(f.table)
	f.storeMove(late[0])
	f.processAll(f.delivered())
	f.processAll(inserted)
	f.wantHalls(0, 1)
}

// Two moves, of which the second one undoes the first, are stored between the reads of two recounts. The
// first one read the log before it was undone, and stops before its row.
func TestMoves_TheRecordNamesTheGroupAfter(t *testing.T) {
	t.Parallel()
	f, inserted, late := straggling(t, "south", "north")
	f.storeMove(late[0])
	f.on(&during{Table: f.table, stops: true, write: func() { f.storeMove(late[1]) }})
	if report := f.agg.Process(f.ctx(), inserted); report.Shares != 1 {
		t.Fatalf("%+v", report)
	}
	f.on(f.table)
	f.processAll(f.delivered()[1:])
	f.processAll(inserted)
	f.wantHalls(1, 0)
}

// The log is read again with the events: the move was stored and processed before the revisions of the shares
// were read.
func TestMoves_TheLogIsReadAgainAfterTheShares(t *testing.T) {
	t.Parallel()
	f, inserted, late := straggling(t, "south")
	f.on(&during{Table: f.table, stops: true, members: func() {
		f.storeMove(late[0])
		f.other(inserted)
		f.other(f.delivered())
	}})
	f.agg.Process(f.ctx(), inserted)
	f.on(f.table)
	f.wantHalls(0, 1)
}

// A record of a move that finds no series was stored before the series' first recount reads the log.
func TestMoves_ASeriesIsListedBeforeItIsRecounted(t *testing.T) {
	t.Parallel()
	f, inserted, late := straggling(t, "south")
	f.on(&during{Table: f.table, list: func() {
		f.storeMove(late[0])
		f.other(f.delivered())
	}})
	f.processAll(inserted)
	f.on(f.table)
	f.wantHalls(0, 1)
}

// A recount that read the log between two moves, of which the second one undoes the first, loses the revision
// of a share, although neither move changed one.
func TestMoves_WriteUnchangedShares(t *testing.T) {
	t.Parallel()
	f, inserted, late := straggling(t, "south", "north")
	f.processAll(inserted)
	f.send(f.member("d1", "2026-03-10T12:01:00Z", "x", "2"))
	corrected := f.delivered()
	f.other(corrected)
	f.storeMove(late[0])
	f.on(&during{Table: f.table, stops: true, write: func() {
		f.storeMove(late[1])
		f.other(f.delivered())
	}})
	f.agg.Process(f.ctx(), corrected)
	f.on(f.table)
	f.wantHalls(1, 0)
}

// moving is a history of one member around the edges of hours: processes, sweeps and changes of its profile
// take turns, request by request, and each may die. A change of the profile may be stored much later than its
// time. Each reading of a clock is wrong by up to a minute.
type moving struct {
	*fleet
	draw    *rand.Rand
	planned []move
	queued  []storage.Change // records that are not acknowledged
	running []*running
}

func (m *moving) start(process func(ctx context.Context, agg *aggregate.Aggregator) bool, succeeded func()) {
	interrupt, done := -1, false
	if m.draw.IntN(3) == 0 {
		interrupt = 1 + m.draw.IntN(25)
	}
	t := newTurn(m.table, interrupt, func(ctx context.Context, on store) {
		if on.(*turn).wait() != nil {
			return // before its first request
		}
		agg := m.process2(0, on)
		agg.Now = func() model.Time {
			return m.now().Add(time.Duration(m.draw.IntN(120_001)-60_000) * time.Millisecond)
		}
		agg.Rand, agg.Limits.Concurrency = seeded(byte(m.draw.IntN(256))), 1
		done = process(ctx, agg) && ctx.Err() == nil
	})
	m.running = append(m.running, &running{t, func() {
		if done {
			succeeded()
		}
	}})
}

// deliver starts a process with the oldest records, which stay queued until they are acknowledged. Records of
// the log are of another partition, and are delivered without records of events half of the time.
func (m *moving) deliver() {
	if len(m.queued) == 0 {
		return
	}
	moves := m.draw.IntN(2) == 0
	var batch []storage.Change
	for _, c := range m.queued[:1+m.draw.IntN(len(m.queued))] {
		if c.Type == storage.Moved == moves {
			batch = append(batch, c)
		}
	}
	if len(batch) == 0 {
		return
	}
	m.start(func(ctx context.Context, agg *aggregate.Aggregator) bool {
		return len(agg.Process(ctx, batch).Failures) == 0
	}, func() {
		for _, change := range batch {
			for i, queued := range m.queued {
				if queued.Seq == change.Seq {
					m.queued = append(m.queued[:i:i], m.queued[i+1:]...)
					break
				}
			}
		}
	})
}

func (m *moving) sweep() {
	shard := storage.FirstGeneration.Shard(m.series)
	if m.draw.IntN(3) == 0 {
		shard = storage.GroupShard
	}
	m.start(func(ctx context.Context, agg *aggregate.Aggregator) bool {
		_, err := agg.Sweep(ctx, shard)
		return err == nil
	}, func() {})
}

// change stores, corrects or deletes the event of one of three hours.
func (m *moving) change() {
	hours := []string{"2026-03-10T12:10:00Z", "2026-03-10T13:10:00Z", "2026-03-10T14:10:00Z"}
	e := m.member("d1", hours[m.draw.IntN(len(hours))], "x", fmt.Sprint(m.draw.IntN(90)))
	if _, stored := m.events[e.Key()]; stored && m.draw.IntN(2) == 0 {
		m.deleteEvent(e.Key())
		return
	}
	m.send(e)
}

// Whatever the interleaving, every bucket of every group equals a recount of the events in the end.
func TestMoves_AnyInterleavingIsExact(t *testing.T) {
	t.Parallel()
	for seed := range uint64(testenv.Histories(100, 1000)) {
		m := &moving{fleet: newFleet(t, byHall()), draw: rand.New(rand.NewPCG(seed, 7))}
		m.setNow(at("2026-03-10T11:40:00Z"))
		m.run()
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func (m *moving) run() {
	for range 120 + m.draw.IntN(120) {
		switch what := m.draw.IntN(40); {
		case what == 0:
			m.planned = append(m.planned, m.planMove([]string{"north", "south", ""}[m.draw.IntN(3)]))
		case what == 1 && len(m.planned) > 0:
			m.storePlanned()
		case what == 2:
			m.change()
		case what == 3 && len(m.running) < 4:
			m.deliver()
		case what == 4 && len(m.running) < 4:
			m.sweep()
		case what == 5:
			m.advance(time.Duration(m.draw.IntN(40)) * time.Minute)
		case len(m.running) > 0:
			i := m.draw.IntN(len(m.running))
			m.step(i)
		}
		m.queued = append(m.queued, m.delivered()...)
	}
	for len(m.planned) > 0 {
		m.storePlanned()
	}
	for m.queued = append(m.queued, m.delivered()...); len(m.running) > 0 || len(m.queued) > 0; {
		if len(m.running) == 0 {
			m.deliver()
			continue
		}
		m.step(m.draw.IntN(len(m.running)))
	}
	m.sweepAll(at("2026-03-13T12:00:00Z"))
	m.wantRecount(0)
}

func (m *moving) storePlanned() {
	m.storeMove(m.planned[0])
	m.planned = m.planned[1:]
}

func (m *moving) step(i int) {
	if p := m.running[i]; !p.step() {
		m.running = append(m.running[:i], m.running[i+1:]...)
		p.ended()
	}
}
