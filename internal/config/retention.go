package config

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ladder replaces a ladder whole: a tier that is not written is not kept.
func retentionPolicy(to *tier.Policy) func(*reader, value) {
	return func(r *reader, v value) {
		if r.isNull(v) || !r.is(v, yaml.MappingNode, "a ladder (raw: 30d, hour: 90d, …)") {
			return
		}
		var l tier.Policy
		before := len(r.mistakes)
		known := members{{"raw", retention(&l.Raw)}}
		for _, u := range tier.Units() {
			known = append(known, member{u.String(), readTier(u, &l)})
		}
		r.object(v, known)
		r.needs(v, "raw", "say how long events are kept, as raw: 30d")
		if len(r.mistakes) > before {
			return // what is malformed already needs no second opinion
		}
		slices.SortFunc(l.Tiers, func(a, b tier.Tier) int { return a.Unit.Compare(b.Unit) })
		*to = l
	}
}

// rung reads one tier: a retention, or a mapping that says more than that.
func readTier(u tier.Unit, l *tier.Policy) func(*reader, value) {
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
