package tier

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Day24 is the day of retentions: 24 hours, whatever a calendar says.
const Day24 = 24 * time.Hour

// Forever is the retention of rows that never expire.
const Forever time.Duration = 0

// Tier is one rung of a ladder: rollups of a unit, kept for a retention.
type Tier struct {
	Unit      Unit
	Retention time.Duration // from the later of bucket end and write time; Forever means no expiry
	// Least is the least retention this tier ever had; zero means Retention. A row
	// that is absent may have lived and expired by it; only then it is not made anew.
	Least time.Duration
	// From is the first bucket start this tier is kept for, a bucket edge of the next
	// coarser tier; earlier buckets fold as before it was added. Zero means always.
	From model.Time
}

// LeastRetention is the least retention this tier ever had, Forever if it never expired.
func (t Tier) LeastRetention() time.Duration {
	if t.Least != 0 {
		return t.Least
	}
	return t.Retention
}

// ExpiresAt is the TTL attribute of a row of bucket b written at now, in epoch
// seconds; 0 means never.
func (t Tier) ExpiresAt(b Bucket, now model.Time) int64 {
	if t.Retention == Forever {
		return 0
	}
	return max(b.End, now).Add(t.Retention).Seconds()
}

// WholeFrom is the start of the first bucket of which no row can have expired by now,
// whenever it was written, nor been left out because the tier was not kept yet:
// MinTime where rows never expire and the tier was always kept.
func (t Tier) WholeFrom(now model.Time) model.Time {
	whole := model.MinTime
	if least := t.LeastRetention(); least != Forever {
		whole = t.Unit.BucketOf(max(now.Add(-least), model.MinTime)).End
	}
	if t.From != 0 {
		whole = max(whole, t.From)
	}
	return whole
}

// Ladder is raw events and the rollup tiers above them, finest first.
type Ladder struct {
	Raw   time.Duration // retention of events from write time
	Tiers []Tier
}

// Standard is the ladder of a kind that declares none: raw 30 days, hour 90 days,
// day 2 years, month for ever.
func Standard() Ladder {
	return Ladder{Raw: 30 * Day24, Tiers: []Tier{
		{Unit: Hour, Retention: 90 * Day24},
		{Unit: Day, Retention: 730 * Day24},
		{Unit: Month, Retention: Forever},
	}}
}

// The margins that keep a fold from ever reading a child that has expired.
const (
	// SealMargin is how long before its first child expires a row is no longer folded:
	// longer than the longest invocation and the skew of clocks together.
	SealMargin = time.Hour
	// ExpiryMargin is how close to its expiry an item counts as expired, whoever
	// removes it: nobody deletes or corrects it any more, and its removal is no change.
	ExpiryMargin = 5 * time.Minute
	// SlackAfterBucket is what a tier's retention adds to raw and one coarser bucket.
	SlackAfterBucket = 3 * Day24
	// MinRaw is the least retention of raw events.
	MinRaw = 3 * Day24
)

// Finest is the tier folded from events.
func (l Ladder) Finest() Tier { return l.Tiers[0] }

// Find is the tier of unit u and its place in the ladder.
func (l Ladder) Find(u Unit) (Tier, int, bool) {
	for i, t := range l.Tiers {
		if t.Unit == u {
			return t, i, true
		}
	}
	return Tier{}, -1, false
}

// EventExpiresAt is the TTL attribute of an event written at now; 0 means never.
func (l Ladder) EventExpiresAt(now model.Time) int64 {
	if l.Raw == Forever {
		return 0
	}
	return now.Add(l.Raw).Seconds()
}

// Validate refuses a ladder that could fold children that have expired: each tier
// must outlive raw by one bucket of the next coarser tier and three days.
func (l Ladder) Validate() error {
	if len(l.Tiers) == 0 {
		return fmt.Errorf("ladder: no tiers: want at least one of minute, hour, day, month")
	}
	if l.Raw != Forever && l.Raw < MinRaw {
		return fmt.Errorf("ladder: raw %s is shorter than %s: a row could be sealed before late events arrive", days(l.Raw), days(MinRaw))
	}
	for i, t := range l.Tiers {
		if err := l.validateTier(i, t); err != nil {
			return fmt.Errorf("ladder: %w", err)
		}
	}
	return nil
}

func (l Ladder) validateTier(i int, t Tier) error {
	if t.Unit < Minute || t.Unit > Month {
		return fmt.Errorf("tier %d: unit unknown: want minute, hour, day or month", i)
	}
	if i > 0 && t.Unit <= l.Tiers[i-1].Unit {
		return fmt.Errorf("%s after %s: tiers go from fine to coarse, each once", t.Unit, l.Tiers[i-1].Unit)
	}
	if t.Least < 0 || t.Retention < 0 || t.Least > t.Retention && t.Retention != Forever {
		return fmt.Errorf("%s: least retention %s must be between 0 and the retention %s", t.Unit, days(t.Least), days(t.Retention))
	}
	coarsest := i == len(l.Tiers)-1
	if !coarsest && t.From != 0 && l.Tiers[i+1].Unit.BucketOf(t.From).Start != t.From {
		return fmt.Errorf("%s: from %s is not an edge of a %s bucket", t.Unit, t.From, l.Tiers[i+1].Unit)
	}
	if coarsest || t.LeastRetention() == Forever {
		return nil
	}
	if l.Raw == Forever {
		return fmt.Errorf("%s: retention %s is shorter than raw, which is kept for ever", t.Unit, days(t.Retention))
	}
	need := l.Raw + l.Tiers[i+1].Unit.Longest() + SlackAfterBucket
	if t.LeastRetention() < need {
		return fmt.Errorf("%s: retention %s is too short: a %s could be folded after one of its %ss has expired; want at least raw %s + one %s + 3 d = %s",
			t.Unit, days(t.LeastRetention()), l.Tiers[i+1].Unit, t.Unit, days(l.Raw), l.Tiers[i+1].Unit, days(need))
	}
	return nil
}

func days(d time.Duration) string {
	if d%Day24 == 0 {
		return fmt.Sprintf("%d d", d/Day24)
	}
	return d.String()
}
