package config

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

// compareRetention compares two retention policies. A row is computed from the rows of the tier below, so
// that tier must be stored for the same time. A missing row is recomputed only if it cannot have existed and
// expired, which depends on the least retention that its tier ever had.
func compareRetention(path string, before, after tier.Policy) []Change {
	closes := closing(before.HasDeferred() && after.HasDeferred())
	changes := slices.Concat(
		differ(Join(path, "raw"), keptText(before.Raw), keptText(after.Raw),
			lessOrMore("tiers.raw", before.Raw, after.Raw)),
		differ(Join(path, "jitter"), SpanText(before.Jitter), SpanText(after.Jitter), closes),
		differ(Join(path, "lateEvery"), SpanText(before.LateEvery), SpanText(after.LateEvery), closes))
	for i, t := range before.Tiers {
		where := Join(path, t.Unit.String())
		if b, _, ok := after.Find(t.Unit); ok {
			changes = append(changes, compareTier(where, t, b)...)
		} else {
			changes = append(changes, change(where, keptText(t.Retention), "",
				fmt.Sprintf("tiers.removed.coarsest.%t", i == len(before.Tiers)-1)))
		}
	}
	for i, t := range after.Tiers {
		if _, _, ok := before.Find(t.Unit); !ok {
			changes = append(changes, addedTier(Join(path, t.Unit.String()), t, i == len(after.Tiers)-1))
		}
	}
	return changes
}

// lessOrMore names the ruling of a number or a duration.
func lessOrMore[T cmp.Ordered](name string, before, after T) string {
	if after < before {
		return name + ".less"
	}
	return name + ".more"
}

func compareTier(path string, a, b tier.Tier) []Change {
	return slices.Concat(
		differ(Join(path, "retention"), keptText(a.Retention), keptText(b.Retention),
			lessOrMore("tiers.retention", a.Retention, b.Retention)),
		differ(Join(path, "from"), fromText(a), fromText(b), "tiers.from"),
		differ(Join(path, "mode"), textFor(Modes, a.Deferred), textFor(Modes, b.Deferred),
			"tiers.mode."+textFor(Modes, b.Deferred)),
		differ(Join(path, "grace"), SpanText(a.Grace), SpanText(b.Grace), closing(a.Deferred && b.Deferred)))
}

// closing names the ruling of a change of closing times. Aggregation and readers learn of it at
// different times: between them, a bucket could be neither swept nor folded.
func closing(deferred bool) string { return "tiers.closing." + textFor(Modes, deferred) }

func addedTier(path string, t tier.Tier, coarsest bool) Change {
	ruling := "tiers.added.finer"
	switch {
	case coarsest:
		ruling = "tiers.added.coarsest"
	case t.From != 0:
		ruling = "tiers.added.from"
	}
	return change(path, "", keptText(t.Retention), ruling)
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
	return SpanText(d)
}
