package simulation

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// variant is the code that is simulated. The zero variant is the code as it is; the others
// plant a fault around it.
type variant struct {
	store    func(*world) aggregate.Store            // replaces the table of the aggregator
	settings func(*world, *aggregate.Aggregator)     // changes the aggregator of an invocation
	changes  func([]storage.Change) []storage.Change // changes the decoded batch
	change   func(changeover.Table) changeover.Table // replaces the table of configuration changes
	live     func(*query.Live)                       // changes what a reader reads from
	writer   func(*world, *ingest.Service)           // changes the ingest service of a producer
	// replaces the response where the record at index first failed
	respond func(seqs []string, first int) []failure

	byProfile bool // all histories have deferred hours, and groups by profiles
}

// world is the table of one history and all processes that use it.
type world struct {
	*simstream.Sim
	variant variant
	dice    simstream.Dice
	table   *memory.Table
	store   *store
	oracle  *oracle
	repair  *repair
	readers *readers

	byProfile      bool // groups are by a field of profiles, too
	nothingExpires bool // nothing expires before the end of the history
	mayDefer       bool // a tier is deferred, or may become so: clocks are nearly right
	applying       bool // a process changes the configuration
	now            *catalog.Catalog
	before         *catalog.Catalog // of the old code; nil where none runs
	declared       []tier.Policy    // that were applied, in order
	subject        []string
	eventIn        func(d simstream.Dice, hour model.Time) model.EventKey // draws an event, stored or not
	hours          []model.Time                                           // the hours in which most events are
	swept          map[storage.Invalidation]bool                          // sweeps are scheduled for it
	// number of events appended in order of time
	inOrder int
	writers writers
}

const kindName = "READING"

// play plays one history with the code as it is.
func play(s *simstream.Sim) { playVariant(s, variant{}) }

func playVariant(s *simstream.Sim, r variant) {
	w := newWorld(s, r)
	w.subject, w.eventIn = []string{"north", "south"}, w.keyIn
	policy := w.drawPolicy(w.dice.Part("policy"))
	w.mayDefer = policy.HasDeferred() || w.dice.Chance("may defer", .5)
	// Of minutes, a move whose record is hours late recomputes hundreds of buckets.
	w.byProfile = policy.Tiers[0].Deferred && policy.Tiers[0].Unit == tier.Hour &&
		(r.byProfile || w.dice.Chance("groups by profiles", .5))
	w.now = newCatalog(w.drawKind(policy))
	w.hours = drawHours(w.dice.Part("hours"))
	s.Begin(w.hours[0].Add(-time.Hour))
	w.begin()
	w.applyFirst(policy)
	s.Check(w.check)
	w.plan()
}

func newWorld(s *simstream.Sim, v variant) *world {
	w := &world{Sim: s, variant: v, dice: s.Dice(), swept: map[storage.Invalidation]bool{}}
	w.nothingExpires = w.dice.Chance("nothing expires", .4)
	return w
}

// begin makes the empty table, and delivers its stream to the aggregator.
func (w *world) begin() {
	w.table = memory.New(w.Now)
	w.oracle = newOracle(w)
	w.store = newStore(w)
	w.repair = newRepair(w)
	w.readers = &readers{world: w, unqueued: map[model.EventKey]bool{}}
	w.Deliver(simstream.Delivery{
		Settings: drawSettings(w.dice.Part("mapping")), Handler: w.handler,
		GivenUp: func(_ eventsource.GivenUp, records []eventsource.Record) { w.repair.lost(records) },
		Lost:    w.repair.lost,
	})
}

// drawSettings draws the settings of the event source mapping: the deployed ones, or others
// that are allowed.
func drawSettings(d simstream.Dice) eventsource.Settings {
	settings := eventsource.Settings{
		ReportFailures:  true,
		BatchSize:       []int{1000, 1, 5}[d.Pick("batch size", 3)],
		Parallelization: []int{2, 1, 4}[d.Pick("parallelization", 3)],
		MaxRetries:      []int{50, 0, 1, 3}[d.Pick("retries", 4)],
		MaxRecordAge:    []time.Duration{12 * time.Hour, 0, 3 * time.Hour}[d.Pick("age", 3)],
		Bisect:          !d.Chance("no bisect", .5),
		Filter:          deployedFilter,
	}
	if d.Chance("no filter", .25) {
		settings.Filter = nil
	}
	return settings
}

var deployedFilter, _ = eventsource.ParseFilter(tablekeys.AggregateFilter) // it is constant and valid

