package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/simstream"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
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
	for i := range bursts {
		d := w.dice.Of("burst", i)
		if !d.Chance("happens", .7) {
			continue
		}
		hour := d.Pick("hour", len(w.hours))
		at := w.moment(d, w.hours[hour])
		w.At(at-1, w.CheckNow)
		for j := range inOneBurst {
			d := d.Of("operation", j)
			at = at.Add(d.Span("next", 6*time.Second))
			if d.Chance("gap", 1./6) {
				at = at.Add(d.Span("gap", 20*time.Minute))
			}
			if d.Chance("happens", .6) {
				w.At(at, func() { w.operate(fmt.Sprintf("user %d.%d", i, j), d, w.hours[hour]) })
			}
		}
	}
}

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
		return hour.Add(d.Span("within the finest", policy.Raw+retentionOf(policy.Finest())))
	case 5:
		return hour.Add(d.Span("within the coarsest", 2*retentionOf(policy.Tiers[len(policy.Tiers)-1])))
	}
	t := policy.Tiers[n-6]
	return t.Unit.BucketOf(hour).End.Add(retentionOf(t) + jitter)
}

func retentionOf(t tier.Tier) time.Duration {
	if t.Retention == tier.Forever {
		return forEverSpan
	}
	return t.Retention
}

// operations are the operations of users and operators, drawn by weight. A shrunk history
// prefers the first.
var operations = []struct {
	name   string
	weight int
	do     func(*world, string, simstream.Dice, model.Time)
}{
	{"append", 16, (*world).append},
	{"append a batch", 4, (*world).appendBatch},
	{"delete", 9, (*world).delete},
	{"correct", 6, (*world).correct},
	{"delete and append again", 6, (*world).replace},
	{"move in time", 2, (*world).move},
	{"delete a day", 2, (*world).deleteDay},
	{"store what cannot be decoded", 2, (*world).storeUnreadable},
	{"append old history", 2, (*world).appendOld},
	{"remove by hand", 1, (*world).removeByHand},
	{"rebuild", 2, (*world).rebuildAll},
	{"change the retention policy", 2, (*world).changePolicy},
}

const operationPrefix = "operation: " // of their counts

