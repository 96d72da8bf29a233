package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Histories come in bursts: a few operations within seconds or minutes, on few
// buckets, at moments when something is about to expire, to be sealed, or over.
const (
	bursts      = 7
	inOneBurst  = 5
	forEverSpan = 60 * tier.Day24 // how far a history looks past rows that never expire
)

// plan sets the operations of the history up.
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
				w.At(at, func() { w.operate(fmt.Sprintf("somebody %d.%d", i, j), d, w.hours[hour]) })
			}
		}
	}
}

// moment is when a burst on an hour comes.
func (w *world) moment(d streamtest.Dice, hour model.Time) model.Time {
	ladder := w.kind().Ladder
	jitter := d.Span("jitter", 2*time.Hour) - time.Hour
	if d.Chance("close", 1./3) {
		jitter = d.Span("close jitter", 20*time.Minute) - 10*time.Minute
	}
	n := d.Pick("moment", 6+len(ladder.Tiers))
	if w.plain {
		return hour.Add(d.Span("soon", 3*time.Hour) + d.Span("days", ladder.Raw/3)*time.Duration(n%2))
	}
	switch n {
	case 0, 1:
		return hour.Add(d.Span("soon", 3*time.Hour))
	case 2:
		return hour.Add(ladder.Raw + jitter - tier.SealMargin/2)
	case 3:
		return hour.Add(d.Span("within raw", 2*ladder.Raw))
	case 4:
		return hour.Add(d.Span("within the finest", ladder.Raw+lived(ladder.Finest())))
	case 5:
		return hour.Add(d.Span("within the coarsest", 2*lived(ladder.Tiers[len(ladder.Tiers)-1])))
	}
	t := ladder.Tiers[n-6]
	return t.Unit.BucketOf(hour).End.Add(lived(t) + jitter)
}

func lived(t tier.Tier) time.Duration {
	if t.Retention == tier.Forever {
		return forEverSpan
	}
	return t.Retention
}

// operations are what somebody may do, each as often as its weight says. The first is
// the calm one.
var operations = []struct {
	name   string
	weight int
	do     func(*world, string, streamtest.Dice, model.Time)
}{
	{"append", 16, (*world).append},
	{"append a batch", 4, (*world).appendBatch},
	{"delete", 9, (*world).delete},
	{"correct", 6, (*world).correct},
	{"delete and append again", 6, (*world).replace},
	{"move in time", 2, (*world).move},
	{"delete a whole day", 2, (*world).deleteDay},
	{"store what cannot be decoded", 2, (*world).damage},
	{"append old history", 2, (*world).old},
	{"remove by hand", 1, (*world).byHand},
	{"rebuild", 2, (*world).rebuildAll},
	{"change the ladder", 2, (*world).changeLadder},
}

const operationPrefix = "operation: " // of their counts

func (w *world) operate(name string, d streamtest.Dice, hour model.Time) {
	if len(w.hours) > 1 && d.Chance("elsewhere", .25) {
		hour = w.hours[d.Pick("other hour", len(w.hours))]
	}
	if at, ok := w.edge(d); ok {
		w.At(at, func() { w.operateNow(name, d, hour) })
		return
	}
	w.operateNow(name, d, hour)
}

// edge is a time at which something that stands now is about to be sealed or has just
// expired, for some of the operations.
func (w *world) edge(d streamtest.Dice) (at model.Time, ok bool) {
	if w.plain || !d.Chance("at an edge", .25) {
		return 0, false
	}
	expiries := w.store.expiries()
	if len(expiries) == 0 {
		return 0, false
	}
	at = model.Time(1000 * expiries[d.Pick("whose edge", len(expiries))])
	at = at.Add(d.Span("close to it", 14*time.Minute) - 7*time.Minute)
	if d.Chance("edge of its seal", .4) {
		at = at.Add(-tier.SealMargin)
	}
	return at, at > w.Now()
}