// drawPolicy draws a valid retention policy; the default is hour, day, month.
func (w *world) drawPolicy(d simstream.Dice) tier.Policy {
	units := [][]tier.Unit{
		{tier.Hour, tier.Day, tier.Month},
		{tier.Minute, tier.Hour, tier.Day, tier.Month},
		{tier.Hour, tier.Day},
		{tier.Minute, tier.Hour, tier.Day},
		{tier.Minute, tier.Hour},
		{tier.Minute, tier.Day},
		{tier.Hour},
	}[d.Pick("units", 7)]
	if w.variant.byProfile {
		units = []tier.Unit{tier.Hour, tier.Day, tier.Month}[:1+d.Pick("hours", 3)]
	}
	p := tier.Policy{Raw: []time.Duration{3, 7, 30}[d.Pick("raw", 3)] * tier.Day24}
	if w.nothingExpires {
		p.Raw = 30 * tier.Day24
	}
	for i, u := range units {
		p.Tiers = append(p.Tiers, tier.Tier{Unit: u})
		least := tier.Forever
		switch {
		case i+1 < len(units):
			least = p.Raw + units[i+1].Longest() + tier.SlackAfterBucket
			if d.Chance("long "+u.String(), .5) {
				least *= 3
			}
		case d.Chance("the coarsest expires", 1./3):
			least = 3 * (p.Raw + u.Longest() + tier.SlackAfterBucket)
		}
		p.Tiers[i].Retention = least
	}
	w.deferSome(&p, d)
	return p
}

func (w *world) drawKind(p tier.Policy) catalog.Kind {
	k := catalog.Kind{
		Name:       kindName,
		Subject:    catalog.SubjectType{Name: "DEVICE", Profile: deviceProfile()},
		Measures:   []rollup.MeasureSpec{{Name: "value", Scale: 2, Percentiles: true}},
		Dimensions: []rollup.DimensionSpec{{Name: "state"}},
		Distinct:   []string{"who"},
		Latest: []catalog.LatestPolicy{catalog.TransactionLatest, catalog.NoLatest,
			catalog.DerivedLatest}[w.dice.Pick("latest items", 3)],
		Shards:    1 + w.dice.Pick("shards", 5)/4,
		Retention: p,
	}
	k.Groups = w.groupLevels()
	if w.dice.Chance("few names in a row", .25) {
		k.MaxMeasures, k.Dimensions[0].Top = 2, 1
	}
	return k
}

// newCatalog returns a catalog of one kind.
func newCatalog(k catalog.Kind) *catalog.Catalog {
	c, err := catalog.New(k)
	if err != nil {
		panic(err) // a mistake of this program
	}
	return c
}

func (w *world) kind() *catalog.Kind {
	k, _ := w.now.Kind(kindName)
	return k
}

// drawHours draws the hours of a history: near each other, and around the ends of days and
// months, including a leap day.
func drawHours(d simstream.Dice) []model.Time {
	firsts := []string{"2026-01-01", "2024-02-01", "2026-12-01", "2027-02-01"}
	month, _ := model.ParseTime(firsts[d.Pick("month", len(firsts))]+"T00:00:00Z", model.RejectFinerTime)
	day := d.Pick("day", 28)
	hour := func(day, hour int) model.Time {
		return month.Add(time.Duration(day)*tier.Day24 + time.Duration(hour)*time.Hour)
	}
	hours := []model.Time{hour(day, d.Pick("hour", 3))}
	if d.Chance("a second hour", 2./3) {
		hours = append(hours, hour(day, 3+d.Pick("second hour", 21)))
	}
	if d.Chance("another day", .5) {
		hours = append(hours, hour(day+1+d.Pick("next day", 8), d.Pick("third hour", 24)))
	}
	return hours
}

// ingestService returns the ingest service of one producer, with its own clock.
func (w *world) ingestService(d simstream.Dice) *ingest.Service {
	skew := d.Span("ingest clock", 5*time.Minute)
	if d.Chance("slow ingest clock", .5) {
		skew = -skew
	}
	s := &ingest.Service{
		Store: w.store, Limits: config.Default().Limits, Rand: d.Part("ingest").Rand(), Parallel: 1,
		Now:   w.deferredClock(func() model.Time { return w.Now().Add(skew) }),
		Sleep: w.Sleep, RetryPolicy: retry.Policy{Attempts: 6},
		Queue: w.writers.of(w, d.Pick("producer", producers)), OnUnqueued: w.readers.exempt,
	}
	if w.variant.writer != nil {
		w.variant.writer(w, s)
	}
	return s
}
