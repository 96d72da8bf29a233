package simulation

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A history has bursts: a few operations within seconds or minutes, on few buckets, at times
// when an item is about to expire or a row to be sealed.
const (
	bursts      = 7
	inOneBurst  = 5
	forEverSpan = 60 * tier.Day24 // duration of a history where rows never expire
)

// plan schedules the operations of the history.
func (w *world) plan() {
	w.arrivals(w.dice.Part("arrivals"))
	w.planMoves(w.dice.Part("moves"))
	for i := range bursts {
		d := w.dice.Part("burst", i)
		if !d.Chance("happens", .7) {
			continue
		}
		hour := d.Pick("hour", len(w.hours))
		at := w.moment(d, w.hours[hour])
		w.At(at-1, w.CheckNow)
		for j := range inOneBurst {
			d := d.Part("operation", j)
			at = at.Add(d.Span("next", 6*time.Second))
			if d.Chance("gap", 1./6) {
				at = at.Add(d.Span("gap", 20*time.Minute))
			}
			if d.Chance("happens", .6) {
				w.At(at, func() { w.operate(fmt.Sprintf("user %d.%d", i, j), d, w.hours[hour]) })
			}
			w.readSoon(fmt.Sprintf("reader %d.%d", i, j), d.Part("reader"), at, w.hours[hour])
		}
	}
}

// arrivals schedules events that arrive when they happen, and deletions of such events, while their hours are
// open.
func (w *world) arrivals(d simstream.Dice) {
	if !w.mayDefer || !d.Chance("happen", .5) {
		return
	}
	for h, hour := range w.hours {
		for i := range arrivalsInHour {
			d := d.Part("arrival", h, i)
			at := hour.Add(d.Span("at", time.Hour+5*time.Minute))
			w.At(at, func() {
				name := fmt.Sprintf("arrival %d.%d", h, i)
				if d.Chance("delete", .15) {
					w.delete(name, d, hour)
					return
				}
				w.appendAll(name, d, w.observationAt(func(d simstream.Dice, hour model.Time) (string, model.Order) {
					return w.subject[0], model.Order{At: min(at.Add(-d.Span("ago", 20*time.Second)), hour.Add(time.Hour)-1)}
				}, d, hour))
			})
		}
	}
}

// arrivalsInHour is the most arrivals in one hour.
const arrivalsInHour = 6

// moment draws the time of a burst on an hour.
func (w *world) moment(d simstream.Dice, hour model.Time) model.Time {
	policy := w.kind().Retention
	jitter := d.Span("jitter", 2*time.Hour) - time.Hour
	if d.Chance("close", 1./3) {
		jitter = d.Span("close jitter", 20*time.Minute) - 10*time.Minute
	}
	n := d.Pick("moment", 6+len(policy.Tiers))
	if w.nothingExpires {
		return hour.Add(d.Span("soon", 3*time.Hour) + d.Span("days", policy.Raw/3)*time.Duration(n%2))
	}
	switch n {
	case 0, 1:
		return hour.Add(d.Span("soon", 3*time.Hour))
	case 2:
		return hour.Add(policy.Raw + jitter - tier.SealMargin/2)
	case 3:
		return hour.Add(d.Span("within raw", 2*policy.Raw))
	case 4:
		return hour.Add(d.Span("within the finest", policy.Raw+tierRetention(policy.Finest())))
	case 5:
		return hour.Add(d.Span("within the coarsest", 2*tierRetention(policy.Tiers[len(policy.Tiers)-1])))
	}
	t := policy.Tiers[n-6]
	return t.Unit.BucketAt(hour).End.Add(tierRetention(t) + jitter)
}

func tierRetention(t tier.Tier) time.Duration {
	if t.Retention == tier.Forever {
		return forEverSpan
	}
	return t.Retention
}

// nearExpiry returns, for some of the operations, a time at which a stored row is about to be
// sealed or a stored item has just expired.
func (w *world) nearExpiry(d simstream.Dice) (at model.Time, ok bool) {
	if w.nothingExpires || !d.Chance("at an expiry", .25) {
		return 0, false
	}
	expiries := w.store.expiries()
	if len(expiries) == 0 {
		return 0, false
	}
	at = model.Time(1000 * expiries[d.Pick("which expiry", len(expiries))])
	at = at.Add(d.Span("close to it", 14*time.Minute) - 7*time.Minute)
	if d.Chance("at its seal", .4) {
		at = at.Add(-tier.SealMargin)
	}
	return at, at > w.Now()
}