func (w *world) operateNow(name string, d streamtest.Dice, hour model.Time) {
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

// places are where in an hour events lie: its first and its last millisecond, and
// minutes between.
var places = []time.Duration{0, 30 * time.Second, time.Minute, 29 * time.Minute, time.Hour - time.Millisecond}

func (w *world) orderIn(d streamtest.Dice, hour model.Time) (string, model.Order) {
	o := model.Order{At: hour.Add(places[d.Pick("place", len(places))]), ID: []string{"", "b"}[d.Pick("id", 5)/4]}
	return w.subject[d.Pick("subject", 5)/4], o
}

// next is later than all that came in order before, as a sensor's readings are: what a
// fold can go on from.
func (w *world) next(d streamtest.Dice, hour model.Time) (string, model.Order) {
	w.inOrder++
	return w.subject[d.Pick("subject", 5)/4], model.Order{At: hour.Add(half + time.Duration(w.inOrder)*inOrderStep)}
}

// Events in order fill the second half of an hour; a history has fewer than it takes.
const (
	half        = 30 * time.Minute
	inOrderStep = half / (bursts * inOneBurst * 6)
)

// standing is an event that stands, or any.
func (w *world) standing(d streamtest.Dice, hour model.Time) model.EventKey {
	bucket := tier.Hour.BucketOf(hour)
	events := slices.DeleteFunc(w.oracle.sorted(), func(k model.EventKey) bool { return !bucket.Contains(k.At) })
	if len(events) > 0 && d.Chance("one that stands", .5) {
		return events[d.Pick("which", len(events))]
	}
	return w.eventIn(d, hour)
}

// eventIn is the event that orderIn places, whether it stands or not.
func (w *world) eventIn(d streamtest.Dice, hour model.Time) model.EventKey {
	subject, o := w.orderIn(d, hour)
	return model.EventKey{Series: w.kind().Series(subject, "", o), Order: o}
}

// draft is an observation of one of few values, in one of few places or the next in order.
func (w *world) draft(d streamtest.Dice, hour model.Time) ingest.Draft {
	if d.Chance("in order", .3) {
		return w.draftAt(w.next, d, hour)
	}
	return w.draftAt(w.orderIn, d, hour)
}

func (w *world) draftAt(place func(streamtest.Dice, model.Time) (string, model.Order), d streamtest.Dice, hour model.Time) ingest.Draft {
	subject, o := place(d, hour)
	return ingest.Draft{Subject: subject, At: o.At, ID: o.ID, Attrs: attrsOf(d)}
}

func attrsOf(d streamtest.Dice) model.Attrs {
	attrs := model.Attrs{{Name: "value", Value: model.NumberValue(model.MustDecimal([]string{"1", "2.5", "-0.125"}[d.Pick("value", 3)]))}}
	if d.Chance("no number", .1) {
		attrs[0].Value = model.Value{} // a declared measure may be null: it counts invalid
	}
	if d.Chance("fields", .3) {
		attrs = append(attrs, model.Attr{Name: "state", Value: model.TextValue([]string{"on", "off"}[d.Pick("state", 2)])},
			model.Attr{Name: "who", Value: model.TextValue([]string{"ann", "bo"}[d.Pick("who", 2)])})
	}
	attrs.Sort()
	return attrs
}

func (w *world) append(name string, d streamtest.Dice, hour model.Time) {
	w.appendAll(name, d, w.draft(d, hour))
}

func (w *world) appendBatch(name string, d streamtest.Dice, hour model.Time) {
	var drafts []ingest.Draft
	for i := range 2 + d.Pick("more", 4) {
		drafts = append(drafts, w.draft(d.Of("draft", i), hour))
	}
	w.appendAll(name, d, drafts...)
}

func (w *world) appendAll(name string, d streamtest.Dice, drafts ...ingest.Draft) {
	w.Go(name, d, func(ctx context.Context) {
		if _, err := w.door(d).AppendEvents(ctx, w.kind(), drafts); err != nil && ctx.Err() == nil {
			w.Fail(fmt.Errorf("append: %w", err))
		}
	})
}

// insist repeats what was not answered for certain, a few times.
func (w *world) insist(ctx context.Context, do func() (model.Answer, error)) {
	for range 4 {
		answer, err := do()
		if err != nil || answer == model.Written || answer == model.Refused || w.Sleep(ctx, time.Second) != nil {
			return
		}
	}
}

func (w *world) delete(name string, d streamtest.Dice, hour model.Time) {
	w.deleteOne(name, d, w.standing(d, hour))
}

func (w *world) deleteOne(name string, d streamtest.Dice, key model.EventKey) {
	w.Go(name, d, func(ctx context.Context) {
		w.insist(ctx, func() (model.Answer, error) { return w.store.DeleteEvent(ctx, key) })
	})
}

func (w *world) correct(name string, d streamtest.Dice, hour model.Time) {
	key := w.standing(d, hour)
	attrs := attrsOf(d.Of("corrected"))
	w.Go(name, d, func(ctx context.Context) {
		stands, known := w.oracle.events[key]
		if !known {
			return
		}
		e := model.Event{Series: key.Series, Order: key.Order, Attrs: attrs, Hash: model.HashOf(attrs), ArrivedAt: w.Now(), ExpiresAt: stands.ExpiresAt}
		if d.Chance("lives longer", .5) {
			e.ExpiresAt = w.kind().Ladder.EventExpiresAt(w.Now())
		}
		w.insist(ctx, func() (model.Answer, error) { return w.store.CorrectEvent(ctx, e) })
	})
}

func (w *world) replace(name string, d streamtest.Dice, hour model.Time) {
	w.deleteOne(name, d, w.eventIn(d, hour))
	w.After(d.Span("again after", 10*time.Second), func() { w.appendAll(name+" again", d, w.draftAt(w.orderIn, d, hour)) })
}

func (w *world) move(name string, d streamtest.Dice, hour model.Time) {
	w.delete(name, d, hour)
	to := w.hours[d.Pick("moved to", len(w.hours))]
	w.After(d.Span("moved after", 10*time.Second), func() { w.append(name+" anew", d.Of("moved"), to) })
}

func (w *world) deleteDay(name string, d streamtest.Dice, hour model.Time) {
	day := tier.Day.BucketOf(hour)
	w.Go(name, d, func(ctx context.Context) {
		for _, key := range w.oracle.sorted() {
			if day.Contains(key.At) {
				w.insist(ctx, func() (model.Answer, error) { return w.store.DeleteEvent(ctx, key) })
			}
		}
	})
}

// damage stores, past every door, an event that cannot be decoded, where there is none.
// It is not of a time to come: a tier that is added begins in the future, and counts on
// no event being there already.
func (w *world) damage(name string, d streamtest.Dice, hour model.Time) {
	key := w.eventIn(d, hour)
	if key.At > w.Now().Add(config.Default().Limits.MaxAhead) {
		return
	}
	attrs := attrsOf(d)
	e := model.Event{Series: key.Series, Order: key.Order, Attrs: attrs, Hash: model.HashOf(attrs), ArrivedAt: w.Now(), ExpiresAt: w.kind().Ladder.EventExpiresAt(w.Now())}
	it := item.FromEvent(&e)
	if d.Chance("newer", .5) {
		it[keys.AttrVersion] = item.Value{Type: item.N, S: fmt.Sprint(item.Version + 1)}
	} else {
		delete(it, keys.AttrHash)
	}
	w.Go(name, d, func(ctx context.Context) {
		if there, _ := w.table.GetItem(context.Background(), it.Key()); there == nil {
			_, _ = w.store.ByHand(ctx, it.Key(), it)
		}
	})
}

// old appends events of long ago.
func (w *world) old(name string, d streamtest.Dice, hour model.Time) {
	ago := []time.Duration{40 * tier.Day24, 400 * tier.Day24, 3000 * tier.Day24}[d.Pick("how old", 3)]
	w.append(name, d, tier.Hour.BucketOf(hour.Add(-ago)).Start)
}

// byHand removes an event whatever its time: near its end that is an expiry.
func (w *world) byHand(name string, d streamtest.Dice, hour model.Time) {
	key := keys.Event(w.eventIn(d, hour))
	w.Go(name, d, func(ctx context.Context) { _, _ = w.store.ByHand(ctx, key, nil) })
}

// changeLadder deploys another ladder; for an hour, old code runs beside the new.
func (w *world) changeLadder(_ string, d streamtest.Dice, _ model.Time) {
	k := *w.kind()
	k.Ladder = changed(k.Ladder, d, w.Now())
	if w.before != nil || k.Ladder.Validate() != nil {
		return
	}
	w.before, w.now = w.now, catalogOf(k)
	w.Tell("", "the ladder becomes %+v", k.Ladder)
	w.After(overlap, func() { w.before = nil })
}

// overlap is how long two versions of the code run beside each other.
const overlap = time.Hour

// changed is a ladder with another retention of one tier, or with minutes from an
// hour to come.
func changed(l tier.Ladder, d streamtest.Dice, now model.Time) tier.Ladder {
	tiers := append([]tier.Tier(nil), l.Tiers...)
	if next := tiers[0].Unit; next == tier.Hour && d.Chance("minutes", .3) {
		from := tier.Hour.BucketOf(now.Add(2 * overlap)).End
		minute := tier.Tier{Unit: tier.Minute, Retention: l.Raw + 4*tier.Day24, From: from}
		return tier.Ladder{Raw: l.Raw, Tiers: append([]tier.Tier{minute}, tiers...)}
	}
	t := &tiers[d.Pick("tier", len(tiers))]
	if t.Retention != tier.Forever {
		t.Least = t.LeastRetention()
		t.Retention = t.Retention / time.Duration(1+d.Pick("shorter", 3)) * time.Duration(1+d.Pick("longer", 3))
		t.Least = min(t.Least, t.Retention)
	}
	return tier.Ladder{Raw: l.Raw, Tiers: tiers}
}