func (w *world) operate(name string, d simstream.Dice, hour model.Time) {
	if len(w.hours) > 1 && d.Chance("elsewhere", .25) {
		hour = w.hours[d.Pick("other hour", len(w.hours))]
	}
	if at, ok := w.nearExpiry(d); ok {
		w.At(at, func() { w.operateNow(name, d, hour) })
		return
	}
	w.operateNow(name, d, hour)
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

func (w *world) operateNow(name string, d simstream.Dice, hour model.Time) {
	total := 0
	for _, o := range operations {
		total += o.weight
	}
	n := d.Pick("operation", total)
	for _, o := range operations {
		if n -= o.weight; n < 0 {
			w.Count(operationPrefix + o.name)
			o.do(w, name, d, hour)
			return
		}
	}
}

// places are the offsets of events in an hour: its first and last millisecond, and some
// between.
var places = []time.Duration{0, 30 * time.Second, time.Minute, 29 * time.Minute, time.Hour - time.Millisecond}

func (w *world) orderIn(d simstream.Dice, hour model.Time) (string, model.Order) {
	o := model.Order{At: hour.Add(places[d.Pick("place", len(places))]), ID: []string{"", "b"}[d.Pick("id", 5)/4]}
	return w.subject[d.Pick("subject", 5)/4], o
}

// next returns a later time than each call before, like a sensor's readings: a fold can
// resume before it.
func (w *world) next(d simstream.Dice, hour model.Time) (string, model.Order) {
	w.inOrder++
	return w.subject[d.Pick("subject", 5)/4], model.Order{At: hour.Add(half + time.Duration(w.inOrder)*inOrderStep)}
}

// Events in order are in the second half of an hour. inOrderStep is small enough for all.
const (
	half        = 30 * time.Minute
	inOrderStep = half / (bursts * inOneBurst * 6)
)

// existingEvent draws the key of a stored event, or of any.
func (w *world) existingEvent(d simstream.Dice, hour model.Time) model.EventKey {
	bucket := tier.Hour.BucketOf(hour)
	events := slices.DeleteFunc(w.oracle.sorted(), func(k model.EventKey) bool { return !bucket.Contains(k.At) })
	if len(events) > 0 && d.Chance("a stored one", .5) {
		return events[d.Pick("which", len(events))]
	}
	return w.eventIn(d, hour)
}

// eventIn returns the key of an event that orderIn draws, whether it is stored or not.
func (w *world) eventIn(d simstream.Dice, hour model.Time) model.EventKey {
	subject, o := w.orderIn(d, hour)
	return model.EventKey{Series: w.kind().Series(subject, "", o), Order: o}
}

// observation draws an observation with one of few values, at one of few times or the next in
// order.
func (w *world) observation(d simstream.Dice, hour model.Time) ingest.TypedObservation {
	if d.Chance("in order", .3) {
		return w.observationAt(w.next, d, hour)
	}
	return w.observationAt(w.orderIn, d, hour)
}

func (w *world) observationAt(place func(simstream.Dice, model.Time) (string, model.Order), d simstream.Dice, hour model.Time) ingest.TypedObservation {
	subject, o := place(d, hour)
	return ingest.TypedObservation{Subject: subject, At: o.At, ID: o.ID, Attrs: attrsOf(d)}
}

func attrsOf(d simstream.Dice) model.Attrs {
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.MustDecimal([]string{"1", "2.5", "-0.125"}[d.Pick("value", 3)]))}}
	if d.Chance("no number", .1) {
		attrs[0].Value = model.Value{} // a declared measure that is null counts as invalid
	}
	if d.Chance("fields", .3) {
		attrs = append(attrs, model.Attr{Name: "state", Value: model.TextValue([]string{"on", "off"}[d.Pick("state", 2)])},
			model.Attr{Name: "who", Value: model.TextValue([]string{"ann", "bo"}[d.Pick("who", 2)])})
	}
	attrs.Sort()
	return attrs
}

func (w *world) append(name string, d simstream.Dice, hour model.Time) {
	w.appendAll(name, d, w.observation(d, hour))
}

func (w *world) appendBatch(name string, d simstream.Dice, hour model.Time) {
	var observations []ingest.TypedObservation
	for i := range 2 + d.Pick("more", 4) {
		observations = append(observations, w.observation(d.Of("observation", i), hour))
	}
	w.appendAll(name, d, observations...)
}

func (w *world) appendAll(name string, d simstream.Dice, observations ...ingest.TypedObservation) {
	w.Go(name, d, func(ctx context.Context) {
		if _, err := w.ingestService(d).AppendEvents(ctx, w.kind(), observations); err != nil && ctx.Err() == nil {
			w.Fail(fmt.Errorf("append: %w", err))
		}
	})
}

// retry repeats a write without a clear result, a few times.
func (w *world) retry(ctx context.Context, do func() (storage.WriteResult, error)) {
	for range 4 {
		result, err := do()
		if err != nil || result == storage.Written || result == storage.ConditionFailed || w.Sleep(ctx, time.Second) != nil {
			return
		}
	}
}

func (w *world) delete(name string, d simstream.Dice, hour model.Time) {
	w.deleteOne(name, d, w.existingEvent(d, hour))
}

func (w *world) deleteOne(name string, d simstream.Dice, key model.EventKey) {
	w.Go(name, d, func(ctx context.Context) {
		w.retry(ctx, func() (storage.WriteResult, error) { return w.store.DeleteEvent(ctx, key) })
	})
}

