package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// lined is what the facts about the second index read: all readings of line 7.
var lined = model.ByValue{Kind: series.Kind, Field: "line", Value: "7", From: minute(-720), To: minute(720)}

// onLine is a reading of a subject that is indexed by its line.
func onLine(subject string, n int, id, line string) model.Event {
	e := reading(n, id, "line", line)
	e.Series.Subject.ID, e.IndexBy = subject, "line"
	return e
}

var indexFacts = []fact{
	{"events of a value are found over all subjects, shards and streams, by time", func(c *contract) {
		first, second, third := onLine("b", 0, "", "7"), onLine("a", 1, "x", "7"), onLine("c", 2, "", "7")
		second.Series.Shard, third.Series.Stream = 3, "status"
		c.stored(third, first, second)
		c.equal("events", c.byValue(lined), []model.Event{first, second, third})
	}},
	{"a transaction's events are found too", func(c *contract) {
		e := onLine("a", 0, "", "7")
		c.written(ingest.Transaction{Puts: []model.Event{e}})
		c.equal("events", c.byValue(lined), []model.Event{e})
	}},
	{"other values, kinds, times and what is not indexed are not found", func(c *contract) {
		other := onLine("a", 5, "", "7")
		other.Series.Kind = "OTHER"
		plain := onLine("a", 6, "", "7")
		plain.IndexBy = ""
		c.stored(onLine("a", 0, "", "8"), onLine("a", 1, "", ""), other, plain, onLine("a", 10, "", "7"))
		r := lined
		r.To = minute(10)
		c.equal("events", c.byValue(r), []model.Event{})
	}},
	{"pages of a value, of any limit, either way, add up to the whole", func(c *contract) {
		var want []model.Event
		for i := range 7 {
			want = append(want, onLine(fmt.Sprint("s", i%2), i/4, fmt.Sprint(i), "7"))
		}
		slices.SortFunc(want, func(a, b model.Event) int {
			return strings.Compare(keys.Indexed(a.Key(), "line", "7").SK, keys.Indexed(b.Key(), "line", "7").SK)
		})
		c.stored(want...)
		for _, newest := range []bool{false, true} {
			for limit := range 9 {
				r := lined
				r.Newest, r.Limit = newest, limit
				c.equal(fmt.Sprintf("limit %d, newest %v", limit, newest), c.byValue(r), want)
			}
			slices.Reverse(want)
		}
	}},
	{"a deleted event is found no more", func(c *contract) {
		e := onLine("a", 0, "", "7")
		c.stored(e)
		if _, err := c.table.DeleteEvent(c.Context(), e.Key(), minute(0)); err != nil {
			c.Fatal(err)
		}
		c.equal("events", c.byValue(lined), []model.Event{})
	}},
	{"a profile is read by its subject", func(c *contract) {
		c.enriched(keys.Metadata(sensor), "name", item.Value{Type: item.S, S: "hall"})
		got, err := c.table.Profile(c.Context(), sensor, true)
		if err != nil || got == nil {
			c.Fatalf("profile is %v, %v; want one", got, err)
		}
		c.equal("profile", *got, model.Profile{Subject: sensor, Attrs: fieldsOf("name", "hall")})
		none, err := c.table.Profile(c.Context(), model.Subject{Type: "DEVICE", ID: "other"}, false)
		if err != nil || none != nil {
			c.Errorf("profile of another is %v, %v; want none", none, err)
		}
	}},
}

// byValue reads all pages.
func (c *contract) byValue(r model.ByValue) (all []model.Event) {
	c.Helper()
	for pages := 0; pages < 1000; pages++ {
		page, err := c.table.ByValue(c.Context(), r)
		if err != nil {
			c.Fatalf("by value: %v", err)
		}
		all = append(all, page.Events...)
		if r.After = page.Last; r.After == nil {
			return all
		}
	}
	c.Fatal("by value: the pages have no end")
	return nil
}
