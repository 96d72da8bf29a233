package simulation

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Histories of latest items: the newest event of a series changes while several processes fold its
// latest item, and nothing folds the item again before it is checked. In histories of rows a later
// fold repairs nearly each wrong item.

// playLatest plays one history of latest items with the code as it is.
func playLatest(s *simstream.Sim) { playLatestVariant(s, variant{}) }

func playLatestVariant(s *simstream.Sim, v variant) {
	w := newWorld(s, v)
	w.nothingExpires = true
	w.subject, w.eventIn = []string{"north", "north"}, w.newestKey
	hours := []tier.Tier{{Unit: tier.Hour, Retention: tier.Forever}}
	kind := w.drawKind(tier.Policy{Raw: 30 * tier.Day24, Tiers: hours})
	kind.Latest, kind.Shards = catalog.DerivedLatest, 1
	w.now = newCatalog(kind)
	w.hours = drawHours(w.dice.Part("hours"))[:1]
	s.Begin(w.hours[0].Add(half))
	w.begin()
	s.Check(w.check)
	w.planLatest()
}

// latestOperations are drawn by weight. A shrunk history prefers the first.
var latestOperations = []operation{
	{name: "append the newest", weight: 2, do: (*world).appendNewest},
	{name: "delete the newest", weight: 2, do: (*world).delete},
	{name: "correct the newest", weight: 2, do: (*world).correct},
	{name: "delete the newest and append it again", weight: 1, do: (*world).replace},
}

// planLatest schedules changes of the newest event, each beside a rebuild of its series. They are
// far enough apart for everything to end.
func (w *world) planLatest() {
	const changes = 20
	for i := range changes {
		d, at := w.dice.Part("change", i), w.Now().Add(time.Duration(i)*12*time.Hour)
		w.At(at, func() {
			w.CheckNow()
			w.appendNewest(fmt.Sprintf("first of %d", i), d.Part("first"), w.hours[0])
		})
		w.At(at.Add(time.Minute+d.Span("rebuild", 10*time.Second)), func() {
			w.rebuildAll(fmt.Sprintf("operator %d", i), d.Part("rebuild"), w.hours[0])
		})
		w.At(at.Add(time.Minute+d.Span("change", 20*time.Second)), func() {
			w.perform(latestOperations, fmt.Sprintf("user %d", i), d, w.hours[0])
		})
	}
}

func (w *world) appendNewest(name string, d simstream.Dice, hour model.Time) {
	w.appendAll(name, d, w.observationAt(w.next, d, hour))
}

// newestKey returns the key of the newest event of the series, or of none.
func (w *world) newestKey(_ simstream.Dice, hour model.Time) model.EventKey {
	sorted := w.oracle.sorted()
	if len(sorted) == 0 {
		o := model.Order{At: hour}
		return model.EventKey{Series: w.kind().Series(w.subject[0], "", o), Order: o}
	}
	return sorted[len(sorted)-1]
}
