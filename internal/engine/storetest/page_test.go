package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var pageFacts = []fact{
	{"a range includes its start and excludes its end", func(c *contract) {
		first, last := reading(0, ""), reading(9, "\U0010FFFF")
		last.At = minute(10) - 1
		c.putEvents(reading(-1, "z"), first, reading(0, "a"), last, reading(10, ""), reading(10, "a"))
		got := c.events(storage.Range{Series: series, From: minute(0), To: minute(10)})
		c.equal("events", identities(got), identities([]model.Event{first, reading(0, "a"), last}))
	}},
	{"an empty range is an empty page", func(c *contract) {
		c.putEvents(reading(0, ""))
		for _, r := range []storage.Range{
			{Series: series, From: minute(0), To: minute(0)},
			{Series: series, From: minute(1), To: minute(0)},
			{Series: series, From: minute(1), To: minute(2)},
			{Series: model.Series{Subject: sensor, Kind: "OTHER"}, From: minute(0), To: minute(9)},
		} {
			page, err := c.table.Events(c.Context(), r)
			if err != nil || len(page.Events) != 0 || page.Next != "" {
				c.Errorf("%v to %v: page is %v, %v; want empty", r.From, r.To, page, err)
			}
		}
	}},
	{"a range excludes other streams, kinds, subjects, shards and classes of items", rangeExcludesNeighbours},
	{"pages with any limit and direction return every event once", pagesReturnEachOnce},
	{"a page ends at its limit", func(c *contract) {
		c.putEvents(reading(0, ""), reading(1, ""), reading(2, ""))
		page, err := c.table.Events(c.Context(),
			storage.Range{Series: series, From: minute(0), To: minute(9), Limit: 2, Newest: true})
		if err != nil || len(page.Events) != 2 || page.Events[0].At != minute(2) || page.Next == "" {
			c.Errorf("page is %v, %v; want minutes 2 and 1, and a next", page, err)
		}
	}},
	{"a page may start after an event that does not exist", func(c *contract) {
		c.putEvents(reading(0, ""), reading(2, ""))
		r := storage.Range{Series: series, From: minute(0), To: minute(9), After: keys.Event(at(1, "x")).SK}
		c.equal("oldest first", identities(c.events(r)), identities([]model.Event{reading(2, "")}))
		r.Newest = true
		c.equal("newest first", identities(c.events(r)), identities([]model.Event{reading(0, "")}))
	}},
	{"a position outside its range is an error", func(c *contract) {
		c.putEvents(reading(0, ""), reading(5, ""))
		for _, after := range []string{keys.Event(at(5, "")).SK, "EVENT#", "nonsense"} {
			page, err := c.table.Events(c.Context(),
				storage.Range{Series: series, From: minute(0), To: minute(5), After: after})
			if err == nil {
				c.Errorf("after %q: page is %v, want an error", after, page)
			}
		}
	}},
	{"a large result is split into pages", func(c *contract) {
		var want []model.Event
		for i := range 48 {
			want = append(want, reading(i, "", "text", strings.Repeat("x", 64<<10)))
		}
		c.written(storage.AppendTransaction{Puts: want[:24]})
		c.written(storage.AppendTransaction{Puts: want[24:]})
		page, err := c.table.Events(c.Context(), wholeDay())
		if err != nil || len(page.Events) == 0 || len(page.Events) > 20 || page.Next == "" {
			c.Errorf("first page holds %d events, %v; want about 16 and a next", len(page.Events), err)
		}
		c.equal("events", identities(c.events(wholeDay())), identities(want))
	}},
	{"a consistent read returns what was just written", func(c *contract) {
		for i := range 20 {
			c.putEvents(reading(i, ""))
			c.equal("events", len(c.events(wholeDay())), i+1)
		}
	}},
}

func rangeExcludesNeighbours(c *contract) {
	e := reading(0, "", "temperature", 21)
	c.written(creation(e))
	for _, s := range []model.Series{
		{Subject: sensor, Kind: "READING", Stream: "a"}, {Subject: sensor, Kind: "READING", Stream: "#"},
		{Subject: sensor, Kind: "READING", Stream: e.At.String()}, {Subject: sensor, Kind: "READING2"},
		{Subject: sensor, Kind: "READ"}, {Subject: sensor, Kind: "READING", Shard: 1},
		{Subject: model.Subject{Type: "DEVICE", ID: "sensor_01#1"}, Kind: "READING"},
		{Subject: model.Subject{Type: "DEVICE", ID: "sensor_0"}, Kind: "READING"},
	} {
		other := e
		other.Series = s
		c.written(creation(other))
	}
	c.setAttr(keys.Metadata(sensor), "name", item.Value{Type: item.S, S: "hall"})
	c.putRow(row(0), noRev)
	everything := storage.Range{Series: series, From: model.MinTime, To: model.MaxTime}
	c.equal("events", c.events(everything), []model.Event{e})
}

func pagesReturnEachOnce(c *contract) {
	var want []model.Event
	for i := range 7 {
		want = append(want, reading(i/2, fmt.Sprint(i)))
	}
	c.putEvents(want...)
	for _, newest := range []bool{false, true} {
		for limit := range 9 {
			r := storage.Range{Series: series, From: minute(0), To: minute(9), Newest: newest, Limit: limit}
			c.equal(fmt.Sprintf("events, limit %d, newest %v", limit, newest), identities(c.events(r)),
				identities(want))
		}
		slices.Reverse(want)
	}
}
