package tier

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Day24 is a day of retention: always 24 hours.
const Day24 = 24 * time.Hour

// Forever is the retention of items that never expire: the longest Duration. Zero is not a
// retention, so that a policy of events that are kept for ever differs from no policy.
const Forever time.Duration = math.MaxInt64

// The margins that keep a fold from ever reading a child that has expired.
const (
	// SealMargin is how long before its first child expires a row is no longer folded:
	// longer than the longest invocation and the clock skew together.
	SealMargin = time.Hour
	// ExpiryMargin is how close to its expiry an item counts as expired: it is no longer
	// deleted or corrected, and its removal, by TTL or by a user, is not a change.
	ExpiryMargin = 5 * time.Minute
	// SlackAfterBucket is what a tier's retention adds to raw and one coarser bucket.
	SlackAfterBucket = 3 * Day24
	// MinRaw is the least retention of raw events.
	MinRaw = 3 * Day24
)

// Tier is the rollups of one unit, and how long they are kept.
type Tier struct {
	Unit      Unit
	Retention time.Duration // from the later of bucket end and write time; Forever: no expiry
	// Least is the shortest retention that this tier ever had; zero means Retention. An
	// absent row that may have expired by it is not created again.
	Least time.Duration
	// From is the start of the first bucket that this tier has rows for, and the start of
	// a bucket of the next coarser tier. Earlier buckets are folded without this tier.
	// Zero means that the tier always existed.
	From model.Time
	// Deferred says that a row is written when its bucket closes, not with each batch of
	// changes: readers fold open buckets. All coarser tiers must be deferred too.
	Deferred bool
	// DeferredFrom is when aggregation begins to leave open buckets of a deferred tier:
	// later than readers begin to fold them. Zero means that it always did; MaxTime, that it
	// has ended and some rows may still be out of date.
	DeferredFrom model.Time
	// Grace is how long after its end a bucket of a deferred tier closes. It must not be shorter than
	// the grace of a finer deferred tier.
	Grace time.Duration
}

// LeastRetention returns the shortest retention that this tier ever had; Forever if its rows never expired.
func (t Tier) LeastRetention() time.Duration { return cmp.Or(t.Least, t.Retention) }

// ExpiresAt returns the TTL attribute of a row of bucket b written at now, in epoch seconds; 0 means never.
func (t Tier) ExpiresAt(b Bucket, now model.Time) int64 {
	if t.Retention == Forever {
		return 0
	}
	return max(b.End, now).Add(t.Retention).Seconds()
}

// CompleteFrom returns the start of the first bucket from which no row can be missing:
// none can have expired by now, whenever it was written, and the tier already existed.
// It is MinTime where rows never expire and the tier always existed.
func (t Tier) CompleteFrom(now model.Time) model.Time {
	from := model.MinTime
	if least := t.LeastRetention(); least != Forever {
		from = t.Unit.BucketAt(max(now.Add(-least), model.MinTime)).End
	}
	if t.From != 0 {
		from = max(from, t.From)
	}
	return from
}

// Policy is the retention policy of a kind: how long raw events live, and the rollup tiers above them, finest
// first. A policy without tiers keeps events only: Policy{Raw: Forever} is history for ever without rollups.
// The zero Policy of a kind is Standard. The finest tier is folded from events, each other tier from the rows
// of the tier before it. A tier's index is its level.
type Policy struct {
	Raw time.Duration // retention of events, from write time
	// LeastRaw is the shortest retention that events ever had; zero means Raw.
	LeastRaw time.Duration
	Tiers    []Tier
	// Jitter spreads the closing times of deferred tiers: each series adds a fixed part of
	// it, so that not all buckets close at once. Zero means no spread.
	Jitter time.Duration
	// LateEvery coalesces late changes: a bucket that closed longer ago than this is recomputed
	// at the end of a tick of this length, and not with each batch of changes. Zero means at once.
	LateEvery time.Duration
}

// LeastRawRetention returns the shortest retention that events ever had; Forever if they never expired.
func (p Policy) LeastRawRetention() time.Duration { return cmp.Or(p.LeastRaw, p.Raw) }

// Standard returns the policy of a kind that declares none: raw 30 days, hour 90 days,
// day 2 years, month forever.
func Standard() Policy {
	return Policy{Raw: 30 * Day24, Tiers: []Tier{
		{Unit: Hour, Retention: 90 * Day24},
		{Unit: Day, Retention: 730 * Day24},
		{Unit: Month, Retention: Forever},
	}}
}

// Defer returns the policy with all tiers deferred.
func (p Policy) Defer() Policy {
	p.Tiers = slices.Clone(p.Tiers)
	for level := range p.Tiers {
		p.Tiers[level].Deferred = true
	}
	return p
}

// Finest returns the tier that is folded from events. The policy must have tiers.
func (p Policy) Finest() Tier { return p.Tiers[0] }

// Find returns the tier of unit u and its level; -1 and false where there is none.
func (p Policy) Find(u Unit) (t Tier, level int, found bool) {
	for i, t := range p.Tiers {
		if t.Unit == u {
			return t, i, true
		}
	}
	return Tier{}, -1, false
}

// EventExpiresAt returns the TTL attribute of an event written at now, in epoch seconds; 0 means never.
func (p Policy) EventExpiresAt(now model.Time) int64 {
	if p.Raw == Forever {
		return 0
	}
	return now.Add(p.Raw).Seconds()
}

// HasRow reports whether the tier has a row for bucket b: a tier that was added later has
// rows only from its From on.
func (t Tier) HasRow(b Bucket) bool { return t.From == 0 || b.Start >= t.From }

// ChildLevel returns the level whose rows add up to bucket b of the given level; -1 where b is folded from
// events. It skips a tier that begins within b, because rows of it are missing.
func (p Policy) ChildLevel(level int, b Bucket) int {
	for i := level - 1; i >= 0; i-- {
		if p.Tiers[i].HasRow(b) {
			return i
		}
	}
	return -1
}
