package alert_test

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// ruleWith returns hotRule with changes.
func ruleWith(edit func(*storage.Rule)) storage.Rule {
	r := hotRule()
	edit(&r)
	return r
}

// Readings are a minute apart.
func TestEvaluate_RulesTestReadingsWithTheOnesBefore(t *testing.T) {
	clear28 := func(r *storage.Rule) { r.ClearHigh = decimal("28") }
	band := func(r *storage.Rule) {
		r.Bounds, r.Low = storage.Outside, decimal("10")
		r.ClearLow, r.ClearHigh = decimal("15"), decimal("25")
	}
	lasting := func(r *storage.Rule) { r.For = times.Span(3 * time.Minute) }
	rate := func(r *storage.Rule) { r.Test, r.High = storage.TestRate, decimal("2") }
	lastingRate := func(r *storage.Rule) { rate(r); r.For = times.Span(time.Minute) }
	for name, c := range map[string]struct {
		edit     func(*storage.Rule)
		readings []int64
		want     []string
	}{
		"an alert lasts between both bounds": {
			clear28, []int64{31, 29, 30, 28, 29, 31}, []string{"resolved 31", "open 31"},
		},
		"a value between both bounds raises no alert": {
			clear28, []int64{29, 30, 29}, nil,
		},
		"each side has its own bound": {
			band, []int64{9, 12, 15, 31, 26, 25}, []string{"resolved 9", "resolved 31"},
		},
		"an alert is raised after the duration": {
			lasting, []int64{31, 32, 33, 34, 35, 30}, []string{"resolved 34"},
		},
		"one reading within the bounds starts again": {
			lasting, []int64{31, 32, 33, 30, 31, 32, 33}, nil,
		},
		"the change is per minute": {
			rate, []int64{50, 52, 55, 55}, []string{"resolved 3"},
		},
		"the first reading has no change": {
			rate, []int64{50}, nil,
		},
		"changes last for a duration": {
			lastingRate, []int64{0, 3, 3, 6, 10}, []string{"open 4"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, together := range []bool{true, false} { // in one evaluation, or in one for each reading
				r := newFixture(t)
				r.mustAddRule(ruleWith(c.edit))
				for i, v := range c.readings {
					if r.append(60*i, v); !together {
						r.evaluate()
					}
				}
				r.evaluate()
				r.wantAlerts(c.want...)
			}
		})
	}
}

// A deletion changes what the readings after it are compared with.
func TestEvaluate_ADeletionChangesTheReadingBefore(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(ruleWith(func(rule *storage.Rule) { rule.Test, rule.High = storage.TestRate, decimal("2") }))
	r.append(0, 20)
	peak := r.append(60, 26)
	r.append(120, 23)
	r.evaluate()
	r.wantAlerts("resolved 6")
	r.delete(peak)
	r.evaluate()
	r.wantAlerts("withdrawn 6") // 23 after 20 in two minutes is 1.5 a minute
}

func TestEvaluate_ADeletionJoinsReadingsBeyondTheBounds(t *testing.T) {
	r := newFixture(t)
	r.mustAddRule(ruleWith(func(rule *storage.Rule) { rule.For = times.Span(3 * time.Minute) }))
	r.append(0, 31)
	dip := r.append(60, 20)
	r.append(120, 32)
	r.append(180, 33)
	r.evaluate()
	r.wantAlerts()
	r.delete(dip)
	r.evaluate()
	r.wantAlerts("open 33")
}
