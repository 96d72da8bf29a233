package tier

import (
	"fmt"
	"time"
)

// Validate returns an error where a bucket is not the sum of its children: where the
// units do not nest, or where a child could expire before its parent is folded. Each
// tier must outlive raw by one bucket of the next coarser tier and three days.
func (p Policy) Validate() error {
	switch {
	case p.Raw <= 0:
		return fmt.Errorf("tiers: raw is %s: say how long events are kept, or forever", days(p.Raw))
	case len(p.Tiers) == 0:
		return p.validateWithoutTiers()
	case p.Raw < MinRaw:
		return fmt.Errorf("tiers: raw %s is shorter than %s: a row could be sealed before late events arrive",
			days(p.Raw), days(MinRaw))
	}
	for i, t := range p.Tiers {
		if !t.Unit.Valid() {
			return fmt.Errorf("tiers: tier %d has no known unit: want %s", i, UnitNames())
		}
	}
	for i := range p.Tiers {
		if err := p.validateTier(i); err != nil {
			return fmt.Errorf("tiers: %w", err)
		}
	}
	if err := p.validateClosing(); err != nil {
		return fmt.Errorf("tiers: %w", err)
	}
	return nil
}

// validateWithoutTiers returns an error where events would hardly be stored at all, or where
// a setting of tiers has no tier.
func (p Policy) validateWithoutTiers() error {
	switch {
	case p.Raw < SealMargin:
		return fmt.Errorf("tiers: raw %s is shorter than %s, the least retention of events", days(p.Raw),
			days(SealMargin))
	case p.Jitter != 0:
		return fmt.Errorf("tiers: jitter %s spreads closing times of tiers, and there are none: "+
			"remove it, or declare a tier", p.Jitter)
	}
	return nil
}

func (p Policy) validateTier(level int) error {
	t := p.Tiers[level]
	if level > 0 {
		if err := validateOrder(p.Tiers[level-1].Unit, t.Unit); err != nil {
			return err
		}
	}
	if t.Retention <= 0 {
		return fmt.Errorf("%s: retention is %s: say how long rows are kept, or forever", t.Unit, days(t.Retention))
	}
	if t.Least < 0 || t.Least > t.Retention {
		return fmt.Errorf("%s: least retention %s must be between 0 and the retention %s", t.Unit, days(t.Least),
			days(t.Retention))
	}
	if level == len(p.Tiers)-1 {
		return nil
	}
	parent := p.Tiers[level+1].Unit
	if t.From != 0 && parent.BucketAt(t.From).Start != t.From {
		return fmt.Errorf("%s: from %s is not the start of a %s", t.Unit, t.From, parent)
	}
	return t.validateRetention(p.Raw, parent)
}

// validateOrder returns an error where coarse cannot be folded from the rows of fine.
func validateOrder(fine, coarse Unit) error {
	if !fine.FinerThan(coarse) {
		return fmt.Errorf("%s after %s: order the tiers from fine to coarse, each once", coarse, fine)
	}
	if !fine.NestsIn(coarse) {
		return fmt.Errorf("%s after %s: one %s can lie in two %ss, so a %s is not the sum of its %ss: "+
			"remove one of the two tiers",
			coarse, fine, fine, coarse, coarse, fine)
	}
	return nil
}

// validateRetention returns an error where rows of t can expire before the bucket of
// the parent tier that they are folded into is sealed.
func (t Tier) validateRetention(raw time.Duration, parent Unit) error {
	least := t.LeastRetention()
	if least == Forever {
		return nil
	}
	if raw == Forever {
		return fmt.Errorf("%s: retention %s is shorter than for raw events, which are kept forever", t.Unit,
			days(t.Retention))
	}
	need := raw + parent.Longest() + SlackAfterBucket
	if least < need {
		return fmt.Errorf("%s: retention %s is too short: a %s could be folded after one of its %ss has "+
			"expired; want at least raw %s + one %s + 3 d = %s",
			t.Unit, days(least), parent, t.Unit, days(raw), parent, days(need))
	}
	return nil
}

func days(d time.Duration) string {
	if d == Forever {
		return "forever"
	}
	if d%Day24 == 0 && d != 0 {
		return fmt.Sprintf("%d d", d/Day24)
	}
	return d.String()
}
