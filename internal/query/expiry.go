package query

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// expired reports whether an item with this TTL attribute, in epoch seconds, has expired
// for readers. TTL may not have removed it yet. 0 never expires.
func expired(expiresAt int64, now model.Time) bool {
	return expiresAt != 0 && expiresAt <= now.Seconds()
}

// eventsCompleteFrom returns the time from which on no event can have expired. An
// event's retention starts when it is written, which may be before its own time by as
// much as a clock may run ahead.
func eventsCompleteFrom(l tier.Policy, now model.Time) model.Time {
	least := l.LeastRawRetention()
	if least == tier.Forever {
		return model.MinTime
	}
	return max(now.Add(-least).Add(tier.ExpiryMargin), model.MinTime)
}

// Visible reports whether readers of one series see a row: it is neither empty nor expired.
// policy is that of the kind.
func Visible(policy tier.Policy, r *rollup.Row, now model.Time) bool {
	unit, _ := tier.ParseUnit(r.Key.Tier)
	t, _, _ := policy.Find(unit)
	return visible(r, t, false, now)
}

// visible is Visible for a row that is, or is not, one of several that are merged. These
// expire one by one, so their bucket is hidden as soon as the first of them may have expired. t
// is the tier in which rows of the bucket expire first.
func visible(r *rollup.Row, t tier.Tier, oneOfSeveral bool, now model.Time) bool {
	if r.Empty || expired(r.ExpiresAt, now) || r.Key.Start < t.From && t.From != 0 {
		return false // before From there are only rows of a tier that was removed and added again
	}
	if !oneOfSeveral || t.LeastRetention() == tier.Forever {
		return true
	}
	first := t.Unit.BucketOf(r.Key.Start).End.Add(t.LeastRetention()).Seconds()
	return !expired(first, now)
}
