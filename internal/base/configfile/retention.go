package configfile

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/config"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// retentionPolicy replaces a whole policy: tiers that the file does not have are removed.
func retentionPolicy(to *tier.Policy) func(*reader, value) {
	return func(r *reader, v value) {
		if r.isNull(v) || !r.is(v, yaml.MappingNode, "a mapping of tiers (raw: 30d, hour: 90d, …)") {
			return
		}
		var l tier.Policy
		before := len(r.mistakes)
		known := members{{"raw", retention(&l.Raw)}, {"jitter", span(&l.Jitter)}, {"lateEvery", span(&l.LateEvery)}}
		for _, u := range tier.Units() {
			known = append(known, member{u.String(), readTier(u, &l)})
		}
		r.object(v, known)
		r.needs(v, "raw", "add how long events are kept, for example raw: 30d")
		if len(r.mistakes) > before {
			return // there is a mistake already
		}
		slices.SortFunc(l.Tiers, func(a, b tier.Tier) int { return a.Unit.Compare(b.Unit) })
		*to = l
	}
}

func tierMode(deferred *bool) func(*reader, value) {
	return func(r *reader, v value) {
		s, ok := r.scalar(v, wantText, "!!str")
		mode, known := config.Modes[s]
		switch {
		case !ok:
		case !known:
			r.wrong(v, "%q is not a mode of a tier: want deferred (rows are written when their buckets "+
				"close) or immediate (with each batch of changes)", s)
		default:
			*deferred = mode
		}
	}
}

// readTier reads one tier: a retention, or a mapping.
func readTier(u tier.Unit, l *tier.Policy) func(*reader, value) {
	return func(r *reader, v value) {
		t := tier.Tier{Unit: u, Deferred: true}
		if v.node.Kind != yaml.MappingNode {
			retention(&t.Retention)(r, v)
			l.Tiers = append(l.Tiers, t)
			return
		}
		r.object(v, members{
			{"retention", retention(&t.Retention)},
			{"mode", tierMode(&t.Deferred)},
			{"grace", span(&t.Grace)},
			{"least", finite(&t.Least)},
			{"from", instant(&t.From)},
		})
		r.needs(v, "retention", "add how long these rows are kept, for example retention: 90d or forever")
		l.Tiers = append(l.Tiers, t)
	}
}
