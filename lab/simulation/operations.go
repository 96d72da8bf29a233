package simulation

import (
	"context"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// operation is an operation of a user or an operator, on the events of an hour.
type operation struct {
	name   string
	weight int
	do     func(*world, string, simstream.Dice, model.Time)
}

// operations are drawn by weight. A shrunk history prefers the first.
var operations = []operation{
	{name: "append", weight: 16, do: (*world).append},
	{name: "append a batch", weight: 4, do: (*world).appendBatch},
	{name: "delete", weight: 9, do: (*world).delete},
	{name: "correct", weight: 6, do: (*world).correct},
	{name: "delete and append again", weight: 6, do: (*world).replace},
	{name: "move in time", weight: 2, do: (*world).move},
	{name: "delete a day", weight: 2, do: (*world).deleteDay},
	{name: "store what cannot be decoded", weight: 2, do: (*world).storeUnreadable},
	{name: "append old history", weight: 2, do: (*world).appendOld},
	{name: "remove in the console", weight: 1, do: (*world).removeDirectly},
	{name: "rebuild", weight: 2, do: (*world).rebuildAll},
	{name: "change the configuration", weight: 2, do: (*world).changePolicy},
	{name: "change the number of queue shards", weight: 2, do: (*world).changeQueue},
}

const operationPrefix = "operation: " // of their counts

func (w *world) operate(name string, d simstream.Dice, hour model.Time) {
	if len(w.hours) > 1 && d.Chance("elsewhere", .25) {
		hour = w.hours[d.Pick("other hour", len(w.hours))]
	}
	if at, ok := w.nearExpiry(d); ok {
		w.At(at, func() { w.perform(operations, name, d, hour) })
		return
	}
	w.perform(operations, name, d, hour)
}

// perform draws one of some operations.
func (w *world) perform(some []operation, name string, d simstream.Dice, hour model.Time) {
	total := 0
	for _, o := range some {
		total += o.weight
	}
	n := d.Pick("operation", total)
	for _, o := range some {
		if n -= o.weight; n < 0 {
			w.Count(operationPrefix + o.name)
			o.do(w, name, d, hour)
			return
		}
	}
}

func (w *world) append(name string, d simstream.Dice, hour model.Time) {
	w.appendAll(name, d, w.observation(d, hour))
}

func (w *world) appendBatch(name string, d simstream.Dice, hour model.Time) {
	var observations []ingest.TypedObservation
	for i := range 2 + d.Pick("more", 4) {
		observations = append(observations, w.observation(d.Part("observation", i), hour))
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
		if err != nil || result == storage.Written || result == storage.ConditionFailed ||
			w.Sleep(ctx, time.Second) != nil {
			return
		}
	}
}

func (w *world) delete(name string, d simstream.Dice, hour model.Time) {
	w.deleteOne(name, d, w.existingEvent(d, hour))
}

func (w *world) deleteOne(name string, d simstream.Dice, key model.EventKey) {
	w.Go(name, d, func(ctx context.Context) {
		if d.Chance("another program", .25) {
			w.retry(ctx, func() (storage.WriteResult, error) { return w.store.DeleteEvent(ctx, key) })
			return
		}
		// An undecided deletion is one of the cases.
		_, _ = w.ingestService(d).Delete(ctx, edits{w.store}, w.kind(), key)
	})
}

func (w *world) correct(name string, d simstream.Dice, hour model.Time) {
	w.correctTo(name, d, w.existingEvent(d, hour), drawAttrs(d.Part("corrected")))
}

func (w *world) correctTo(name string, d simstream.Dice, key model.EventKey, attrs model.Attrs) {
	w.Go(name, d, func(ctx context.Context) {
		stored, known := w.oracle.events[key]
		if !known {
			return
		}
		e := model.Event{Series: key.Series, Order: key.Order, Attrs: attrs, Hash: model.HashAttrs(attrs),
			ArrivedAt: w.Now(), ExpiresAt: stored.ExpiresAt}
		if d.Chance("expires later", .5) {
			e.ExpiresAt = w.kind().Retention.EventExpiresAt(w.Now())
		}
		if d.Chance("another program", .25) {
			w.retry(ctx, func() (storage.WriteResult, error) { return w.store.CorrectEvent(ctx, e) })
			return
		}
		o := ingest.TypedObservation{
			Subject: key.Series.Subject.ID, Stream: key.Series.Stream, At: key.At, ID: key.ID, Attrs: attrs,
		}
		// An undecided correction is one of the cases.
		_, _ = w.ingestService(d).Correct(ctx, edits{w.store}, w.kind(), o, &e)
	})
}

func (w *world) replace(name string, d simstream.Dice, hour model.Time) {
	w.deleteOne(name, d, w.eventIn(d, hour))
	w.After(d.Span("again after", 10*time.Second), func() {
		w.appendAll(name+" again", d, w.observationAt(w.orderIn, d, hour))
	})
}

func (w *world) move(name string, d simstream.Dice, hour model.Time) {
	w.delete(name, d, hour)
	to := w.hours[d.Pick("moved to", len(w.hours))]
	w.After(d.Span("moved after", 10*time.Second),
		func() { w.append(name+" elsewhere", d.Part("moved"), to) })
}

func (w *world) deleteDay(name string, d simstream.Dice, hour model.Time) {
	day := tier.Day.BucketAt(hour)
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
	attrs := drawAttrs(d)
	e := model.Event{Series: key.Series, Order: key.Order, Attrs: attrs, Hash: model.HashAttrs(attrs),
		ArrivedAt: w.Now(), ExpiresAt: w.kind().Retention.EventExpiresAt(w.Now())}
	it := item.FromEvent(&e)
	if d.Chance("newer", .5) {
		it[keys.AttrVersion] = item.Value{Type: item.N, S: fmt.Sprint(item.Version + 1)}
	} else {
		delete(it, tablekeys.AttrHash)
	}
	w.Go(name, d, func(ctx context.Context) {
		if there, _ := w.table.GetItem(context.Background(), it.Key()); there == nil {
			_, _ = w.store.ChangeDirectly(ctx, it.Key(), it)
		}
	})
}

// appendOld appends events of long ago.
func (w *world) appendOld(name string, d simstream.Dice, hour model.Time) {
	ago := []time.Duration{40 * tier.Day24, 400 * tier.Day24, 3000 * tier.Day24}[d.Pick("how old", 3)]
	w.append(name, d, tier.Hour.BucketAt(hour.Add(-ago)).Start)
}

// removeDirectly removes an event at any time: near its expiry that counts as an expiry.
func (w *world) removeDirectly(name string, d simstream.Dice, hour model.Time) {
	key := keys.Event(w.eventIn(d, hour))
	w.Go(name, d, func(ctx context.Context) { _, _ = w.store.ChangeDirectly(ctx, key, nil) })
}
