package faults

import (
	"bytes"
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The table stream was not read for two days and keeps records for one: the records of the first
// day are lost.
func TestGap_OfMoreThan24HoursIsRepairedByARebuild(t *testing.T) {
	w := newWorld(t)
	w.writeSome(1, 100)
	w.settle()
	w.advance(time.Hour)
	w.writeSome(2, 100) // lost
	w.fresh()
	w.advance(24 * time.Hour)
	w.writeSome(3, 100)
	w.settle()
	w.wantWrong("a hundred changes were never delivered")
	w.rebuild(at(noon).Add(-21*tier.Day24), w.now())
	w.wantRecount()
}

// A rebuild of a range also repairs the coarser rows of the range.
func TestGap_RebuildOfAnHourRepairsTheDayAndTheMonth(t *testing.T) {
	w := newWorld(t)
	w.put(ten, "", "1")
	w.put(eleven, "", "5")
	w.settle()
	w.delete(ten, "")
	w.put(half, "", "9")
	w.fresh() // lost
	w.wantWrong("a deletion and an event were never delivered")
	w.rebuild(at(ten), at(eleven))
	w.wantRecount()
}

// Writes continue while a lost range is rebuilt.
func TestGap_RebuildDuringLiveTrafficLosesNothing(t *testing.T) {
	for n := range 40 {
		w := newWorld(t)
		w.put(ten, "a", "1")
		w.put(half, "b", "9")
		w.put(eleven, "c", "5")
		w.fresh() // lost
		live := w.aggregator(&faulty{store: w.Table, effect: func(r request) effect {
			if r.n == n {
				w.delete(half, "b")
				w.put(half, "d", "7")
				w.settle()
			}
			return fine
		}})
		_, err := live.Rebuild(w.ctx(), aggregate.Rebuild{Series: w.series("d"), From: at(ten), To: at(noon)})
		if err != nil {
			t.Fatalf("request %d: %v", n, err)
		}
		w.settle()
		w.wantRecount()
	}
}

// A batch was given up, and is processed after later records.
func TestRedrive_DiscardedBatchAfterLaterRecordsGivesTheSameBytes(t *testing.T) {
	w := newWorld(t)
	w.put(ten, "a", "1")
	w.put(ten, "b", "9")
	w.settle()
	w.delete(ten, "b")
	w.put(half, "c", "5")
	discarded := w.fresh()
	w.put(ten, "b", "7") // the same event again
	w.correct(half, "c", "4")
	w.advance(3 * time.Hour)
	w.settle()
	w.settleAll(discarded)
	w.wantRecount()

	w.writeSome(5, 60)
	discarded = w.fresh()
	w.writeSome(6, 60)
	w.settle()
	w.wantWrong("a batch was given up")
	for range 2 {
		w.settleAll(discarded)
		w.wantRecount()
	}
}

// A restored table has the items of one moment and an empty table stream. Records that were not
// processed at that moment are lost.
func TestRestore_RecomputingTheLast48HoursRepairsARestoredTable(t *testing.T) {
	w := newWorld(t)
	w.writeSome(1, 150)
	w.settle()
	w.advance(2 * time.Hour)
	for hour := range 4 {
		k := w.key("d0", noon, "fresh")
		k.At = w.now().Add(-time.Duration(hour) * time.Hour)
		reply, err := w.Put(w.ctx(), w.event(k, "3"))
		w.wantWritten("put", reply.Result, err)
	}
	records := w.Records(w.seen)
	w.settleAll(w.changes(records[:2]...)) // time of the backup
	restored := w.elsewhere(memory.New(w.now))
	for _, it := range w.items() {
		if err := restored.PutItem(w.ctx(), it); err != nil {
			t.Fatal(err)
		}
	}
	restored.fresh() // its table stream is empty
	restored.wantWrong("two records were not processed at the time of the backup")
	restored.rebuild(w.now().Add(-48*time.Hour), w.now().Add(time.Hour))
	restored.wantRecount()
	restored.put(half, "", "8")
	restored.settle()
	restored.wantRecount()
}

// elsewhere returns the same world with another table.
func (w *world) elsewhere(table *memory.Table) *world {
	other := *w
	other.Table, other.seen = table, 0
	return &other
}

// A replica receives the changes of an item in order, but several may be merged into one, and in no order
// between items, so half of a transaction is seen. Its table stream has its own sequence numbers and no
// identity of TTL. The function starts to read it while some changes are still in transit.
func TestFailover_ToAReplicaGivesTheSameBytes(t *testing.T) {
	merged, halves := 0, 0
	for seed := range uint64(10) {
		draw := rand.New(rand.NewPCG(seed, 2))
		home := newWorld(t)
		home.writeSome(seed, 120)
		home.settle()
		home.writeSome(seed+100, 60) // only some of them processed
		home.settleAll(home.changes(home.Records(home.seen)[:20]...))

		replica := home.elsewhere(memory.New(home.now))
		arriving := replicated(draw, home.Records(0))
		merged += len(home.Records(0)) - len(arriving)
		replica.take(arriving[:len(arriving)*3/4], nil)
		halves += replica.halfTransactions()
		taken := uint64(len(replica.Records(0)))
		replica.settle() // from the oldest record, by the new ARN

		replica.writeSome(seed+200, 40) // writes go to the replica
		replica.settle()
		ours := map[keys.Key]bool{} // keys with a later write
		for _, r := range replica.Records(taken) {
			ours[r.Keys] = true
		}
		replica.take(arriving[len(arriving)*3/4:], ours)
		replica.settle()
		replica.wantRecount()

		// Back in the same way: the first table receives what the replica has.
		back := home.elsewhere(memory.New(home.now))
		back.take(replicated(draw, replica.Records(0)), nil)
		back.settle()
		back.wantRecount()
	}
	if merged == 0 || halves == 0 {
		t.Errorf("%d merged changes, %d halves of transactions: the replication was too good", merged, halves)
	}
}

// halfTransactions counts the events that are newer than the latest item of their series, or have none:
// both are written in one transaction.
func (w *world) halfTransactions() (n int) {
	newest := map[model.Series]model.Order{}
	for _, it := range w.items() {
		if l, err := item.Latest(it); err == nil {
			newest[l.Series] = l.Order
		}
	}
	for _, it := range w.items() {
		if e, err := item.Event(it); err == nil && e.Order.Compare(newest[e.Series]) > 0 {
			n++
		}
	}
	return n
}

// replicated returns some of the changes of every item, the last one always. The changes of an item
// keep their order; changes of other items come between them at random.
func replicated(draw *rand.Rand, records []memory.Record) []memory.Record {
	last := map[keys.Key]uint64{}
	for _, r := range records {
		last[r.Keys] = r.Seq
	}
	of, order := map[keys.Key][]memory.Record{}, []keys.Key{}
	for _, r := range records {
		if last[r.Keys] == r.Seq || draw.IntN(3) == 0 {
			of[r.Keys] = append(of[r.Keys], r)
			order = append(order, r.Keys)
		}
	}
	draw.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	var all []memory.Record
	for _, k := range order {
		all = append(all, of[k][0])
		of[k] = of[k][1:]
	}
	return all
}

// take applies changes of another table, except to items with a later write.
func (w *world) take(records []memory.Record, later map[keys.Key]bool) {
	w.Helper()
	for _, r := range records {
		var err error
		switch {
		case later[r.Keys]:
		case r.New != nil:
			err = w.PutItem(w.ctx(), r.New)
		default:
			err = w.DeleteItem(w.ctx(), r.Keys)
		}
		if err != nil {
			w.Fatal(err)
		}
	}
}

// During a deployment the previous version and the next one, which writes a newer format, process
// batches in turn.
func TestVersions_OldAndNewCodeTogetherMissNoChange(t *testing.T) {
	for seed := range uint64(10) {
		draw := rand.New(rand.NewPCG(seed, 3))
		w := newWorld(t)
		w.writeSome(seed, 150)
		older := &older{Table: w.Table, t: t}
		invocations, refused := 0, 0
		m := w.mapping(w.stream(), func(ctx context.Context, payload []byte) ([]byte, error) {
			invocations++
			if invocations > 20 || draw.IntN(2) == 0 {
				return aggregateFunction(w.aggregator(newer{w.Table}))(ctx, payload)
			}
			result, err := aggregateFunction(w.aggregator(older))(ctx, payload)
			if bytes.Contains(result, []byte("itemIdentifier")) {
				refused++
			}
			return result, err
		})
		m.Settings.BatchSize = 10
		w.deliver(m)
		if refused == 0 {
			t.Error("the old code never read a row of the new code")
		}
		w.asNewer().wantRecount()
	}
}

// newer is the table as the next version uses it: it reads rows of both formats and writes the newer
// one.
type newer struct{ *memory.Table }

var newVersion = item.Value{Type: item.N, S: "2"}

func (n newer) Row(ctx context.Context, k rollup.Key) (*rollup.Row, error) {
	it, err := n.GetItem(ctx, keys.Row(k))
	if err != nil || it == nil {
		return nil, err
	}
	row, err := item.Row(inOurs(it))
	return &row, err
}

func (n newer) Rows(ctx context.Context, u tier.Unit, r storage.Range) (rollup.RowPage, error) {
	page, err := n.Table.Rows(ctx, u, r)
	for i := range page.Rows {
		row, err := n.Row(ctx, page.Rows[i].Key)
		if err != nil {
			return page, err
		}
		page.Rows[i] = *row
	}
	return page, err
}

func (n newer) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	result, err := n.Table.PutRow(ctx, row, prev)
	if result == storage.Written && err == nil {
		k := keys.Row(row.Key)
		err = n.UpdateItem(ctx, item.Item{keys.AttrPK: {Type: item.S, S: k.PK},
			keys.AttrSK: {Type: item.S, S: k.SK}, keys.AttrVersion: newVersion})
	}
	return result, err
}

