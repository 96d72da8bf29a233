package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var repairFacts = []fact{
	{"somebody deletes an event only while it is not about to expire", func(c *contract) {
		e, ever := reading(0, "", "n", 1), reading(1, "", "n", 1)
		ever.ExpiresAt = 0
		c.stored(e, ever)
		expiry := model.Time(e.ExpiresAt * 1000)
		soon, early := expiry.Add(-tier.ExpiryMargin), expiry.Add(-tier.ExpiryMargin-time.Second)
		c.answers("delete about to expire", model.Refused)(c.table.DeleteEvent(c.Context(), e.Key(), soon))
		c.answers("delete expired", model.Refused)(c.table.DeleteEvent(c.Context(), e.Key(), expiry.Add(time.Hour)))
		c.answers("delete in time", model.Written)(c.table.DeleteEvent(c.Context(), e.Key(), early))
		c.answers("delete again", model.Refused)(c.table.DeleteEvent(c.Context(), e.Key(), early))
		c.answers("delete what never expires", model.Written)(c.table.DeleteEvent(c.Context(), ever.Key(), expiry))
		c.equal("events", len(c.events(wholeDay())), 0)
	}},
	{"somebody corrects an event in place, and its expiry comes no nearer", func(c *contract) {
		e := reading(0, "", "n", 1, "m", 2)
		c.stored(e)
		now := minute(1)
		corrected := reading(0, "", "n", 3)
		nearer := corrected
		nearer.ExpiresAt--
		c.answers("correct, nearer", model.Refused)(c.table.CorrectEvent(c.Context(), nearer, now))
		c.answers("correct about to expire", model.Refused)(c.table.CorrectEvent(c.Context(), corrected, model.Time(e.ExpiresAt*1000)))
		c.answers("correct what is not there", model.Refused)(c.table.CorrectEvent(c.Context(), reading(5, ""), now))
		c.equal("events", c.events(wholeDay()), []model.Event{e})
		c.answers("correct", model.Written)(c.table.CorrectEvent(c.Context(), corrected, now))
		c.equal("events", c.events(wholeDay()), []model.Event{corrected})
		corrected.ExpiresAt = 0
		c.answers("correct, for ever", model.Written)(c.table.CorrectEvent(c.Context(), corrected, now))
		c.answers("correct, nearer than for ever", model.Refused)(c.table.CorrectEvent(c.Context(), e, now))
	}},
	{"a scan shows every item once, over pages", func(c *contract) {
		for i := range 40 {
			e := reading(i, "", "text", strings.Repeat("x", 60<<10))
			e.Series.Subject.ID = fmt.Sprint(i % 3)
			c.stored(e)
		}
		if first, next, err := c.table.Scan(c.Context(), keys.Key{}); err != nil || len(first) > 20 || next == (keys.Key{}) {
			c.Errorf("first page holds %d items, next %v, %v; want about 17 and a next", len(first), next, err)
		}
		seen := map[keys.Key]bool{}
		for _, it := range c.scan() {
			if seen[it.Key()] {
				c.Errorf("%v is shown twice", it.Key())
			}
			seen[it.Key()] = true
		}
		c.equal("items", len(seen), 40)
	}},
	{"a partition shows its items and no other's, in order, over pages", func(c *contract) {
		for i := range 40 {
			e := reading(i, "", "text", strings.Repeat("x", 60<<10))
			if i%2 == 1 {
				e.Series.Subject.ID += "0"
			}
			c.stored(e)
		}
		var seen []string
		var after keys.Key
		for pages := 1; ; pages++ {
			page, next, err := c.table.Partition(c.Context(), keys.SubjectPartition(sensor), after)
			if err != nil {
				c.Fatal(err)
			}
			for _, it := range page {
				seen = append(seen, it.Key().SK)
			}
			if after = next; after == (keys.Key{}) {
				c.equal("pages", pages, 2)
				break
			}
		}
		var want []string
		for i := 0; i < 40; i += 2 {
			want = append(want, keys.Event(at(i, "")).SK)
		}
		c.equal("sort keys", seen, want)
	}},
	{"items are put, updated, read and deleted as they are", func(c *contract) {
		k := keys.Metadata(sensor)
		it := item.Item{
			keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK},
			"s": {Type: item.S, S: "text"}, "n": {Type: item.N, S: "1.5"}, "b": {Type: item.B, B: []byte{0, 1}},
			"yes": {Type: item.Bool, Bool: true}, "nil": {Type: item.Null},
		}
		if err := c.table.PutItem(c.Context(), it); err != nil {
			c.Fatal(err)
		}
		got, err := c.table.GetItem(c.Context(), k)
		if err != nil {
			c.Fatal(err)
		}
		c.equal("item", got, it)
		c.enriched(k, "n", item.Value{Type: item.N, S: "2"})
		it["n"] = item.Value{Type: item.N, S: "2"}
		got, _ = c.table.GetItem(c.Context(), k)
		c.equal("item, updated", got, it)
		for range 2 {
			if err := c.table.DeleteItem(c.Context(), k); err != nil {
				c.Fatal(err)
			}
		}
		if got, err := c.table.GetItem(c.Context(), k); got != nil || err != nil {
			c.Errorf("item is %v, %v; want none", got, err)
		}
	}},
	{"a value that was read as other is never written back", func(c *contract) {
		k := keys.Metadata(sensor)
		it := item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}, "map": {}}
		if err := c.table.PutItem(c.Context(), it); err == nil {
			c.Error("the item was put without its map, want an error")
		}
		if err := c.table.UpdateItem(c.Context(), it); err == nil {
			c.Error("the item was updated without its map, want an error")
		}
	}},
}

// answers checks the answer of a write of one item.
func (c *contract) answers(what string, want model.Answer) func(model.Answer, error) {
	return func(got model.Answer, err error) {
		c.Helper()
		if err != nil || got != want {
			c.Errorf("%s: answer %v, %v; want %v", what, got, err, want)
		}
	}
}

// scan reads all items of the table.
func (c *contract) scan() (all []item.Item) {
	c.Helper()
	var after keys.Key
	for {
		page, next, err := c.table.Scan(c.Context(), after)
		if err != nil {
			c.Fatalf("scan: %v", err)
		}
		all = append(all, page...)
		if after = next; after == (keys.Key{}) {
			return all
		}
	}
}
