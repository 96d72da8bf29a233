package exhaustive

import (
	"fmt"
	"math/bits"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Bounds of a scenario.
const (
	maxEvents    = 3
	maxChanges   = 4 // of one event
	maxFunctions = 2
)

// budget is how often each fault or operation may happen in a history.
type budget struct {
	crashes, repeats, unknowns, deletes, sweeps, readers uint8
}

// scenario is a small history of which all interleavings are explored.
type scenario struct {
	name      string
	sizes     string // the sizes of a run that explore it: s, m and l
	events    []string
	ticks     []string // the times of the clock
	policies  []tier.Policy
	functions int
	skews     []time.Duration // of the clocks of the processes
	budget    budget
	read      tier.Unit // that the reader reads
	latest    bool      // the kind has latest items: an append is a transaction
	ttl       bool      // TTL removes what has expired
	sealed    int       // the first tick at which a row may be sealed; 0 for none
	// store replaces the table of the aggregate functions and sweeps, to plant a fault.
	store func(client) aggregate.Store
	// as is the type that deletions have for the functions; zero for deletions.
	as storage.ChangeType

	// remembersAll says that states of processes are never merged: see forget.
	remembersAll bool

	catalogs []*catalog.Catalog
	times    []model.Time
	at       []model.Time // of the events
}

const kindName = "READING"

var series = model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: kindName}

// prepare parses the times and makes the catalogs.
func (sc *scenario) prepare() error {
	for _, p := range sc.policies {
		c, err := catalog.New(catalog.Kind{
			Name: kindName, Subject: catalog.SubjectType{Name: "DEVICE"},
			Measures: []rollup.MeasureSpec{{Name: "value"}},
			Latest: map[bool]catalog.LatestPolicy{true: catalog.TransactionLatest,
				false: catalog.NoLatest}[sc.latest], Retention: p,
		})
		if err != nil {
			return fmt.Errorf("scenario %s: %w", sc.name, err)
		}
		sc.catalogs = append(sc.catalogs, c)
	}
	for _, text := range sc.ticks {
		sc.times = append(sc.times, parseTime(text))
	}
	for _, text := range sc.events {
		sc.at = append(sc.at, parseTime(text))
	}
	for len(sc.skews) < processCount {
		sc.skews = append(sc.skews, 0)
	}
	return nil
}

func parseTime(text string) model.Time {
	at, err := model.ParseTime("2026-03-"+text+":00Z", model.RejectFinerTime)
	if err != nil {
		panic(err) // a mistake in a scenario
	}
	return at
}

func (sc *scenario) kind(version uint8) *catalog.Kind {
	k, _ := sc.catalogs[version].Kind(kindName)
	return k
}

func (sc *scenario) eventKey(event int) model.EventKey {
	return model.EventKey{Series: series, Order: model.Order{At: sc.at[event]}}
}

func (sc *scenario) eventIndex(key model.EventKey) int {
	for i, at := range sc.at {
		if at == key.At {
			return i
		}
	}
	panic("an event that no scenario has")
}

// eventValue is a power of two, so that the sum of a fold says which events are in it.
func eventValue(event int) model.Decimal { return model.MustDecimal(fmt.Sprint(1 << event)) }

// foldedSet returns the events in a fold; false if it is not the fold of a set of events.
func foldedSet(f *rollup.Fold) (set uint8, ok bool) {
	m, found := f.Summary.Measure("value")
	if !found {
		return 0, f.Summary.Events() == 0
	}
	for n := range uint8(1 << maxEvents) {
		if m.Sum.String() == fmt.Sprint(n) {
			return n, bits.OnesCount8(n) == int(f.Summary.Events()) && m.Count == f.Summary.Events()
		}
	}
	return 0, false
}

// in returns the events of a set that are in a bucket.
func (sc *scenario) in(b tier.Bucket, set uint8) (some uint8) {
	for i, at := range sc.at {
		if b.Contains(at) {
			some |= set & (1 << i)
		}
	}
	return some
}

// buckets returns the buckets of a level that have events.
func (sc *scenario) buckets(version uint8, level int) (all []tier.Bucket) {
	t := sc.kind(version).Retention.Tiers[level]
	known := map[model.Time]bool{}
	for _, at := range sc.at {
		if b := t.Unit.BucketAt(at); !known[b.Start] && t.HasRow(b) {
			known[b.Start] = true
			all = append(all, b)
		}
	}
	return all
}
