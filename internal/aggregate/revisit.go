package aggregate

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Place is where a repair has to look: the buckets over a time of a series.
type Place struct {
	Series model.Series
	At     model.Time
	// Tier is the finest tier to look at; the finer ones are taken as they stand. Zero
	// means the finest there is.
	Tier tier.Unit
}

// Revisit looks again at every bucket over the places, each tier before the next
// coarser one, on these terms, as if each place had seen a change that is no insert.
// It is as safe as Settle: at any time, twice, and beside live traffic. The report's
// failures name places by their index; nothing at or after the first is settled.
func (a *Aggregator) Revisit(ctx context.Context, places []Place, terms Terms) Report {
	total := &tally{}
	limits := a.Limits.withDefaults()
	at := 0
	for chunk := range slices.Chunk(places, limits.Buckets) {
		p := piece{}
		touched := map[rollup.Key]*touch{}
		for i, place := range chunk {
			p.end = at + i
			if err := p.place(a, touched, place, terms); err != nil {
				total.Failures = append(total.Failures, Failure{Change: p.end, Err: err})
				return total.report(a.Now())
			}
		}
		for _, touches := range p.rungs {
			a.lookAtAll(ctx, touches, limits, total)
		}
		if total.failed() {
			break
		}
		at += len(chunk)
	}
	return total.report(a.Now())
}

// place touches what lies over a place.
func (p *piece) place(a *Aggregator, touched map[rollup.Key]*touch, place Place, terms Terms) error {
	kind, known := a.Catalog.Kind(place.Series.Kind)
	if !known {
		return fmt.Errorf("look again at %s: kind %q is not in the catalog", place.Series, place.Series.Kind)
	}
	low, err := lowest(kind.Ladder, place.Tier)
	if err != nil {
		return fmt.Errorf("look again at %s: %w", place.Series, err)
	}
	for _, t := range p.touch(touched, kind, place.Series, place.At, low) {
		own := terms.over(kind.Ladder, t.rung, low, t.bucket)
		if !t.force || own.Manner > t.terms.Manner { // the first touch, or a stricter one
			t.force, t.repair, t.terms = true, true, own
		}
	}
	return nil
}

// lowest is the rung of unit u, the finest where u is zero.
func lowest(l tier.Ladder, u tier.Unit) (int, error) {
	if u == 0 {
		return 0, nil
	}
	_, rung, ok := l.Find(u)
	if !ok {
		return 0, fmt.Errorf("the kind's ladder has no tier %s", u)
	}
	return rung, nil
}
