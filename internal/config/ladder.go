package config

import (
	"cmp"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// units are the tiers a ladder may have, finest first, as the file calls them.
var units = []tier.Unit{tier.Minute, tier.Hour, tier.Day, tier.Month}

// ladder replaces a ladder whole: a tier that is not written is not kept.
func ladder(to *tier.Ladder) func(*reader, value) {
	return func(r *reader, v value) {
		if r.isNull(v) || !r.is(v, yaml.MappingNode, "a ladder (raw: 30d, hour: 90d, …)") {
			return
		}
		var l tier.Ladder
		before := len(r.mistakes)
		known := members{{"raw", retention(&l.Raw)}}
		for _, u := range units {
			known = append(known, member{u.String(), rung(u, &l)})
		}
		r.object(v, known)
		r.needs(v, "raw", "say how long events are kept, as raw: 30d")
		if len(r.mistakes) > before {
			return // what is malformed already needs no second opinion
		}
		slices.SortFunc(l.Tiers, func(a, b tier.Tier) int { return cmp.Compare(a.Unit, b.Unit) })
		*to = l
	}
}

// rung reads one tier: a retention, or a mapping that says more than that.
func rung(u tier.Unit, l *tier.Ladder) func(*reader, value) {
	return func(r *reader, v value) {
		t := tier.Tier{Unit: u}
		if v.node.Kind != yaml.MappingNode {
			retention(&t.Retention)(r, v)
			l.Tiers = append(l.Tiers, t)
			return
		}
		r.object(v, members{
			{"retention", retention(&t.Retention)},
			{"least", finite(&t.Least)},
			{"from", instant(&t.From)},
		})
		r.needs(v, "retention", "say how long these rows are kept, as retention: 90d or forever")
		l.Tiers = append(l.Tiers, t)
	}
}