// inOurs converts an item of the newer format to the present one.
func inOurs(it item.Item) item.Item {
	if it[keys.AttrVersion].S == newVersion.S {
		it[keys.AttrVersion] = item.Value{Type: item.N, S: "1"}
	}
	return it
}

// older is the table as the previous version uses it. It must never overwrite a row of the newer
// format.
type older struct {
	*memory.Table
	t *testing.T
}

func (o *older) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	if it, err := o.GetItem(ctx, keys.Row(row.Key)); err != nil || it[keys.AttrVersion].S == newVersion.S {
		o.t.Errorf("the old code overwrites %s, which has the newer format (%v)", rowName(row.Key), err)
	}
	return o.Table.PutRow(ctx, row, prev)
}

// asNewer returns a copy of the table in the present format, to recompute its rows.
func (w *world) asNewer() *world {
	w.Helper()
	other := w.elsewhere(memory.New(w.now))
	for _, it := range w.items() {
		if err := other.PutItem(w.ctx(), inOurs(it)); err != nil {
			w.Fatal(err)
		}
	}
	return other
}

// The record of a deletion was lost. While it is repaired, the same event is put again: its record
// finds a row that still contains it.
func TestRepair_SameEventPutDuringTheRepairIsKept(t *testing.T) {
	repairs := map[string]func(*world, *aggregate.Aggregator) error{
		"rebuild": func(w *world, a *aggregate.Aggregator) error {
			_, err := a.Rebuild(w.ctx(), aggregate.Rebuild{Series: w.series("d"), From: at(ten), To: at(noon)})
			return err
		},
		"redrive": func(w *world, a *aggregate.Aggregator) error {
			deleted := storage.Change{Type: storage.Deleted,
				Key: model.EventKey{Series: w.series("d"), Order: model.Order{At: at(half), ID: "b"}}}
			return joinedFailures(a.Redrive(w.ctx(), []storage.Change{deleted}))
		},
		"revisit": func(w *world, a *aggregate.Aggregator) error {
			place := aggregate.Target{Series: w.series("d"), At: at(half)}
			return joinedFailures(a.Recompute(w.ctx(), []aggregate.Target{place}, aggregate.RepairOptions{}))
		},
	}
	for name, repair := range repairs {
		for n := range 20 {
			w := newWorld(t)
			steps["put a, b"](w)
			w.settle()
			steps["delete b"](w)
			w.fresh() // lost
			err := repair(w, w.aggregator(&faulty{store: w.Table, effect: func(r request) effect {
				if r.n == n {
					steps["put b"](w)
					w.settle()
				}
				return fine
			}}))
			if err != nil {
				t.Fatal(err)
			}
			w.settle()
			for _, sentence := range differences(w.recount(), w.rows()) {
				t.Errorf("%s, before request %d: %s", name, n, sentence)
			}
		}
	}
}

func joinedFailures(r aggregate.Report) error {
	if len(r.Failures) > 0 {
		return r.Failures[0].Err
	}
	return nil
}
