package simulation

import (
	"time"

	"github.com/tidemark-db/tidemark/internal/simstream"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// changePolicy deploys another retention policy. For an hour, old and new code run at the same time.
func (w *world) changePolicy(_ string, d simstream.Dice, _ model.Time) {
	k := *w.kind()
	k.Retention = changed(k.Retention, d, w.Now())
	if w.before != nil || k.Retention.Validate() != nil {
		return
	}
	w.before, w.now = w.now, catalogOf(k)
	w.Logf("", "the retention policy becomes %+v", k.Retention)
	w.After(overlap, func() { w.before = nil })
}

// overlap is how long two versions of the code run at the same time.
const overlap = time.Hour

// changed returns the policy with another retention of one tier, or with a minute tier that
// begins at a future hour.
func changed(p tier.Policy, d simstream.Dice, now model.Time) tier.Policy {
	tiers := append([]tier.Tier(nil), p.Tiers...)
	if next := tiers[0].Unit; next == tier.Hour && d.Chance("minutes", .3) {
		from := tier.Hour.BucketOf(now.Add(2 * overlap)).End
		minute := tier.Tier{Unit: tier.Minute, Retention: p.Raw + 4*tier.Day24, From: from}
		return tier.Policy{Raw: p.Raw, Tiers: append([]tier.Tier{minute}, tiers...), Jitter: p.Jitter}
	}
	t := &tiers[d.Pick("tier", len(tiers))]
	if t.Retention != tier.Forever {
		t.Least = t.LeastRetention()
		t.Retention = t.Retention / time.Duration(1+d.Pick("shorter", 3)) * time.Duration(1+d.Pick("longer", 3))
		t.Least = min(t.Least, t.Retention)
	}
	return tier.Policy{Raw: p.Raw, Tiers: tiers, Jitter: p.Jitter}
}
