package storetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

var repairFacts = []fact{
	{"a user deletes an event only if it does not expire soon", func(c *contract) {
		e, ever := reading(0, "", "n", 1), reading(1, "", "n", 1)
		ever.ExpiresAt = 0
		c.putEvents(e, ever)
		expiry := model.Time(e.ExpiresAt * 1000)
		soon, early := expiry.Add(-tier.ExpiryMargin), expiry.Add(-tier.ExpiryMargin-time.Second)
		c.wantResult("delete about to expire",
			storage.ConditionFailed)(c.table.DeleteEvent(c.Context(), e.Key(), soon))
		c.wantResult("delete expired",
			storage.ConditionFailed)(c.table.DeleteEvent(c.Context(), e.Key(), expiry.Add(time.Hour)))
		c.wantResult("delete in time", storage.Written)(c.table.DeleteEvent(c.Context(), e.Key(), early))
		c.wantResult("delete again", storage.ConditionFailed)(c.table.DeleteEvent(c.Context(), e.Key(), early))
		c.wantResult("delete an event that never expires",
			storage.Written)(c.table.DeleteEvent(c.Context(), ever.Key(), expiry))
		c.equal("events", len(c.events(wholeDay())), 0)
	}},
	{"a user corrects an event in place, and its expiry never moves earlier", func(c *contract) {
		e := reading(0, "", "n", 1, "m", 2)
		c.putEvents(e)
		now := minute(1)
		corrected := reading(0, "", "n", 3)
		earlier := corrected
		earlier.ExpiresAt--
		c.wantResult("correct, earlier", storage.ConditionFailed)(c.table.CorrectEvent(c.Context(), earlier, now))
		c.wantResult("correct about to expire",
			storage.ConditionFailed)(c.table.CorrectEvent(c.Context(), corrected, model.Time(e.ExpiresAt*1000)))
		c.wantResult("correct a missing event",
			storage.ConditionFailed)(c.table.CorrectEvent(c.Context(), reading(5, ""), now))
		c.equal("events", c.events(wholeDay()), []model.Event{e})
		c.wantResult("correct", storage.Written)(c.table.CorrectEvent(c.Context(), corrected, now))
		c.equal("events", c.events(wholeDay()), []model.Event{corrected})
		corrected.ExpiresAt = 0
		c.wantResult("correct, never expires", storage.Written)(c.table.CorrectEvent(c.Context(), corrected, now))
		c.wantResult("correct, expires after all",
			storage.ConditionFailed)(c.table.CorrectEvent(c.Context(), e, now))
	}},
	{"Scan returns every item once, over several pages", func(c *contract) {
		for i := range 40 {
			e := reading(i, "", "text", strings.Repeat("x", 60<<10))
			e.Series.Subject.ID = fmt.Sprint(i % 3)
			c.putEvents(e)
		}
		if first, next, err := c.table.Scan(c.Context(), keys.Key{}); err != nil || len(first) > 20 ||
			next == (keys.Key{}) {
			c.Errorf("first page holds %d items, next %v, %v; want about 17 and a next", len(first), next, err)
		}
		seen := map[keys.Key]bool{}
		for _, it := range c.scan() {
			if seen[it.Key()] {
				c.Errorf("%v is returned twice", it.Key())
			}
			seen[it.Key()] = true
		}
		c.equal("items", len(seen), 40)
	}},
	{"a page of a scan begins after a key that no item has", func(c *contract) {
		for i := range 12 {
			e := reading(i%6, "")
			e.Series.Subject.ID = fmt.Sprint(i / 6)
			c.putEvents(e)
		}
		seen, requests := map[string]int{}, 0
		for after, more := (keys.Key{}), true; more; more = after != (keys.Key{}) {
			items, next, err := c.table.ScanPage(c.Context(), after, 2)
			if err != nil || len(items) > 2 {
				c.Fatalf("%d items, %v; want at most 2", len(items), err)
			}
			for _, it := range items {
				seen[it.Key().PK]++
			}
			if after = next; after != (keys.Key{}) {
				after.SK = "EVENT#zzz" // after all events of the partition
			}
			requests++
		}
		c.equal("partitions", len(seen), 2)
		for pk, n := range seen {
			c.equal("items of "+pk, n, 2)
		}
		c.equal("requests", requests, 3)
	}},
	{"Partition returns only its own items, in order, over several pages", func(c *contract) {
		for i := range 40 {
			e := reading(i, "", "text", strings.Repeat("x", 60<<10))
			if i%2 == 1 {
				e.Series.Subject.ID += "0"
			}
			c.putEvents(e)
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
	{"items are put, updated, read and deleted unchanged", func(c *contract) {
		k := keys.Metadata(sensor)
		it := item.Item{
			keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK},
			"s": {Type: item.S, S: "text"}, "n": {Type: item.N, S: "1.5"}, "b": {Type: item.B, B: []byte{0, 1}},
			"yes": {Type: item.Bool, Bool: true}, "nil": {Type: item.Null},
			"list":   {Type: item.Nested, S: `["a",1.5,true,null,{"l":[],"m":{}},"<&>"]`},
			"map":    {Type: item.Nested, S: `{"n":12345678901234567890.123456789,"s":""}`},
			"deep":   {Type: item.Nested, S: strings.Repeat("[", 31) + `"leaf"` + strings.Repeat("]", 31)},
			"no one": {Type: item.Nested, S: `{}`},
		}
		if err := c.table.PutItem(c.Context(), it); err != nil {
			c.Fatal(err)
		}
		got, err := c.table.GetItem(c.Context(), k)
		if err != nil {
			c.Fatal(err)
		}
		c.equal("item", got, it)
		c.setAttr(k, "n", item.Value{Type: item.N, S: "2"})
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
	{"a value of type Other is never written", func(c *contract) {
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

// wantResult checks the result of a write of one item.
func (c *contract) wantResult(what string, want storage.WriteResult) func(storage.WriteResult, error) {
	return func(got storage.WriteResult, err error) {
		c.Helper()
		if err != nil || got != want {
			c.Errorf("%s: result %v, %v; want %v", what, got, err, want)
		}
	}
}

// scan reads all items of the table.
func (c *contract) scan() []item.Item {
	c.Helper()
	all, err := paging.Collect(paging.Items(func(after keys.Key) ([]item.Item, keys.Key, error) {
		return c.table.Scan(c.Context(), after)
	}))
	if err != nil {
		c.Fatalf("scan: %v", err)
	}
	return all
}
