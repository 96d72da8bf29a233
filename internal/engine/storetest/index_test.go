package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// line7 requests all readings of line 7 from the second index.
var line7 = storage.EventIndexQuery{Kind: series.Kind, Field: "line", Value: "7", From: minute(-720),
	To: minute(720)}

// lineReading returns a reading of a subject that is indexed by its line.
func lineReading(subject string, n int, id, line string) model.Event {
	e := reading(n, id, "line", line)
	e.Series.Subject.ID, e.IndexBy = subject, "line"
	return e
}

var indexFacts = []fact{
	{"events with a value are found for all subjects, shards and streams, ordered by time", func(c *contract) {
		first := lineReading("b", 0, "", "7")
		second := lineReading("a", 1, "x", "7")
		third := lineReading("c", 2, "", "7")
		second.Series.Shard, third.Series.Stream = 3, "status"
		c.putEvents(third, first, second)
		c.equal("events", c.queryIndex(line7), []model.Event{first, second, third})
	}},
	{"a page of events with a value has at most as many as its limit", func(c *contract) {
		c.putEvents(lineReading("a", 0, "", "7"), lineReading("b", 1, "", "7"), lineReading("c", 2, "", "7"))
		limited := line7
		limited.Limit = 2
		page, err := c.table.QueryIndex(c.Context(), limited)
		if err != nil || len(page.Events) != 2 || page.Last == nil || *page.Last != page.Events[1].Key() {
			c.Errorf("a page of two has %d events and ends at %v, %v; want two, and the second", len(page.Events),
				page.Last, err)
		}
		limited.After = page.Last
		if page, err = c.table.QueryIndex(c.Context(), limited); err != nil || len(page.Events) != 1 ||
			page.Last != nil {
			c.Errorf("the page after it has %d events and ends at %v, %v; want one, and no end", len(page.Events),
				page.Last, err)
		}
	}},
	{"events of a transaction are found", func(c *contract) {
		e := lineReading("a", 0, "", "7")
		c.written(storage.AppendTransaction{Puts: []model.Event{e}})
		c.equal("events", c.queryIndex(line7), []model.Event{e})
	}},
	{"events with other values, kinds and times, or without index, are not found", func(c *contract) {
		other := lineReading("a", 5, "", "7")
		other.Series.Kind = "OTHER"
		plain := lineReading("a", 6, "", "7")
		plain.IndexBy = ""
		c.putEvents(lineReading("a", 0, "", "8"), lineReading("a", 1, "", ""), other, plain,
			lineReading("a", 10, "", "7"))
		r := line7
		r.To = minute(10)
		c.equal("events", c.queryIndex(r), []model.Event{})
	}},
	{"pages of an index query, with any limit and direction, return every event once", func(c *contract) {
		var want []model.Event
		for i := range 7 {
			want = append(want, lineReading(fmt.Sprint("s", i%2), i/4, fmt.Sprint(i), "7"))
		}
		slices.SortFunc(want, func(a, b model.Event) int {
			return strings.Compare(tablekeys.IndexEntry(a.Key(), "line", "7").SK,
				tablekeys.IndexEntry(b.Key(), "line", "7").SK)
		})
		c.putEvents(want...)
		for _, newest := range []bool{false, true} {
			for limit := range 9 {
				r := line7
				r.Newest, r.Limit = newest, limit
				c.equal(fmt.Sprintf("limit %d, newest %v", limit, newest), c.queryIndex(r), want)
			}
			slices.Reverse(want)
		}
	}},
	{"a deleted event is not found", func(c *contract) {
		e := lineReading("a", 0, "", "7")
		c.putEvents(e)
		if _, err := c.table.DeleteEvent(c.Context(), e.Key(), minute(0)); err != nil {
			c.Fatal(err)
		}
		c.equal("events", c.queryIndex(line7), []model.Event{})
	}},
	{"a profile is read by its subject", func(c *contract) {
		c.setAttr(keys.Metadata(sensor), "name", item.Value{Type: item.S, S: "hall"})
		got, err := c.table.Profile(c.Context(), sensor, true)
		if err != nil || got == nil {
			c.Fatalf("profile is %v, %v; want one", got, err)
		}
		c.equal("profile", *got, model.Profile{Subject: sensor, Attrs: newFields("name", "hall")})
		none, err := c.table.Profile(c.Context(), model.Subject{Type: "DEVICE", ID: "other"}, false)
		if err != nil || none != nil {
			c.Errorf("profile of another subject is %v, %v; want none", none, err)
		}
	}},
}

// queryIndex reads all pages.
func (c *contract) queryIndex(r storage.EventIndexQuery) []model.Event {
	c.Helper()
	all, err := paging.Collect(paging.Items(func(after *model.EventKey) ([]model.Event, *model.EventKey, error) {
		r.After = after
		page, err := c.table.QueryIndex(c.Context(), r)
		return page.Events, page.Last, err
	}))
	if err != nil {
		c.Fatalf("query index: %v", err)
	}
	return all
}
