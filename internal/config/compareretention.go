package config

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// compareRetention compares two retention policies. A row is computed from the rows of the tier below, so
// that tier must be stored for the same time. A missing row is recomputed only if it cannot have existed and
// expired, which depends on the least retention that its tier ever had.
func compareRetention(path string, before, after tier.Policy) []Change {
	changes := differ(join(path, "raw"), keptText(before.Raw), keptText(after.Raw), rawRuling(before, after))
	changes = append(changes, differ(join(path, "jitter"), spanText(before.Jitter), spanText(after.Jitter),
		closingRuling(before.HasDeferred() && after.HasDeferred()))...)
	changes = append(changes, differ(join(path, "lateEvery"), spanText(before.LateEvery), spanText(after.LateEvery),
		closingRuling(before.HasDeferred() && after.HasDeferred()))...)
	for i, t := range before.Tiers {
		where := join(path, t.Unit.String())
		if b, _, ok := after.Find(t.Unit); ok {
			changes = append(changes, compareTier(where, t, b)...)
		} else {
			changes = append(changes, removedTier(i == len(before.Tiers)-1).change(where, keptText(t.Retention), ""))
		}
	}
	for i, t := range after.Tiers {
		if _, _, ok := before.Find(t.Unit); !ok {
			changes = append(changes, addedTier(t, i == len(after.Tiers)-1).change(join(path, t.Unit.String()), "", keptText(t.Retention)))
		}
	}
	return changes
}

func rawRuling(before, after tier.Policy) ruling {
	if after.Raw < before.Raw {
		return ruling{Safe, "new events expire sooner, so late data is exact for a shorter time; stored events keep their time of expiry"}
	}
	return ruling{Safe, "new events expire later, so late data is exact for longer; stored events keep their time of expiry"}
}

func compareTier(path string, a, b tier.Tier) []Change {
	retention := ruling{Safe, "rollups written from now on expire later"}
	if b.Retention < a.Retention {
		retention = ruling{Safe, "rollups written from now on expire sooner"}
	}
	changes := differ(join(path, "retention"), keptText(a.Retention), keptText(b.Retention), retention)
	changes = append(changes, differ(join(path, "from"), fromText(a), fromText(b),
		ruling{Safe, "the table keeps the time from which the tier has rows"})...)
	changes = append(changes, differ(join(path, "mode"), modeText(a.Deferred), modeText(b.Deferred), modeRuling(b))...)
	return append(changes, differ(join(path, "grace"), spanText(a.Grace), spanText(b.Grace), closingRuling(a.Deferred && b.Deferred))...)
}

func modeRuling(after tier.Tier) ruling {
	if after.Deferred {
		return ruling{Safe, "readers fold open buckets as soon as it is applied, and aggregation leaves these buckets an hour later"}
	}
	return ruling{Safe, "aggregation writes rows with each batch again; run tidemark rollups immediate to let readers use them"}
}

// closingRuling is about a change of closing times. Aggregation and readers learn of it at
// different times: between them, a bucket could be neither swept nor folded.
func closingRuling(deferred bool) ruling {
	if deferred {
		return ruling{Refused, "readers could take an open bucket for a closed one: make the tiers immediate first (tidemark rollups immediate), then deferred with the new value"}
	}
	return ruling{Safe, "it applies when the tiers become deferred"}
}

func removedTier(coarsest bool) ruling {
	if coarsest {
		return ruling{Safe, "its stored rows are no longer updated or read, and expire"}
	}
	return ruling{Refused, "coarser rollups are computed from this tier and are kept longer than the tier below it: recomputing them would lose data that only this tier has"}
}

func addedTier(t tier.Tier, coarsest bool) ruling {
	switch {
	case coarsest:
		return ruling{NeedsRebuild, "past buckets have no row until one of their events changes: run tidemark rebuild to compute them from the tier below"}
	case t.From != 0:
		return ruling{Safe, "its rows begin at " + fromText(t) + ", or later if it is applied later; earlier buckets are computed without it"}
	}
	return ruling{Safe, "its rows begin with the first bucket of the next coarser tier that starts an hour or more after tidemark config apply; earlier buckets are computed without it"}
}

func fromText(t tier.Tier) string {
	if t.From == 0 {
		return ""
	}
	return t.From.String()
}

func keptText(d time.Duration) string {
	if d == tier.Forever {
		return "forever"
	}
	return spanText(d)
}
