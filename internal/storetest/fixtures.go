package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// contract is one fact being tried on a table of its own.
type contract struct {
	*testing.T
	table Table
	token string // one that no other fact uses: a server remembers tokens beyond the table
}

// The subject and series that facts are about, and the noon they count minutes from.
var (
	sensor = model.Subject{Type: "DEVICE", ID: "sensor_01"}
	series = model.Series{Subject: sensor, Kind: "READING"}
	noon   = model.TimeOf(time.Date(2026, 4, 20, 12, 0, 0, 0, time.UTC))
)

// minute is so many minutes after noon.
func minute(n int) model.Time { return noon.Add(time.Duration(n) * time.Minute) }

// reading is an event of the series at a minute; its fields follow name, number, …
func reading(n int, id string, fields ...any) model.Event {
	attrs := fieldsOf(fields...)
	return model.Event{
		Series: series, Order: model.Order{At: minute(n), ID: id},
		Attrs: attrs, Hash: model.HashOf(attrs),
		ArrivedAt: minute(n).Add(time.Second), ExpiresAt: minute(n).Add(30 * 24 * time.Hour).Seconds(),
	}
}

// at is the identity of a reading.
func at(n int, id string) model.EventKey {
	return model.EventKey{Series: series, Order: model.Order{At: minute(n), ID: id}}
}

// fieldsOf makes fields of name, value, name, value; ints and strings.
func fieldsOf(pairs ...any) (attrs model.Attrs) {
	for i := 0; i < len(pairs); i += 2 {
		attrs = append(attrs, model.Attr{Name: pairs[i].(string), Value: valueOf(pairs[i+1])})
	}
	attrs.Sort()
	return attrs
}

func valueOf(v any) model.Value {
	switch v := v.(type) {
	case int:
		return model.NumberValue(model.DecimalOf(int64(v)))
	case string:
		return model.TextValue(v)
	case bool:
		return model.BoolValue(v)
	default:
		return model.Value{}
	}
}

// change is the write of current by record highs, oldest first.
func change(highs ...model.Event) *ingest.CurrentWrite {
	first, last := highs[0], highs[len(highs)-1]
	w := &ingest.CurrentWrite{Series: last.Series, First: first.Order, Last: last.Order, Hash: last.Hash, Now: last.ArrivedAt}
	for _, e := range highs {
		w.Set = w.Set.Union(e.Attrs)
	}
	return w
}

// creation is the transaction of a series' first event.
func creation(e model.Event) ingest.Transaction {
	w := change(e)
	w.Create = true
	return ingest.Transaction{Current: w, Gate: &e.Series.Subject, Puts: []model.Event{e}}
}

// newer is the transaction of events newer than current.
func newer(highs ...model.Event) ingest.Transaction {
	return ingest.Transaction{Current: change(highs...), Puts: highs}
}

func (c *contract) append(tx ingest.Transaction) ingest.Reply {
	c.Helper()
	reply, err := c.table.Append(c.Context(), tx)
	if err != nil {
		c.Fatalf("append: %v", err)
	}
	return reply
}

// written appends what must be stored.
func (c *contract) written(tx ingest.Transaction) {
	c.Helper()
	if reply := c.append(tx); reply.Answer != model.Written {
		c.Fatalf("append answers %+v, want written", reply)
	}
}

// refused appends what must be refused.
func (c *contract) refused(tx ingest.Transaction) ingest.Reply {
	c.Helper()
	reply := c.append(tx)
	if reply.Answer != model.Refused {
		c.Fatalf("append answers %+v, want refused", reply)
	}
	return reply
}

// malformed appends what no retry can mend.
func (c *contract) malformed(tx ingest.Transaction) {
	c.Helper()
	if reply, err := c.table.Append(c.Context(), tx); err == nil {
		c.Errorf("append answers %+v, want an error", reply)
	}
}

// current is the stored current; it must be there.
func (c *contract) current() model.Current {
	c.Helper()
	current, err := c.table.Current(c.Context(), series, true)
	if err != nil || current == nil {
		c.Fatalf("current is %v, %v; want one", current, err)
	}
	return *current
}

// wholeDay is the range of all that facts put into a series.
func wholeDay() model.Range {
	return model.Range{Series: series, From: minute(-720), To: minute(720), Consistent: true}
}

// events reads all pages of a range.
func (c *contract) events(r model.Range) (all []model.Event) {
	c.Helper()
	for pages := 0; ; pages++ {
		page, err := c.table.Events(c.Context(), r)
		if err != nil {
			c.Fatalf("events: %v", err)
		}
		all = append(all, page.Events...)
		if r.After = page.Next; r.After == "" {
			return all
		}
		if pages > 1000 {
			c.Fatal("events: the pages have no end")
		}
	}
}

// stored puts events alone.
func (c *contract) stored(events ...model.Event) {
	c.Helper()
	for _, e := range events {
		if reply, err := c.table.Put(c.Context(), e); err != nil || reply.Answer != model.Written {
			c.Fatalf("put %v answers %v, %v; want written", e.Key(), reply.Answer, err)
		}
	}
}

// enriched sets attributes beside those of an item.
func (c *contract) enriched(k keys.Key, name string, v item.Value) {
	c.Helper()
	set := item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}, name: v}
	if err := c.table.UpdateItem(c.Context(), set); err != nil {
		c.Fatal(err)
	}
}

// equal compares got with want; nil and empty are the same.
func (c *contract) equal(what string, got, want any) {
	c.Helper()
	exact := cmp.Comparer(func(a, b model.Decimal) bool { return a == b })
	if diff := cmp.Diff(want, got, exact, cmpopts.EquateEmpty()); diff != "" {
		c.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// identities are the orders of events, for a short message.
func identities(events []model.Event) []string {
	out := make([]string, len(events))
	for i, e := range events {
		out[i] = fmt.Sprintf("%s %s", e.At, e.ID)
	}
	return out
}
