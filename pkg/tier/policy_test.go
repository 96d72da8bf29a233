package tier_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

const day = tier.Day24

// standardWith returns the standard policy with a change.
func standardWith(change func(*tier.Policy)) tier.Policy {
	p := tier.Standard()
	change(&p)
	return p
}

func TestValidate_AcceptsSafePolicies(t *testing.T) {
	for name, p := range map[string]tier.Policy{
		"standard":        tier.Standard(),
		"with minutes":    {Raw: 30 * day, Tiers: append([]tier.Tier{{Unit: tier.Minute, Retention: 34 * day}}, tier.Standard().Tiers...)},
		"one tier":        {Raw: 3 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: day}}},
		"hours to months": {Raw: 3 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 37 * day}, {Unit: tier.Month, Retention: tier.Forever}}},
		"as short as can be": {Raw: 3 * day, Tiers: []tier.Tier{
			{Unit: tier.Minute, Retention: 6*day + time.Hour}, {Unit: tier.Hour, Retention: 7 * day}, {Unit: tier.Day, Retention: 37 * day}, {Unit: tier.Month, Retention: tier.Forever}}},
		"events only":    {Raw: 30 * day},
		"events forever": {Raw: tier.Forever},
		"all forever":    {Raw: tier.Forever, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: tier.Forever}, {Unit: tier.Day, Retention: tier.Forever}}},
		"raised forever": standardWith(func(p *tier.Policy) { p.Tiers[0].Retention, p.Tiers[0].Least = tier.Forever, 90*day }),
		"raised":         standardWith(func(p *tier.Policy) { p.Tiers[0].Retention, p.Tiers[0].Least = 180*day, 90*day }),
		"begun at a day": standardWith(func(p *tier.Policy) { p.Tiers[0].From = at("2026-04-20T00:00:00Z") }),
		"hours to weeks": {Raw: 3 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 13 * day}, {Unit: tier.Week, Retention: tier.Forever}}},
		"to quarters and years": standardWith(func(p *tier.Policy) {
			p.Tiers[2].Retention = 730 * day
			p.Tiers = append(p.Tiers, tier.Tier{Unit: tier.Quarter, Retention: 730 * day},
				tier.Tier{Unit: year, Retention: tier.Forever})
		}),
	} {
		if err := p.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValidate_ErrorStatesTheMistakeAndTheRemedy(t *testing.T) {
	for name, c := range map[string]struct {
		policy tier.Policy
		want   string
	}{
		"raw a moment":      {tier.Policy{Raw: 5 * time.Minute}, "raw 5m0s is shorter than 1h0m0s"},
		"jitter of none":    {tier.Policy{Raw: 30 * day, Jitter: time.Minute}, "jitter 1m0s spreads closing times of tiers, and there are none"},
		"no raw":            {standardWith(func(p *tier.Policy) { p.Raw = 0 }), "raw is 0s: say how long events are kept, or forever"},
		"no retention":      {standardWith(func(p *tier.Policy) { p.Tiers[2].Retention = 0 }), "month: retention is 0s: say how long rows are kept, or forever"},
		"raw too short":     {standardWith(func(p *tier.Policy) { p.Raw = 3*day - time.Second }), "raw 71h59m59s is shorter than 3 d"},
		"raw negative":      {standardWith(func(p *tier.Policy) { p.Raw = -day }), "raw is -1 d: say how long events are kept, or forever"},
		"unknown unit":      {tier.Policy{Raw: 30 * day, Tiers: []tier.Tier{{}}}, "tier 0 has no known unit: want minute, hour, "},
		"unregistered unit": {tier.Policy{Raw: 30 * day, Tiers: []tier.Tier{{Unit: 99}}}, "no known unit"},
		"coarse first": {tier.Policy{Raw: 30 * day, Tiers: []tier.Tier{{Unit: tier.Day, Retention: tier.Forever}, {Unit: tier.Hour, Retention: tier.Forever}}},
			"hour after day: order the tiers from fine to coarse, each once"},
		"twice": {tier.Policy{Raw: 30 * day, Tiers: []tier.Tier{{Unit: tier.Day, Retention: tier.Forever}, {Unit: tier.Day, Retention: tier.Forever}}},
			"day after day: order the tiers from fine to coarse, each once"},
		"months from weeks": {tier.Policy{Raw: 30 * day, Tiers: []tier.Tier{{Unit: tier.Week, Retention: tier.Forever}, {Unit: tier.Month, Retention: tier.Forever}}},
			"month after week: one week can lie in two months, so a month is not the sum of its weeks: remove one of the two tiers"},
		"quarters from weeks": {tier.Policy{Raw: 30 * day, Tiers: []tier.Tier{{Unit: tier.Day, Retention: tier.Forever}, {Unit: tier.Week, Retention: tier.Forever}, {Unit: tier.Quarter, Retention: tier.Forever}}}, "quarter after week: "},
		"retention negative":  {standardWith(func(p *tier.Policy) { p.Tiers[2].Retention = -day }), "month: retention is -1 d: say how long rows are kept"},
		"least negative":      {standardWith(func(p *tier.Policy) { p.Tiers[0].Least = -day }), "hour: least retention -1 d must be between 0 and the retention 90 d"},
		"least above":         {standardWith(func(p *tier.Policy) { p.Tiers[0].Least = 91 * day }), "hour: least retention 91 d must be between 0 and the retention 90 d"},
		"From inside a day": {standardWith(func(p *tier.Policy) { p.Tiers[0].From = at("2026-04-20T01:00:00Z") }),
			"hour: from 2026-04-20T01:00:00.000Z is not the start of a day"},
		"hour a second short": {standardWith(func(p *tier.Policy) { p.Tiers[0].Retention = 34*day - time.Second }),
			"hour: retention 815h59m59s is too short: a day could be folded after one of its hours has expired; want at least raw 30 d + one day + 3 d = 34 d"},
		"day a day short": {standardWith(func(p *tier.Policy) { p.Tiers[1].Retention = 63 * day }), "want at least raw 30 d + one month + 3 d = 64 d"},
		"once too short":  {standardWith(func(p *tier.Policy) { p.Tiers[0].Least = 33 * day }), "hour: retention 33 d is too short"},
		"raw forever":     {standardWith(func(p *tier.Policy) { p.Raw = tier.Forever }), "hour: retention 90 d is shorter than for raw events, which are kept forever"},
	} {
		err := c.policy.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "tiers: ") {
			t.Errorf("%s: got %v, want tiers: … %s", name, err, c.want)
		}
	}
}

