package lifecycle_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/storetest"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// employee is a subject type with indexes, unique constraints and versions.
var employee = catalog.Profile{
	Indexes:    []catalog.ProfileIndex{{Field: "status", Index: catalog.FirstIndex}, {Field: "team", Index: catalog.SecondIndex}},
	Unique:     []catalog.Unique{{Name: "email", Fields: []string{"email"}, Case: catalog.CaseFold}, {Name: "name", Fields: []string{"first", "last"}, Case: catalog.CaseExact}},
	Release:    catalog.ReleaseFree,
	Versions:   catalog.Versions{Keep: true},
	DeletedFor: 30 * tier.Day24,
}

var reserving = func() catalog.Profile {
	p := employee
	p.Release = catalog.ReleaseReserve
	return p
}()

// lockDuration is how long a purge lock lasts after the purge.
var lockDuration = lifecycle.NewTiming(config.Default()).Lock

var noon = model.NewTime(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))

// fixture is a table in memory, a clock that the test moves, and a service and a purger
// that use them. Their requests go through faulty, which can inject faults.
type fixture struct {
	testing.TB
	table  *memory.Table
	clock  *atomic.Int64
	faulty *storetest.FaultyStore
	spec   catalog.Profile
	*lifecycle.Service
	purger  *lifecycle.Purger
	expired model.Profile // a tombstone that TTL deleted
}

func newFixture(t testing.TB, spec catalog.Profile) *fixture {
	w := &fixture{TB: t, clock: &atomic.Int64{}, spec: spec}
	w.clock.Store(int64(noon))
	w.table = memory.New(w.now)
	w.faulty = &storetest.FaultyStore{Store: w.table}
	w.Service = serviceOn(w.faulty, w.now, func(string) catalog.Profile { return w.spec })
	w.purger = &lifecycle.Purger{
		Store: w.faulty, Now: w.now, Rand: seeded(2),
		Timing: lifecycle.Timing{Append: 20 * time.Second, Aggregate: 2 * time.Minute},
		Sleep:  w.sleep,
		Copies: lifecycle.ListCopies(config.Default()),
	}
	w.purger.SearchShards(3)
	return w
}

func serviceOn(store lifecycle.Store, now func() model.Time,
	spec func(string) catalog.Profile) *lifecycle.Service {
	return &lifecycle.Service{
		Store: store, Profile: spec, Limits: config.Default().Limits, Now: now, Rand: seeded(1),
		Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() },
	}
}

func (w *fixture) now() model.Time         { return model.Time(w.clock.Load()) }
func (w *fixture) advance(d time.Duration) { w.clock.Add(d.Milliseconds()) }

// sleep moves the clock and returns immediately.
func (w *fixture) sleep(ctx context.Context, d time.Duration) error {
	if d > 0 {
		w.advance(d)
	}
	return ctx.Err()
}

// lockedRand is a seeded source that is safe for concurrent use.
type lockedRand struct {
	mu     sync.Mutex
	source *rand.ChaCha8 // guarded by mu
}

func seeded(seed uint64) io.Reader {
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	return &lockedRand{source: rand.NewChaCha8(key)}
}

func (r *lockedRand) Read(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(b)
}

func subject(id string) model.Subject { return model.Subject{Type: "EMPLOYEE", ID: id} }

var alice, bob = subject("alice"), subject("bob")

// fields returns text fields from name, value, …; an empty value is null.
func fields(pairs ...string) (attrs model.Attrs) {
	for i := 0; i < len(pairs); i += 2 {
		v := model.Value{}
		if pairs[i+1] != "" {
			v = model.TextValue(pairs[i+1])
		}
		attrs = append(attrs, model.Attr{Name: pairs[i], Value: v})
	}
	attrs.Sort()
	return attrs
}

// noError fails the test on an error, and returns the result.
func (w *fixture) noError(out lifecycle.Result, err error) lifecycle.Result {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
	return out
}

// wantOutcome fails the test unless the change had that outcome.
func (w *fixture) wantOutcome(want lifecycle.Outcome, out lifecycle.Result, err error) lifecycle.Result {
	w.Helper()
	if err != nil || out.Outcome != want {
		w.Fatalf("outcome %s (%v), %v; want %s", out.Outcome, out.Constraint, err, want)
	}
	return out
}

// wantRejected fails the test unless the change was rejected.
func (w *fixture) wantRejected(out lifecycle.Result, err error) {
	w.Helper()
	if !errors.Is(err, model.ErrRejected) || out.Outcome != "" {
		w.Fatalf("outcome %q, %v; want %v", out.Outcome, err, model.ErrRejected)
	}
}

func (w *fixture) items() (all []item.Item) {
	w.Helper()
	for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
		page, next, err := w.table.Scan(context.Background(), after)
		if err != nil {
			w.Fatal(err)
		}
		all, after = append(all, page...), next
	}
	return all
}

// names returns the keys of all items, for a short message.
func names(items []item.Item) []string {
	all := make([]string, len(items))
	for i, it := range items {
		all[i] = it.Key().PK + " " + it.Key().SK
	}
	slices.Sort(all)
	return all
}

// expire deletes all expired items, as TTL does, and cleans up after the tombstones.
func (w *fixture) expire() {
	w.Helper()
	seen := uint64(len(w.table.Records(0)))
	w.table.Expire(w.now())
	for _, r := range w.table.Records(seen) {
		t, err := item.Tombstone(r.Old)
		if err != nil {
			continue
		}
		if err := w.CleanUpExpired(context.Background(), &t); err != nil {
			w.Fatal(err)
		}
	}
}

func newRand(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }
