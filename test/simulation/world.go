package main

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/aggregate"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// rule is what is simulated: the code as it is, which is the zero rule, or with a
// fault planted around it.
type rule struct {
	store    func(*world) aggregate.Store             // what the aggregator has for the table
	settings func(*world, *aggregate.Aggregator)      // changes the aggregator of an invocation
	changes  func([]model.Change) []model.Change      // what the function takes a batch for
	answer   func(seqs []string, first int) []failure // how it answers that the record at place first failed
}

// world is one history's table, with everybody who works on it.
type world struct {
	*streamtest.Sim
	rule   rule
	dice   streamtest.Dice
	table  *memory.Table
	store  *store
	oracle *oracle
	repair *repair

	plain   bool // nothing expires before the end of the history
	now     *catalog.Catalog
	before  *catalog.Catalog // what the old code knows; nil where there is none
	subject []string
	hours   []model.Time // the hours in which most happens
	inOrder int          // events that came in the order of their times
}

const kindName = "READING"

// play is one history under the code as it is.
func play(s *streamtest.Sim) { playUnder(s, rule{}) }

func playUnder(s *streamtest.Sim, r rule) {
	w := &world{Sim: s, rule: r, dice: s.Dice(), subject: []string{"north", "south"}}
	w.plain = w.dice.Chance("nothing expires", .4)
	w.now = catalogOf(w.kindOf(w.ladderOf(w.dice.Of("ladder"))))
	w.hours = hoursOf(w.dice.Of("hours"))
	s.Begin(w.hours[0].Add(-time.Hour))
	w.table = memory.New(s.Now)
	w.oracle = newOracle(w)
	w.store = newStore(w)
	w.repair = newRepair(w)
	s.Deliver(streamtest.Delivery{
		Settings: settingsOf(w.dice.Of("mapping")), Handler: w.handler,
		GivenUp: func(_ streamtest.GivenUp, records []streamtest.Record) { w.repair.lost(records) },
		Lost:    w.repair.lost,
	})
	s.Check(w.check)
	w.plan()
}

// settingsOf are a mapping's settings: those that deploy, and others that are allowed.
func settingsOf(d streamtest.Dice) streamtest.Settings {
	settings := streamtest.Settings{
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

var deployedFilter, _ = streamtest.ParseFilter(keys.AggregateFilter) // its own tests parse it too

// ladderOf is a ladder that is allowed; the calm one is hour, day, month.
func (w *world) ladderOf(d streamtest.Dice) tier.Ladder {
	units := [][]tier.Unit{
		{tier.Hour, tier.Day, tier.Month},
		{tier.Minute, tier.Hour, tier.Day, tier.Month},
		{tier.Hour, tier.Day},
		{tier.Minute, tier.Hour, tier.Day},
		{tier.Minute, tier.Hour},
		{tier.Minute, tier.Day},
		{tier.Hour},
	}[d.Pick("units", 7)]
	l := tier.Ladder{Raw: []time.Duration{3, 7, 30}[d.Pick("raw", 3)] * tier.Day24}
	if w.plain {
		l.Raw = 30 * tier.Day24
	}
	for i, u := range units {
		l.Tiers = append(l.Tiers, tier.Tier{Unit: u})
		least := 0 * time.Second
		switch {
		case i+1 < len(units):
			least = l.Raw + units[i+1].Longest() + tier.SlackAfterBucket
			if d.Chance("long "+u.String(), .5) {
				least *= 3
			}
		case d.Chance("the coarsest expires", 1./3):
			least = 3 * (l.Raw + u.Longest() + tier.SlackAfterBucket)
		}
		l.Tiers[i].Retention = least
	}
	return l
}

func (w *world) kindOf(l tier.Ladder) catalog.Kind {
	return catalog.Kind{
		Name:           kindName,
		Subject:        catalog.SubjectType{Name: "DEVICE"},
		Measures:       []rollup.MeasureSpec{{Name: "value", Scale: 2, Percentiles: true}},
		Dimensions:     []rollup.DimensionSpec{{Name: "state"}},
		Distinct:       []string{"who"},
		WithoutCurrent: w.dice.Chance("no current", .5),
		Shards:         1 + w.dice.Pick("shards", 5)/4,
		Ladder:         l,
	}
}

// catalogOf has one kind. A kind of ours that is refused is a mistake of this program.
func catalogOf(k catalog.Kind) *catalog.Catalog {
	c, err := catalog.New(k)
	if err != nil {
		panic(err)
	}
	return c
}

func (w *world) kind() *catalog.Kind {
	k, _ := w.now.Kind(kindName)
	return k
}

// hoursOf are the hours of a history: near each other, and over the ends of days and
// months, a leap day's among them.
func hoursOf(d streamtest.Dice) []model.Time {
	firsts := []string{"2026-01-01", "2024-02-01", "2026-12-01", "2027-02-01"}
	month, _ := model.ParseTime(firsts[d.Pick("month", len(firsts))]+"T00:00:00Z", model.RejectFiner)
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

// doors is the ingest service as one producer meets it.
func (w *world) door(d streamtest.Dice) *ingest.Service {
	skew := d.Span("door's clock", 5*time.Minute)
	if d.Chance("slow door", .5) {
		skew = -skew
	}
	return &ingest.Service{
		Store: w.store, Limits: config.Default().Limits, Rand: d.Of("door").Rand(), Parallel: 1,
		Now:   func() model.Time { return w.Now().Add(skew) },
		Sleep: w.Sleep, Patience: retry.Patience{Attempts: 6},
	}
}
