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

// rungs is the standard ladder with something changed.
func rungs(change func(*tier.Ladder)) tier.Ladder {
	l := tier.Standard()
	change(&l)
	return l
}

func TestValidate_AcceptsTheLaddersItPromises(t *testing.T) {
	for name, l := range map[string]tier.Ladder{
		"standard":        tier.Standard(),
		"with minutes":    {Raw: 30 * day, Tiers: append([]tier.Tier{{Unit: tier.Minute, Retention: 34 * day}}, tier.Standard().Tiers...)},
		"one tier":        {Raw: 3 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: day}}},
		"hours to months": {Raw: 3 * day, Tiers: []tier.Tier{{Unit: tier.Hour, Retention: 37 * day}, {Unit: tier.Month}}},
		"as short as can be": {Raw: 3 * day, Tiers: []tier.Tier{
			{Unit: tier.Minute, Retention: 6*day + time.Hour}, {Unit: tier.Hour, Retention: 7 * day}, {Unit: tier.Day, Retention: 37 * day}, {Unit: tier.Month}}},
		"all for ever":     {Raw: tier.Forever, Tiers: []tier.Tier{{Unit: tier.Hour}, {Unit: tier.Day}}},
		"raised for ever":  rungs(func(l *tier.Ladder) { l.Tiers[0].Retention, l.Tiers[0].Least = tier.Forever, 90*day }),
		"raised":           rungs(func(l *tier.Ladder) { l.Tiers[0].Retention, l.Tiers[0].Least = 180*day, 90*day }),
		"begun at an edge": rungs(func(l *tier.Ladder) { l.Tiers[0].From = at("2026-04-20T00:00:00Z") }),
	} {
		if err := l.Validate(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestValidate_SaysWhatIsWrongAndWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		ladder tier.Ladder
		want   string
	}{
		"no tiers":        {tier.Ladder{Raw: 30 * day}, "want at least one of minute, hour, day, month"},
		"raw too short":   {rungs(func(l *tier.Ladder) { l.Raw = 3*day - time.Second }), "raw 71h59m59s is shorter than 3 d"},
		"raw negative":    {rungs(func(l *tier.Ladder) { l.Raw = -day }), "raw -1 d is shorter than 3 d"},
		"unknown unit":    {tier.Ladder{Raw: 30 * day, Tiers: []tier.Tier{{}}}, "tier 0: unit unknown: want minute, hour, day or month"},
		"unit past month": {tier.Ladder{Raw: 30 * day, Tiers: []tier.Tier{{Unit: tier.Month + 1}}}, "unit unknown"},
		"coarse first": {tier.Ladder{Raw: 30 * day, Tiers: []tier.Tier{{Unit: tier.Day}, {Unit: tier.Hour}}},
			"hour after day: tiers go from fine to coarse, each once"},
		"twice": {tier.Ladder{Raw: 30 * day, Tiers: []tier.Tier{{Unit: tier.Day}, {Unit: tier.Day}}},
			"day after day: tiers go from fine to coarse, each once"},
		"retention negative": {rungs(func(l *tier.Ladder) { l.Tiers[2].Retention = -day }), "month: least retention 0 d must be between 0 and the retention -1 d"},
		"least negative":     {rungs(func(l *tier.Ladder) { l.Tiers[0].Least = -day }), "hour: least retention -1 d must be between 0 and the retention 90 d"},
		"least above":        {rungs(func(l *tier.Ladder) { l.Tiers[0].Least = 91 * day }), "hour: least retention 91 d must be between 0 and the retention 90 d"},
		"begun off the edge": {rungs(func(l *tier.Ladder) { l.Tiers[0].From = at("2026-04-20T01:00:00Z") }),
			"hour: from 2026-04-20T01:00:00.000Z is not an edge of a day bucket"},
		"hour a second short": {rungs(func(l *tier.Ladder) { l.Tiers[0].Retention = 34*day - time.Second }),
			"hour: retention 815h59m59s is too short: a day could be folded after one of its hours has expired; want at least raw 30 d + one day + 3 d = 34 d"},
		"day a day short": {rungs(func(l *tier.Ladder) { l.Tiers[1].Retention = 63 * day }), "want at least raw 30 d + one month + 3 d = 64 d"},
		"once too short":  {rungs(func(l *tier.Ladder) { l.Tiers[0].Least = 33 * day }), "hour: retention 33 d is too short"},
		"raw for ever":    {rungs(func(l *tier.Ladder) { l.Raw = tier.Forever }), "hour: retention 90 d is shorter than raw, which is kept for ever"},
	} {
		err := c.ladder.Validate()
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), "ladder: ") {
			t.Errorf("%s: got %v, want ladder: … %s", name, err, c.want)
		}
	}
}