func (w *world) correct(name string, d simstream.Dice, hour model.Time) {
	key := w.existingEvent(d, hour)
	attrs := attrsOf(d.Of("corrected"))
	w.Go(name, d, func(ctx context.Context) {
		stored, known := w.oracle.events[key]
		if !known {
			return
		}
		e := model.Event{Series: key.Series, Order: key.Order, Attrs: attrs, Hash: model.HashOf(attrs), ArrivedAt: w.Now(), ExpiresAt: stored.ExpiresAt}
		if d.Chance("expires later", .5) {
			e.ExpiresAt = w.kind().Retention.EventExpiresAt(w.Now())
		}
		w.retry(ctx, func() (storage.WriteResult, error) { return w.store.CorrectEvent(ctx, e) })
	})
}

func (w *world) replace(name string, d simstream.Dice, hour model.Time) {
	w.deleteOne(name, d, w.eventIn(d, hour))
	w.After(d.Span("again after", 10*time.Second), func() { w.appendAll(name+" again", d, w.observationAt(w.orderIn, d, hour)) })
}

func (w *world) move(name string, d simstream.Dice, hour model.Time) {
	w.delete(name, d, hour)
	to := w.hours[d.Pick("moved to", len(w.hours))]
	w.After(d.Span("moved after", 10*time.Second), func() { w.append(name+" elsewhere", d.Of("moved"), to) })
}

func (w *world) deleteDay(name string, d simstream.Dice, hour model.Time) {
	day := tier.Day.BucketOf(hour)
	w.Go(name, d, func(ctx context.Context) {
		for _, key := range w.oracle.sorted() {
			if day.Contains(key.At) {
				w.retry(ctx, func() (storage.WriteResult, error) { return w.store.DeleteEvent(ctx, key) })
			}
		}
	})
}

// storeUnreadable stores an event that cannot be decoded, without the ingest service and
// only where there is none. Its time is not in the future: a tier that is added begins in
// the future, where no event may exist yet.
func (w *world) storeUnreadable(name string, d simstream.Dice, hour model.Time) {
	key := w.eventIn(d, hour)
	if key.At > w.Now().Add(config.Default().Limits.MaxAhead) {
		return
	}
	attrs := attrsOf(d)
	e := model.Event{Series: key.Series, Order: key.Order, Attrs: attrs, Hash: model.HashOf(attrs), ArrivedAt: w.Now(), ExpiresAt: w.kind().Retention.EventExpiresAt(w.Now())}
	it := item.FromEvent(&e)
	if d.Chance("newer", .5) {
		it[keys.AttrVersion] = item.Value{Type: item.N, S: fmt.Sprint(item.Version + 1)}
	} else {
		delete(it, tablekeys.AttrHash)
	}
	w.Go(name, d, func(ctx context.Context) {
		if there, _ := w.table.GetItem(context.Background(), it.Key()); there == nil {
			_, _ = w.store.ByHand(ctx, it.Key(), it)
		}
	})
}

// appendOld appends events of long ago.
func (w *world) appendOld(name string, d simstream.Dice, hour model.Time) {
	ago := []time.Duration{40 * tier.Day24, 400 * tier.Day24, 3000 * tier.Day24}[d.Pick("how old", 3)]
	w.append(name, d, tier.Hour.BucketOf(hour.Add(-ago)).Start)
}

// removeByHand removes an event at any time: near its expiry that counts as an expiry.
func (w *world) removeByHand(name string, d simstream.Dice, hour model.Time) {
	key := keys.Event(w.eventIn(d, hour))
	w.Go(name, d, func(ctx context.Context) { _, _ = w.store.ByHand(ctx, key, nil) })
}

// changePolicy deploys another retention policy. For an hour old code runs beside the new.
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
		return tier.Policy{Raw: p.Raw, Tiers: append([]tier.Tier{minute}, tiers...)}
	}
	t := &tiers[d.Pick("tier", len(tiers))]
	if t.Retention != tier.Forever {
		t.Least = t.LeastRetention()
		t.Retention = t.Retention / time.Duration(1+d.Pick("shorter", 3)) * time.Duration(1+d.Pick("longer", 3))
		t.Least = min(t.Least, t.Retention)
	}
	return tier.Policy{Raw: p.Raw, Tiers: tiers}
}
