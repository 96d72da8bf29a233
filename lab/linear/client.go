package linear

import (
	"cmp"
	"context"
	"math/bits"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Measure is the field of the payload.
const Measure = "value"

// Store is the table that a Client writes to.
type Store interface {
	ingest.Store
	ingest.ChangeStore
	lifecycle.EventStore
}

// Client sends one operation at a time with the deployed packages ingest and query, and records
// it. Each attempt of a write that has no response is recorded as an operation of its own.
type Client struct {
	ID     int
	Log    *Log
	Store  Store
	Ingest func(ingest.Store) *ingest.Service // a service with the settings of the client
	Query  *query.Service
	Now    func() model.Time // the true time
	// Remote sends an append to a service, whose attempts are not visible here; nil if the
	// client has none. An error means that there was no response.
	Remote func(ctx context.Context, event ingest.TypedObservation) (model.Outcome, error)
}

// Append appends a payload, on condition that the latest payload is where, if that is not zero.
func (c *Client) Append(ctx context.Context, series string, slot, payload, where uint8) {
	o := c.begin(Operation{Series: series, Verb: Append, Slot: slot, Payload: payload, Where: where})
	event := ingest.TypedObservation{Subject: series, At: c.Log.At(slot),
		Attrs: model.Attrs{{Name: Measure, Value: number(payload)}}}
	if c.Remote != nil && where == 0 {
		c.appendRemotely(ctx, o, event)
		return
	}
	var condition model.Condition
	if where != 0 {
		condition = model.Condition{{Field: Measure, Op: model.Equal, Value: number(where)}}
	}
	service := c.service(&attempts{Store: c.Store, log: c.Log, operations: []*Operation{&o}})
	result, err := c.append(ctx, service, event, condition)
	if err != nil || result.Outcome == model.Unknown {
		return // its attempts are recorded
	}
	o.Outcome, o.GotUnknown = result.Outcome, result.Latest == nil
	o.GotSlot, o.Got = c.latest(result.Latest)
	c.end(o)
}

// append uses AppendIf only with a condition, because it needs a kind with latest items.
func (c *Client) append(ctx context.Context, to *ingest.Service, event ingest.TypedObservation,
	condition model.Condition) (model.AppendResult, error) {
	if condition != nil {
		return to.AppendIf(ctx, c.Log.Kind, event, condition)
	}
	results, err := to.AppendEvents(ctx, c.Log.Kind, []ingest.TypedObservation{event})
	return results[0], err
}

// appendRemotely appends by Remote. The service may have sent several attempts.
func (c *Client) appendRemotely(ctx context.Context, o Operation, event ingest.TypedObservation) {
	outcome, err := c.Remote(ctx, event)
	if err != nil || outcome == model.Unknown {
		o.Lost, o.Return = true, Forever
		c.Log.add(o)
		return
	}
	o.Outcome = outcome
	o.Unsure = true
	o.GotUnknown = true
	o.unqueued = true // for all that is known
	c.end(o)
}

// Delete deletes the event of a slot.
func (c *Client) Delete(ctx context.Context, series string, slot uint8) {
	o := c.begin(Operation{Series: series, Verb: Delete, Slot: slot})
	attempts := &attempts{Store: c.Store, log: c.Log, operations: []*Operation{&o}}
	found, err := c.service(attempts).Delete(ctx, attempts, c.Log.Kind, c.key(series, slot))
	if err == nil {
		o.Found, o.Unsure = found, attempts.lost > 0
		c.end(o)
	}
}

// AppendAll appends a batch of payloads: the first of a slot, each other of the next slot.
func (c *Client) AppendAll(ctx context.Context, series string, slot uint8, payloads []uint8) {
	recorded := &attempts{Store: c.Store, log: c.Log}
	var batch []ingest.TypedObservation
	for i, payload := range payloads {
		slot := slot + uint8(i)
		o := c.begin(Operation{Series: series, Verb: Append, Slot: slot, Payload: payload})
		recorded.operations = append(recorded.operations, &o)
		batch = append(batch, ingest.TypedObservation{Subject: series, At: c.Log.At(slot),
			Attrs: model.Attrs{{Name: Measure, Value: number(payload)}}})
	}
	results, _ := c.service(recorded).AppendEvents(ctx, c.Log.Kind, batch)
	for i, o := range recorded.operations {
		if results[i].Outcome != model.Unknown {
			o.Outcome = results[i].Outcome
			c.end(*o)
		}
	}
}

// Correct replaces the event of a slot.
func (c *Client) Correct(ctx context.Context, series string, slot, payload uint8) {
	o := c.begin(Operation{Series: series, Verb: Correct, Slot: slot, Payload: payload})
	recorded := &attempts{Store: c.Store, log: c.Log, operations: []*Operation{&o}}
	stored, err := storage.Event(ctx, c.Query.Store, c.key(series, slot))
	if err != nil {
		return
	}
	if stored != nil {
		event := ingest.TypedObservation{Subject: series, At: c.Log.At(slot),
			Attrs: model.Attrs{{Name: Measure, Value: number(payload)}}}
		if o.Found, err = c.service(recorded).Correct(ctx, recorded, c.Log.Kind, event, stored); err != nil ||
			recorded.lost > 0 && !o.Found {
			return // its attempts are recorded
		}
	}
	c.end(o)
}

// ReadHistory reads the events of a range of slots: each slot at some time during the read. Two
// reads of all slots at the same time would have too many orders to check.
func (c *Client) ReadHistory(ctx context.Context, series string, from, to uint8) {
	call, got := c.Log.tick(), map[uint8]uint8{}
	for event, err := range c.Query.EachEvent(ctx,
		query.History{Series: c.series(series), From: c.Log.At(from), To: c.Log.At(to) + 1, Consistent: true}) {
		if err != nil {
			return
		}
		got[c.Log.timeSlot(event.At)] = eventPayload(event.Attrs)
	}
	for slot := from; slot <= to; slot++ {
		c.end(Operation{Client: c.ID, Call: call, Series: series, Verb: ReadEvent, Slot: slot, Got: got[slot]})
	}
}

// ReadLatest reads the latest item of a series.
func (c *Client) ReadLatest(ctx context.Context, series string) (slot, payload uint8) {
	o := c.begin(Operation{Series: series, Verb: ReadLatest})
	latest, err := c.Query.Latest(ctx, c.series(series), true)
	if err != nil {
		return 0, 0
	}
	o.GotSlot, o.Got = c.latest(latest)
	c.end(o)
	return o.GotSlot, o.Got
}

// ReadEvent reads the event of a slot.
func (c *Client) ReadEvent(ctx context.Context, series string, slot uint8) {
	o := c.begin(Operation{Series: series, Verb: ReadEvent, Slot: slot})
	at := c.Log.At(slot)
	page, err := c.Query.History(ctx, query.History{Series: c.series(series), From: at, To: at + 1,
		Consistent: true})
	if err != nil || page.Next != "" {
		return
	}
	for i := range page.Events {
		o.Got = eventPayload(page.Events[i].Attrs)
	}
	c.end(o)
}

// ReadRollups reads the rows of a tier over all slots.
func (c *Client) ReadRollups(ctx context.Context, series string, level int) {
	unit := c.Log.Kind.Retention.Tiers[level].Unit
	r := Read{Client: c.ID, Series: series, Tier: unit.String(), Call: c.Log.tick(), Since: c.Log.since()}
	r.From, r.To = unit.BucketAt(c.Log.At(1)).Start, c.Log.At(Slots)+1
	for row, err := range c.Query.EachRollup(ctx,
		query.Rollups{Series: c.series(series), Unit: unit, From: r.From, To: r.To, Consistent: true}) {
		if cmp.Or(err, row.Err) != nil {
			return
		}
		r.Rows = append(r.Rows, c.Log.row(row))
	}
	r.Return, r.Live = c.Log.tick(), c.live(series, c.Now())
	c.Log.addRead(r)
}

// row reads the set of payloads off a rollup, and compares the other figures with it.
func (l *Log) row(r query.Rollup) Row {
	m := r.Measure(Measure)
	sum, whole, ok := m.Sum.Scaled(0)
	out := Row{Start: r.Bucket.Start, Exact: r.Exact, Sum: sum.Uint64()}
	least, most, first, last := l.extremes(r.Series.Subject.ID, out.Sum)
	if !whole || !ok || !sum.IsUint64() || m.Count != size(out.Sum) ||
		m.Count > 0 && !holds(m, least, most, first, last) {
		out.Problem = "bucket " + out.Start.String() + ": the figures differ from the events in its sum"
	}
	return out
}

// extremes returns the least, greatest, earliest and latest payload of a set.
func (l *Log) extremes(series string, set uint64) (least, most, first, last uint8) {
	slots := l.sent(series)
	for i, slot := range slots {
		payload := uint8(i + 1)
		if set>>i&1 == 0 {
			continue
		}
		if least == 0 {
			least = payload
			first = payload
			last = payload
		}
		if most = payload; slot < slots[first-1] {
			first = payload
		}
		if slot > slots[last-1] {
			last = payload
		}
	}
	return least, most, first, last
}

func holds(m rollup.Measure, least, most, first, last uint8) bool {
	is := func(d model.Decimal, payload uint8) bool { return d.Cmp(model.NewDecimal(Value(payload))) == 0 }
	return is(m.Min, least) && is(m.Max, most) && is(m.First, first) && is(m.Last, last)
}

func (c *Client) begin(o Operation) Operation {
	o.Client, o.Call = c.ID, c.Log.tick()
	return o
}

func (c *Client) end(o Operation) {
	o.Return = c.Log.tick()
	queues := o.Verb == Append || o.Verb == Delete || o.Verb == Correct || o.Verb == Erase
	o.OnTime = queues && !o.unqueued && c.live(o.Series, c.Now().Add(clockError))>>o.Slot&1 == 1
	c.Log.add(o)
}

func (c *Client) series(id string) query.Series { return query.Series{Kind: c.Log.Kind, Subject: id} }

func (c *Client) key(series string, slot uint8) model.EventKey {
	order := model.Order{At: c.Log.At(slot)}
	return model.EventKey{Series: c.Log.Kind.Series(series, "", order), Order: order}
}

// latest returns the slot and payload of a latest item; zero without an event.
func (c *Client) latest(l *model.Latest) (slot, payload uint8) {
	if l == nil || !l.Ordered {
		return 0, 0
	}
	return c.Log.timeSlot(l.At), eventPayload(l.Attrs)
}

func number(payload uint8) model.Value { return model.NumberValue(model.NewDecimal(Value(payload))) }

// eventPayload returns the payload of stored fields; zero if there is none.
func eventPayload(attrs model.Attrs) uint8 {
	v, _ := attrs.Get(Measure)
	n, _, ok := v.Number.Scaled(0)
	if !ok {
		return 0
	}
	return uint8(bits.Len64(n.Uint64()))
}
