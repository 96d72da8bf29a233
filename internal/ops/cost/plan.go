package cost

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// ParseRate returns the time between two events of a series at a rate such as 1/h: a number of
// events in a second, minute, hour, day, week, month or year.
func ParseRate(text string) (time.Duration, error) {
	perSecond, err := parsePerSecond(text)
	every := time.Duration(float64(time.Second) / perSecond)
	if err == nil && every < time.Millisecond {
		err = fmt.Errorf("%q is not a rate of one series: at most 1000/s", text)
	}
	return every, err
}

// inSeconds are the periods of rates by their names. A month is a twelfth of a year, as in bills.
var inSeconds = map[string]float64{
	"s": 1, "sec": 1, "second": 1, "m": 60, "min": 60, "minute": 60, "h": 3600, "hour": 3600,
	"d": 86400, "day": 86400, "w": 7 * 86400, "week": 7 * 86400, "month": 365 * 86400 / 12,
	"year": 365 * 86400,
}

func parsePerSecond(text string) (float64, error) {
	number, unit, _ := strings.Cut(text, "/")
	n, err := strconv.ParseFloat(number, 64)
	seconds := inSeconds[unit]
	if err != nil || seconds == 0 || n <= 0 || n > 1e15 {
		return 1, fmt.Errorf("%q is not a rate: write a number of events in a s, min, h, day, week, "+
			"month or year, as 4/h or 1e6/month", text)
	}
	return n / seconds, nil
}

// Plan is a choice of tiers that are immediate: the finest ones, so many.
type Plan struct {
	Immediate int
	Units
}

// Plans measures a kind with each choice of immediate tiers, from all deferred on, at the same time.
func Plans(kind catalog.Kind, load Load) ([]Plan, error) {
	all := make([]Plan, len(kind.Retention.Tiers)+1)
	var measuring errgroup.Group
	for n := range all {
		k := kind
		k.Retention.Tiers = append([]tier.Tier(nil), kind.Retention.Tiers...)
		for level := range k.Retention.Tiers {
			t := &k.Retention.Tiers[level]
			t.Deferred = level >= n
			if !t.Deferred {
				t.Grace = 0
			}
		}
		measuring.Go(func() error {
			units, err := Measure(k, load)
			all[n] = Plan{Immediate: n, Units: units}
			return err
		})
	}
	return all, measuring.Wait()
}

// Best returns the cheapest of plans; of those within a twentieth of it, the one with the most
// deferred tiers.
func Best(plans []Plan) Plan {
	least := plans[0].Dollars(1)
	for _, p := range plans {
		least = min(least, p.Dollars(1))
	}
	for _, p := range plans {
		if p.Dollars(1) <= least*1.05 {
			return p
		}
	}
	return plans[0]
}

// Recommend says which tiers of a kind should be immediate if a series has an event each time
// so much has passed, and what the configured ones cost beside them.
func Recommend(kind catalog.Kind, every time.Duration) (string, error) {
	plans, err := Plans(kind, Load{Every: every, Batch: 1})
	if err != nil {
		return "", err
	}
	best, configured := Best(plans), plans[immediateTiers(kind)]
	text := fmt.Sprintf("%s costs least, %.2f write and %.2f read units an event", modes(kind, best.Immediate),
		best.Write, best.Read)
	if configured.Immediate != best.Immediate {
		text += fmt.Sprintf("; configured are %s, %.2f and %.2f units", modes(kind, configured.Immediate),
			configured.Write, configured.Read)
	}
	return text, nil
}

func immediateTiers(k catalog.Kind) (n int) {
	for n < len(k.Retention.Tiers) && !k.Retention.Tiers[n].Deferred {
		n++
	}
	return n
}

// modes says which of the tiers of a kind are immediate: the finest n.
func modes(k catalog.Kind, n int) string {
	var immediate, deferred []string
	for level, t := range k.Retention.Tiers {
		if level < n {
			immediate = append(immediate, t.Unit.String())
		} else {
			deferred = append(deferred, t.Unit.String())
		}
	}
	switch {
	case n == 0:
		return "all tiers deferred"
	case len(deferred) == 0:
		return "all tiers immediate"
	}
	return strings.Join(immediate, ", ") + " immediate, " + strings.Join(deferred, ", ") + " deferred"
}
