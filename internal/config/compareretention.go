package config

import (
	"math"
	"time"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// compareLadder judges by two facts. A coarser row is folded from the rows of the tier
// below it, so that tier must hold all it held. And a row that is absent is made anew
// only where it cannot have lived and expired, which is told by the least retention
// its tier ever had.
func compareRetention(path string, before, after tier.Policy) []Change {
	changes := differ(join(path, "raw"), keptText(before.Raw), keptText(after.Raw), rawRuling(before, after))
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
	if kept(after.Raw) < kept(before.Raw) {
		return ruling{Safe, "events from now on live shorter, and late data is exact for that long alone; those that are stored keep their time"}
	}
	return ruling{Safe, "events from now on live longer, and late data is exact for as long; those that are stored keep their time"}
}

func compareTier(path string, a, b tier.Tier) []Change {
	retention := ruling{Safe, "rows written from now on live longer"}
	if kept(b.Retention) < kept(a.Retention) {
		retention = ruling{Safe, "rows written from now on live shorter, and history ends sooner"}
	}
	changes := differ(join(path, "retention"), keptText(a.Retention), keptText(b.Retention), retention)
	if kept(b.LeastRetention()) > kept(a.LeastRetention()) {
		least := ruling{Refused, "rows have expired by the shorter retention, and would be taken for such as never were and be made anew from a part of their events: write least: " + keptText(a.LeastRetention())}
		changes = append(changes, least.change(join(path, "least"), keptText(a.LeastRetention()), keptText(b.LeastRetention())))
	}
	return append(changes, differ(join(path, "from"), fromText(a), fromText(b),
		ruling{Refused, "coarser rows between the two would be folded from rows that are not there: a tier keeps the from it began with"})...)
}

func removedTier(coarsest bool) ruling {
	if coarsest {
		return ruling{Safe, "its rows stay as they stand until they expire, and are read no longer"}
	}
	return ruling{Refused, "coarser rows were folded from it and outlive what is below it: folded again they would lose what only its rows still tell"}
}

func addedTier(t tier.Tier, coarsest bool) ruling {
	switch {
	case coarsest:
		return ruling{NeedsRebuild, "buckets of the past have no row until something in them changes: rebuild makes them from the tier below"}
	case t.From == 0:
		return ruling{Refused, "coarser rows of the past would be folded from rows that never were: write from: the first edge of the next coarser bucket after the deployment"}
	}
	return ruling{NeedsRebuild, "its rows begin at " + fromText(t) + ": where that lies behind once this is deployed, rebuild from there on"}
}

func fromText(t tier.Tier) string {
	if t.From == 0 {
		return ""
	}
	return t.From.String()
}

// kept is a retention that compares: for ever is the longest.
func kept(d time.Duration) time.Duration {
	if d == tier.Forever {
		return math.MaxInt64
	}
	return d
}

func keptText(d time.Duration) string {
	if d == tier.Forever {
		return "forever"
	}
	return spanText(d)
}
