package oracle

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	mathrand "math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const (
	extract       = "../../test/data/web.ndjson.gz"
	extractOracle = "../../test/data/web.oracle.csv.gz"
	extractTop    = "../../test/data/web.oracle-top.csv.gz"
	extractSite   = "saunathinker.com"
)

// loaded is when the log is appended: after its last line, and after all buckets have closed.
var loaded = at("2026-02-02T00:00:00Z")

// beginning is the time of queries, at which nothing has expired.
var beginning = at("2024-10-01T00:00:00Z")

func at(text string) model.Time {
	t, err := model.ParseTime(text, model.RejectFinerTime)
	if err != nil {
		panic(err)
	}
	return t
}

// world is the system on a table in memory.
type world struct {
	t      *testing.T
	table  *memory.Table
	kinds  *catalog.Catalog
	folder *aggregate.Aggregator
	in     *ingest.Service
	out    *query.Service
	seen   uint64 // records of the table stream that were folded
}

// newWorld returns a world in which the spread kinds have this number of shards.
func newWorld(t *testing.T, shards int) *world {
	t.Helper()
	rows := web.Kinds()
	for i := range rows {
		if rows[i].Shards > 1 {
			rows[i].Shards = shards
		}
	}
	kinds, err := catalog.New(rows...)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return loaded }
	table := memory.New(clock)
	w := &world{
		t: t, table: table, kinds: kinds,
		folder: &aggregate.Aggregator{Store: table, QuarantineStore: table, Catalog: kinds, Now: clock},
		in:     &ingest.Service{Store: table, Limits: config.Default().Limits, Now: clock, Rand: rand.Reader},
		out:    &query.Service{Store: table, Now: func() model.Time { return beginning }, CursorKey: []byte("a key for tests only")},
	}
	// all buckets of the log have closed: rows of sessions are made at once
	for _, shard := range storage.FirstGeneration.QueueShards() {
		if _, err := w.folder.Sweep(t.Context(), shard); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

var (
	loading sync.Mutex
	whole   = map[int]*world{} // by shards; guarded by loading
)

// loadedWorld returns a shared world with the whole log processed. Tests must not change it.
func loadedWorld(t *testing.T, shards int) *world {
	t.Helper()
	loading.Lock()
	defer loading.Unlock()
	if whole[shards] == nil {
		w := newWorld(t, shards)
		w.take(lines(t))
		w.fold(mathrand.New(mathrand.NewPCG(1, uint64(shards))))
		whole[shards] = w
	}
	w := *whole[shards]
	w.t = t
	return &w
}

// take appends lines, as ingest does.
func (w *world) take(lines []Line) {
	w.t.Helper()
	byKind := map[string][]ingest.Observation{}
	for _, l := range lines {
		text, err := json.Marshal(l.Observation())
		if err != nil {
			w.t.Fatal(err)
		}
		byKind[Kinds[l.Type]] = append(byKind[Kinds[l.Type]], ingest.DecodeObject(text))
	}
	for _, name := range slices.Sorted(maps.Keys(byKind)) {
		kind, _ := w.kinds.Kind(name)
		outcomes, err := w.in.Append(context.Background(), kind, byKind[name]...)
		if err != nil {
			w.t.Fatal(err)
		}
		for _, o := range outcomes {
			if o.Outcome != model.Applied {
				w.t.Fatalf("%s %s: %s %v, want applied", name, o.Key.ID, o.Outcome, o.Errors)
			}
		}
	}
}

// changes returns the records that have not been processed, decoded as in the function.
func (w *world) changes() (all []storage.Change) {
	for _, record := range w.table.Records(w.seen) {
		w.seen = record.Seq
		key, err := keys.ParseEvent(record.Keys)
		if err != nil {
			continue
		}
		what := map[string]storage.ChangeType{memory.Insert: storage.Inserted, memory.Modify: storage.Corrected,
			memory.Remove: storage.Deleted}[record.Name]
		all = append(all, storage.Change{Type: what, Key: key, Seq: strconv.FormatUint(record.Seq, 10),
			At: record.At})
	}
	return all
}

// fold processes new records in batches of random sizes, some of them twice.
func (w *world) fold(draw *mathrand.Rand) {
	w.t.Helper()
	for left := w.changes(); len(left) > 0; {
		n := min(1+draw.IntN(300), len(left))
		for range 1 + draw.IntN(2) {
			if report := w.folder.Process(context.Background(), left[:n]); len(report.Failures) > 0 {
				w.t.Fatalf("fold: %+v", report.Failures)
			}
		}
		left = left[n:]
	}
}

func (w *world) events(kind string) (all []model.Event) {
	w.t.Helper()
	k, _ := w.kinds.Kind(kind)
	for e, err := range w.out.EachEvent(context.Background(), query.History{Series: query.Series{Kind: k,
		Subject: extractSite}, From: model.MinTime, To: model.MaxTime + 1}) {
		if err != nil {
			w.t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// delete deletes events as a user does.
func (w *world) delete(kind string, which func(*model.Event) bool) (n int) {
	w.t.Helper()
	k, _ := w.kinds.Kind(kind)
	for _, e := range w.events(kind) {
		if !which(&e) {
			continue
		}
		e.Series = k.Series(e.Series.Subject.ID, e.Series.Stream, e.Order)
		if result, err := w.table.DeleteEvent(context.Background(), e.Key(), loaded); err != nil ||
			result != storage.Written {
			w.t.Fatalf("delete %s: %v, %v", e.ID, result, err)
		}
		n++
	}
	return n
}

func lines(t *testing.T) (all []Line) {
	t.Helper()
	if err := Each(extract, func(l Line) error { all = append(all, l); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}
