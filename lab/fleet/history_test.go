package fleet

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Situations that histories must meet, each in one history of twenty at least.
const (
	movedThenPurged    = "a member moved to another site, and was purged"
	hallThenPurged     = "a member moved to another hall, and was purged"
	purgedUntold       = "a member was purged while changes of it were not processed"
	purgedUnfolded     = "a member was purged while its group waited for the sweep"
	movedDuringPurge   = "a member sent from another site while it was purged"
	hallDuringPurge    = "a profile changed while its member was purged"
	sweptDuringPurge   = "groups were swept during a purge"
	purgedDuringFold   = "a purge went on during a recomputation"
	purgeStopped       = "a purge was stopped and went on"
	recreatedElsewhere = "a purged member came back at another site"
	purgedTwice        = "a member was purged twice"
	recordLost         = "the table stream lost records of what a purge removed"
)

var situations = []string{movedThenPurged, hallThenPurged, purgedUntold, purgedUnfolded, movedDuringPurge,
	hallDuringPurge, sweptDuringPurge, purgedDuringFold, purgeStopped, recreatedElsewhere, purgedTwice,
	recordLost}

// tb is what a history needs of a test.
type tb interface {
	Context() context.Context
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// probe is a test whose failures are expected.
type probe struct{}

func (probe) Context() context.Context { return context.Background() }
func (probe) Errorf(string, ...any)    {}
func (probe) Fatal(args ...any)        { panic(fmt.Sprint(args...)) }

const day = 24 * time.Hour

// member is a device, and what a history knows of it.
type member struct {
	id         string
	site, hall string // "" is none
	purging    bool
	purged     int
	lockedTo   model.Time // no event and no profile is stored until then
	before     string     // the site before the purge
	sites      map[string]bool
	halls      map[string]bool
	profile    bool
	log        []stay
	sent       model.Time // of its newest reading
}

// stay is a hall from a time on.
type stay struct {
	from model.Time
	hall string
}

// sample is a reading that is stored.
type sample struct {
	member, site string
	at           model.Time
	energy, heat int64
}

// history is a table, the processes that use it, and the readings that it should have.
type history struct {
	tb
	dice        *rand.Rand
	seed        uint64
	now         model.Time
	table       *memory.Table
	kinds       *catalog.Catalog
	agg         *aggregate.Aggregator
	ingest      *ingest.Service
	profiles    *lifecycle.Service
	purger      *lifecycle.Purger
	query       *query.Service
	members     []*member
	samples     map[model.EventKey]sample
	seen        uint64
	untold      [][]byte   // records that are not processed
	expired     model.Time // when TTL removed items last
	inside      string     // the process whose request was interrupted
	met         map[string]int
	checked     map[string]int
	lossy       bool // the table stream loses records of what purges remove
	dropNotices bool // a fault: purges notify no group
	failure     string
	stop        func() // kills the invocation of the aggregator
}

// allSites are where members are; "" is no site.
var allSites = []string{"berlin", "paris", "rome", ""}

func newHistory(t tb, seed uint64) *history {
	w := &history{tb: t, seed: seed, dice: rand.New(rand.NewPCG(seed, 7)),
		now:     firstHour.Add(30 * time.Minute),
		samples: map[model.EventKey]sample{}, met: map[string]int{}, checked: map[string]int{}}
	w.lossy = w.chance(2)
	clock := func() model.Time { return w.now }
	w.table = memory.New(clock)
	w.kinds = w.drawKinds()
	random := rand.NewChaCha8([32]byte{byte(seed), byte(seed >> 8)})
	sleep := func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	limits := config.Default().Limits
	w.agg = &aggregate.Aggregator{Store: aggregating{w.table, w}, QuarantineStore: w.table, Catalog: w.kinds,
		Now: clock, Rand: random, Sleep: sleep, Limits: aggregate.Limits{Concurrency: 1}}
	w.ingest = &ingest.Service{Store: w.table, Limits: limits, Now: clock, Rand: random, Sleep: sleep,
		Parallel: 1, Queue: queue.NewWriter(w.table, w.kinds), PurgeLocks: w.table,
		PurgeLockMaxAge: time.Nanosecond}
	w.profiles = &lifecycle.Service{Store: w.table, Profile: w.kinds.Profile, Limits: limits, Now: clock,
		Rand: random, Sleep: sleep}
	w.purger = &lifecycle.Purger{Store: purging{w.table, w}, Now: clock, Rand: random, Sleep: sleep,
		Timing: lifecycle.Timing{Append: time.Minute, Aggregate: 6 * time.Minute, Lock: 3 * day}}
	live := &query.Live{Store: w.table, Watermarks: w.table, Kind: query.CatalogKinds(w.kinds), Now: clock}
	w.query = &query.Service{Store: live, Now: clock, CursorKey: []byte("a key for tests only")}
	for i := range 4 {
		w.members = append(w.members, &member{id: fmt.Sprintf("m%d", i), sites: map[string]bool{},
			halls: map[string]bool{}})
	}
	return w
}

func (w *history) drawKinds() *catalog.Catalog {
	policy := tier.Standard().Defer()
	policy.Tiers = policy.Tiers[:2]
	latest := []catalog.LatestPolicy{catalog.TransactionLatest, catalog.NoLatest,
		catalog.DerivedLatest}[w.dice.IntN(3)]
	shards := 1
	if latest != catalog.TransactionLatest && w.chance(3) { // latest items are of one shard
		shards = 3
	}
	kinds, err := catalog.New(catalog.Kind{
		Name: "READING", Retention: policy, Groups: []string{"site", "profile.hall"},
		Subject: catalog.SubjectType{Name: "DEVICE", Profile: &catalog.Profile{
			Declared: []catalog.ProfileField{{Name: "hall"}}}},
		Measures: []rollup.MeasureSpec{{Name: "energy", Counter: true}, {Name: "heat"}},
		Latest:   latest, Shards: shards,
	})
	if err != nil {
		w.Fatal(err)
	}
	return kinds
}

func (w *history) kind() *catalog.Kind { k, _ := w.kinds.Kind("READING"); return k }

func (w *history) meet(situation string, when bool) {
	if when {
		w.met[situation]++
	}
}

func (w *history) chance(one int) bool { return w.dice.IntN(one) == 0 }

func (w *history) fail(format string, args ...any) {
	if w.failure == "" {
		w.failure = fmt.Sprintf(format, args...)
	}
	w.Errorf("seed %d: "+format, append([]any{w.seed}, args...)...)
}

// play plays some days, and settles and checks between them.
func (w *history) play() {
	for range 2 + w.dice.IntN(3) {
		for range 25 + w.dice.IntN(40) {
			w.now = w.now.Add(time.Duration(w.dice.Int64N(int64(14 * time.Minute))))
			w.step()
			if w.chance(12) {
				w.checkVerify(false)
			}
		}
		w.settle()
		if w.check(); w.failure != "" {
			return
		}
		if w.chance(2) { // beyond the locks of the purges
			w.now = w.now.Add(3*day + time.Hour)
			if w.chance(2) {
				w.table.Expire(w.now)
				w.expired = w.now
			}
		}
	}
}

// interrupt lets other processes act between two requests of one. It does not move the clock, so that nothing
// takes longer than a purge waits for it.
func (w *history) interrupt(process string) error {
	if w.inside != "" || !w.chance(6) {
		return nil
	}
	if w.chance(12) {
		w.meet(purgeStopped, process == "purge")
		return errStopped
	}
	w.inside = process
	defer func() { w.inside = "" }()
	w.step()
	return nil
}

var errStopped = errors.New("the process was stopped")
