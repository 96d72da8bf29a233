package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// contract checks one fact on its own table.
type contract struct {
	*testing.T
	table Table
	token string // unique to the fact: DynamoDB keeps tokens longer than the table exists
}

// The subject and series of all facts, and the noon from which they count minutes.
var (
	sensor = model.Subject{Type: "DEVICE", ID: "sensor_01"}
	series = model.Series{Subject: sensor, Kind: "READING"}
	noon   = model.NewTime(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))
)

// minute returns the time n minutes after noon.
func minute(n int) model.Time { return noon.Add(time.Duration(n) * time.Minute) }

// reading returns an event of the series at a minute. fields are name, value, name, value.
func reading(n int, id string, fields ...any) model.Event {
	attrs := newFields(fields...)
	return model.Event{
		Series: series, Order: model.Order{At: minute(n), ID: id},
		Attrs: attrs, Hash: model.HashAttrs(attrs), ArrivedAt: minute(n).Add(time.Second),
		ExpiresAt: minute(n).Add(30 * 24 * time.Hour).Seconds(),
	}
}

// at returns the identity of a reading.
func at(n int, id string) model.EventKey {
	return model.EventKey{Series: series, Order: model.Order{At: minute(n), ID: id}}
}

// newFields returns fields from name, value, name, value.
func newFields(pairs ...any) (attrs model.Attrs) {
	for i := 0; i < len(pairs); i += 2 {
		attrs = append(attrs, model.Attr{Name: pairs[i].(string), Value: newValue(pairs[i+1])})
	}
	attrs.Sort()
	return attrs
}

func newValue(v any) model.Value {
	switch v := v.(type) {
	case int:
		return model.NumberValue(model.NewDecimal(int64(v)))
	case string:
		return model.TextValue(v)
	case bool:
		return model.BoolValue(v)
	default:
		return model.Value{}
	}
}

// change returns the write of the latest item for new events, oldest first.
func change(events ...model.Event) *storage.LatestWrite {
	first, last := events[0], events[len(events)-1]
	w := &storage.LatestWrite{Series: last.Series, First: first.Order, Last: last.Order, Hash: last.Hash,
		Now: last.ArrivedAt}
	for _, e := range events {
		w.Set = w.Set.Union(e.Attrs)
	}
	return w
}

// creation returns the transaction of a series' first event.
func creation(e model.Event) storage.AppendTransaction {
	w := change(e)
	w.Create = true
	return storage.AppendTransaction{Latest: w, PurgeLock: &e.Series.Subject, Puts: []model.Event{e}}
}

// newer returns the transaction of events newer than the latest item.
func newer(events ...model.Event) storage.AppendTransaction {
	return storage.AppendTransaction{Latest: change(events...), Puts: events}
}

func (c *contract) append(tx storage.AppendTransaction) storage.StoreResult {
	c.Helper()
	result, err := c.table.Append(c.Context(), tx)
	if err != nil {
		c.Fatalf("append: %v", err)
	}
	return result
}

// written appends a transaction that must succeed.
func (c *contract) written(tx storage.AppendTransaction) {
	c.Helper()
	if result := c.append(tx); result.Result != storage.Written {
		c.Fatalf("append returns %+v, want written", result)
	}
}

// conditionFailed appends a transaction whose condition must fail.
func (c *contract) conditionFailed(tx storage.AppendTransaction) storage.StoreResult {
	c.Helper()
	result := c.append(tx)
	if result.Result != storage.ConditionFailed {
		c.Fatalf("append returns %+v, want condition failed", result)
	}
	return result
}

// malformed appends a transaction that must be an error.
func (c *contract) malformed(tx storage.AppendTransaction) {
	c.Helper()
	if result, err := c.table.Append(c.Context(), tx); err == nil {
		c.Errorf("append returns %+v, want an error", result)
	}
}

// latest reads the latest item, which must exist.
func (c *contract) latest() model.Latest {
	c.Helper()
	latest, err := c.table.Latest(c.Context(), series, true)
	if err != nil || latest == nil {
		c.Fatalf("latest item is %v, %v; want one", latest, err)
	}
	return *latest
}

// wholeDay returns the range of all events of the facts.
func wholeDay() storage.Range {
	return storage.Range{Series: series, From: minute(-720), To: minute(720), Consistent: true}
}

// events reads all pages of a range.
func (c *contract) events(r storage.Range) []model.Event {
	c.Helper()
	all, err := paging.Collect(storage.Events(c.Context(), c.table, r))
	if err != nil {
		c.Fatalf("events: %v", err)
	}
	return all
}

// putEvents puts events without a transaction.
func (c *contract) putEvents(events ...model.Event) {
	c.Helper()
	for _, e := range events {
		if result, err := c.table.Put(c.Context(), e); err != nil || result.Result != storage.Written {
			c.Fatalf("put %v returns %v, %v; want written", e.Key(), result.Result, err)
		}
	}
}

// setAttr sets an attribute of an item and keeps all others.
func (c *contract) setAttr(k keys.Key, name string, v item.Value) {
	c.Helper()
	set := item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}, name: v}
	if err := c.table.UpdateItem(c.Context(), set); err != nil {
		c.Fatal(err)
	}
}

// equal compares got with want. nil and empty are equal.
func (c *contract) equal(what string, got, want any) {
	c.Helper()
	exact := cmp.Comparer(func(a, b model.Decimal) bool { return a == b })
	if diff := cmp.Diff(want, got, exact, cmpopts.EquateEmpty()); diff != "" {
		c.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// identities returns the times and ids of events, for short messages.
func identities(events []model.Event) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = fmt.Sprintf("%s %s", e.At, e.ID)
	}
	return out
}
