package tier_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// deferredWith returns the standard policy with all tiers deferred, and a change.
func deferredWith(change func(*tier.Policy)) tier.Policy {
	return standardWith(func(p *tier.Policy) {
		for level := range p.Tiers {
			p.Tiers[level].Deferred = true
		}
		change(p)
	})
}

func TestClosesAt_IsEndGraceAndJitter(t *testing.T) {
	p := deferredWith(func(p *tier.Policy) {
		p.Tiers[0].Deferred = false
		p.Tiers[1].Grace = time.Minute
		p.Tiers[2].Grace = time.Minute
	})
	day := tier.Day.BucketAt(at("2026-04-20T14:00:00Z"))
	if got := p.ClosesAt(0, tier.Hour.BucketAt(day.Start), model.Series{}); got != model.MinTime {
		t.Errorf("an immediate hour closes at %s, want MinTime", got)
	}
	if got, want := p.ClosesAt(1, day, model.Series{}), day.End.Add(time.Minute); got != want {
		t.Errorf("the day closes at %s, want %s", got, want)
	}
	if got := p.ClosesAt(2, tier.Month.BucketAt(model.MaxTime), model.Series{}); got != model.MaxTime {
		t.Errorf("the last month closes at %d, want %d", got, model.MaxTime)
	}
	if !p.HasDeferred() || tier.Standard().HasDeferred() || (tier.Policy{}).HasDeferred() {
		t.Error("want deferred tiers in this policy only")
	}
}

func TestClosesAt_ABucketClosesNotAfterTheCoarserOneAroundIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		grace := rapid.IntRange(0, 600)
		p := deferredWith(func(p *tier.Policy) {
			p.Jitter = time.Duration(rapid.IntRange(0, 600).Draw(t, "jitter")) * time.Second
			for level := range p.Tiers {
				p.Tiers[level].Deferred = level >= rapid.IntRange(0, 1).Draw(t, "immediate")
				p.Tiers[level].Grace = time.Duration(grace.Draw(t, "grace")) * time.Second
			}
		})
		if p.Validate() != nil {
			t.Skip("the policy is invalid")
		}
		s := model.Series{Subject: model.Subject{Type: "DEVICE", ID: rapid.String().Draw(t, "id")}, Kind: "READING"}
		when := anyTime().Draw(t, "time")
		for level := 1; level < len(p.Tiers); level++ {
			child, parent := p.Tiers[level-1].Unit.BucketAt(when), p.Tiers[level].Unit.BucketAt(when)
			if p.ClosesAt(level-1, child, s) > p.ClosesAt(level, parent, s) {
				t.Fatalf("%v closes after %v", child, parent)
			}
			if late := p.ClosesAt(level, parent, s).Sub(parent.End); p.Tiers[level].Deferred &&
				parent.End <= model.MaxTime && late > p.Tiers[level].Grace+p.Jitter {
				t.Fatalf("%v closes %s after its end", parent, late)
			}
		}
	})
}

func TestClosesAt_JitterSpreadsSeriesAndIsTheSameForShards(t *testing.T) {
	p := deferredWith(func(p *tier.Policy) { p.Jitter = 10 * time.Minute })
	b := tier.Hour.BucketAt(0)
	seen := map[model.Time]bool{}
	for i := range 100 {
		s := model.Series{Subject: model.Subject{Type: "DEVICE", ID: string(rune('a' + i))}, Kind: "READING"}
		first := p.ClosesAt(0, b, s)
		s.Shard = 7
		if got := p.ClosesAt(0, b, s); got != first {
			t.Errorf("shard 7 closes at %s, the series at %s", got, first)
		}
		if first < b.End || first >= b.End.Add(p.Jitter) {
			t.Errorf("closes at %s, want within the jitter after %s", first, b.End)
		}
		seen[first] = true
	}
	if len(seen) < 95 {
		t.Errorf("100 series close at %d times", len(seen))
	}
}

func TestValidate_RefusesDeferredTiersThatCloseOutOfOrder(t *testing.T) {
	for want, p := range map[string]tier.Policy{
		"":                                     deferredWith(func(p *tier.Policy) { p.Tiers[0].Deferred = false }),
		"day: immediate above deferred hours":  deferredWith(func(p *tier.Policy) { p.Tiers[1].Deferred = false }),
		"day: grace 1m0s is shorter than 2m0s": deferredWith(func(p *tier.Policy) { p.Tiers[0].Grace, p.Tiers[1].Grace = 2*time.Minute, time.Minute }),
		"hour: grace -1s must not be negative": deferredWith(func(p *tier.Policy) { p.Tiers[0].Grace = -time.Second }),
		"jitter 1µs must be":                   deferredWith(func(p *tier.Policy) { p.Jitter = time.Microsecond }),
		"jitter -1s must be":                   deferredWith(func(p *tier.Policy) { p.Jitter = -time.Second }),
		"raw 3 d is too short for deferred hours: want at": deferredWith(func(p *tier.Policy) { p.Raw = 3 * day }),
	} {
		err := p.Validate()
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}