// What Validate promises: whenever an event lives, written late as it may be, a fold
// of the coarser bucket it lies in still finds every row of the finer tier.
func TestValidate_NoAcceptedLadderLosesAChildWhileItsEventsLive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		days := func(name string, most int) time.Duration {
			return time.Duration(rapid.IntRange(0, most).Draw(t, name)) * day
		}
		l := tier.Ladder{Raw: days("raw", 40), Tiers: []tier.Tier{
			{Unit: tier.Hour, Retention: days("hour", 90)}, {Unit: tier.Day, Retention: days("day", 200)}, {Unit: tier.Month},
		}}
		if l.Validate() != nil || l.Raw == tier.Forever {
			t.Skip("refused, or nothing expires")
		}
		written := model.Time(rapid.Int64Range(0, 4e12).Draw(t, "written"))
		for i := 1; i < len(l.Tiers); i++ {
			fine, coarse := l.Tiers[i-1], l.Tiers[i].Unit.BucketOf(written)
			child := fine.Unit.BucketOf(coarse.Start) // the first of its children, folded at once
			if fine.Retention == tier.Forever {
				continue
			}
			if end := fine.ExpiresAt(child, child.End); end <= max(coarse.End, written).Add(l.Raw).Seconds() {
				t.Fatalf("%v expires at %d, while events of %v live", child, end, coarse)
			}
		}
	})
}

func TestExpiresAt_CountsFromTheLaterOfBucketEndAndWriteTime(t *testing.T) {
	hour := tier.Tier{Unit: tier.Hour, Retention: 90 * day}
	b := tier.Hour.BucketOf(at("2026-04-20T14:05:00Z"))
	for name, c := range map[string]struct{ now, want string }{
		"written within the bucket": {"2026-04-20T14:05:00Z", "2026-07-19T15:00:00Z"},
		"written at its end":        {"2026-04-20T15:00:00Z", "2026-07-19T15:00:00Z"},
		"written a month later":     {"2026-05-20T16:30:00.999Z", "2026-08-18T16:30:00Z"},
	} {
		if got, want := hour.ExpiresAt(b, at(c.now)), at(c.want).Seconds(); got != want {
			t.Errorf("%s: expires at %d, want %d", name, got, want)
		}
	}
	if got := (tier.Tier{Unit: tier.Month}).ExpiresAt(b, at("2026-04-20T15:00:00Z")); got != 0 {
		t.Errorf("a tier kept for ever expires at %d, want 0", got)
	}
}

func TestEventExpiresAt_CountsFromWriteTime(t *testing.T) {
	now := at("2026-04-20T14:05:00.999Z")
	if got, want := tier.Standard().EventExpiresAt(now), at("2026-05-20T14:05:00Z").Seconds(); got != want {
		t.Errorf("expires at %d, want %d", got, want)
	}
	if got := (tier.Ladder{}).EventExpiresAt(now); got != 0 {
		t.Errorf("an event kept for ever expires at %d, want 0", got)
	}
}

func TestLeastRetention_IsTheRetentionUnlessItWasRaised(t *testing.T) {
	for name, c := range map[string]struct {
		tier tier.Tier
		want time.Duration
	}{
		"never changed":   {tier.Tier{Retention: 90 * day}, 90 * day},
		"raised":          {tier.Tier{Retention: 180 * day, Least: 90 * day}, 90 * day},
		"raised for ever": {tier.Tier{Retention: tier.Forever, Least: 90 * day}, 90 * day},
		"always for ever": {tier.Tier{}, tier.Forever},
	} {
		if got := c.tier.LeastRetention(); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

func TestFind_NamesTheTierAndItsPlace(t *testing.T) {
	l := tier.Standard()
	if got, i, ok := l.Find(tier.Day); !ok || i != 1 || got.Unit != tier.Day {
		t.Errorf("Find(day) = %v, %d, %v", got, i, ok)
	}
	if _, i, ok := l.Find(tier.Minute); ok || i != -1 {
		t.Errorf("Find(minute) = %d, %v in a ladder without minutes", i, ok)
	}
	if l.Finest().Unit != tier.Hour {
		t.Errorf("the finest tier is %s, want hour", l.Finest().Unit)
	}
}

func TestStandard_IsFreshEachTime(t *testing.T) {
	tier.Standard().Tiers[0].Retention = 0
	if got := tier.Standard().Tiers[0].Retention; got != 90*day {
		t.Errorf("a changed copy changed the standard ladder: hour is kept %s", got)
	}
}