// What Validate guarantees: as long as an event exists, however late it was written, a
// fold of the coarser bucket around it finds every row of the finer tier.
func TestValidate_NoChildExpiresWhileEventsOfItsParentExist(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := func(name string, most int) time.Duration {
			return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * day
		}
		// Most of these are valid, so that no run skips too many.
		raw := days("raw", 40)
		p := tier.Policy{Raw: raw, Tiers: []tier.Tier{
			{Unit: tier.Hour, Retention: raw + days("hour", 90)},
			{Unit: tier.Day, Retention: raw + days("day", 200)},
			{Unit: tier.Month, Retention: tier.Forever},
		}}
		if p.Validate() != nil || p.Raw == tier.Forever {
			t.Skip("the policy is invalid, or nothing expires")
		}
		written := model.Time(rapid.Int64Range(0, 4e12).Draw(t, "written"))
		for i := 1; i < len(p.Tiers); i++ {
			fine, coarse := p.Tiers[i-1], p.Tiers[i].Unit.BucketAt(written)
			child := fine.Unit.BucketAt(coarse.Start) // the first of its children, folded at once
			if fine.Retention == tier.Forever {
				continue
			}
			if end := fine.ExpiresAt(child, child.End); end <= max(coarse.End, written).Add(p.Raw).Seconds() {
				t.Fatalf("%v expires at %d, while events of %v exist", child, end, coarse)
			}
		}
	})
}

func TestExpiresAt_CountsFromTheLaterOfBucketEndAndWriteTime(t *testing.T) {
	hour := tier.Tier{Unit: tier.Hour, Retention: 90 * day}
	b := tier.Hour.BucketAt(at("2026-04-20T14:05:00Z"))
	for name, c := range map[string]struct{ now, want string }{
		"written within the bucket": {"2026-04-20T14:05:00Z", "2026-07-19T15:00:00Z"},
		"written at its end":        {"2026-04-20T15:00:00Z", "2026-07-19T15:00:00Z"},
		"written a month later":     {"2026-05-20T16:30:00.999Z", "2026-08-18T16:30:00Z"},
	} {
		if got, want := hour.ExpiresAt(b, at(c.now)), at(c.want).Seconds(); got != want {
			t.Errorf("%s: expires at %d, want %d", name, got, want)
		}
	}
	if got := (tier.Tier{Unit: tier.Month, Retention: tier.Forever}).ExpiresAt(b,
		at("2026-04-20T15:00:00Z")); got != 0 {
		t.Errorf("a row of a tier without expiry expires at %d, want 0", got)
	}
}

func TestEventExpiresAt_CountsFromWriteTime(t *testing.T) {
	now := at("2026-04-20T14:05:00.999Z")
	if got, want := tier.Standard().EventExpiresAt(now), at("2026-05-20T14:05:00Z").Seconds(); got != want {
		t.Errorf("expires at %d, want %d", got, want)
	}
	if got := (tier.Policy{Raw: tier.Forever}).EventExpiresAt(now); got != 0 {
		t.Errorf("an event without expiry expires at %d, want 0", got)
	}
}

func TestLeastRetention_IsTheRetentionUnlessThatWasRaised(t *testing.T) {
	for name, c := range map[string]struct {
		tier tier.Tier
		want time.Duration
	}{
		"never changed":  {tier.Tier{Retention: 90 * day}, 90 * day},
		"raised":         {tier.Tier{Retention: 180 * day, Least: 90 * day}, 90 * day},
		"raised forever": {tier.Tier{Retention: tier.Forever, Least: 90 * day}, 90 * day},
		"always forever": {tier.Tier{Retention: tier.Forever}, tier.Forever},
	} {
		if got := c.tier.LeastRetention(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestFind_ReturnsTheTierAndItsLevel(t *testing.T) {
	p := tier.Standard()
	if got, i, ok := p.Find(tier.Day); !ok || i != 1 || got.Unit != tier.Day {
		t.Errorf("Find(day) = %v, %d, %v", got, i, ok)
	}
	if _, i, ok := p.Find(tier.Minute); ok || i != -1 {
		t.Errorf("Find(minute) = %d, %v in a policy without minutes", i, ok)
	}
	if p.Finest().Unit != tier.Hour {
		t.Errorf("the finest tier is %s, want hour", p.Finest().Unit)
	}
}

func TestStandard_ReturnsANewValueEachTime(t *testing.T) {
	tier.Standard().Tiers[0].Retention = 0
	if got := tier.Standard().Tiers[0].Retention; got != 90*day {
		t.Errorf("changing one result changed the next: hour is kept %s", got)
	}
}
