package storetest

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// opened asks for the currents of which an append said that the door is open.
var opened = model.ByFields{SubjectType: sensor.Type, Kind: series.Kind, Index: keys.IndexGSI1, By: []string{"open"}, Order: 1}

// doorOf makes the first current of a subject, and puts it into the index.
func doorOf(subject, state, room string) ingest.Transaction {
	e := reading(0, "", "state", state, "room", room)
	e.Series.Subject.ID = subject
	tx := creation(e)
	tx.Current.Entries = []ingest.IndexEntry{{Index: keys.IndexGSI1, Key: keys.CurrentEntry(e.Series, []string{state}, []string{room})}}
	return tx
}

func (c *contract) currentsOf(r model.ByFields) (ids []string) {
	c.Helper()
	for pages := 0; pages < 50; pages++ {
		page, err := c.table.Currents(c.Context(), r)
		if err != nil || r.Limit > 0 && len(page.Currents) > r.Limit {
			c.Fatalf("page of currents: %d of them, %v", len(page.Currents), err)
		}
		for _, current := range page.Currents {
			ids = append(ids, current.Series.Subject.ID)
		}
		if r.After = page.Next; r.After == "" {
			return ids
		}
	}
	c.Fatalf("no end after 50 pages")
	return nil
}

var currentsFacts = []fact{
	{"currents of a value are found over all subjects, in the order of their other fields", func(c *contract) {
		for _, tx := range []ingest.Transaction{doorOf("a", "open", "hall"), doorOf("b", "shut", "hall"), doorOf("c", "open", "attic"), doorOf("d", "open", "hall#2")} {
			c.written(tx)
		}
		c.equal("open", c.currentsOf(opened), []string{"c", "a", "d"})
		inHall := opened
		inHall.First = []string{"hall"}
		c.equal("open, in the hall", c.currentsOf(inHall), []string{"a"})
		page, err := c.table.Currents(c.Context(), inHall)
		if err != nil || len(page.Currents) != 1 {
			c.Fatalf("page is %v, %v; want one", page, err)
		}
		c.equal("fields", page.Currents[0].Attrs, fieldsOf("room", "hall", "state", "open"))
	}},
	{"an append moves its current, leaves it where it is, or takes it out", func(c *contract) {
		c.written(doorOf("sensor_01", "open", "hall"))
		stays := newer(reading(1, "", "battery", 90))
		c.written(stays)
		c.equal("left alone", c.currentsOf(opened), []string{"sensor_01"})
		moves := newer(reading(2, "", "state", "shut", "room", "hall"))
		moves.Current.Entries = []ingest.IndexEntry{{Index: keys.IndexGSI1, Key: keys.CurrentEntry(series, []string{"shut"}, []string{"hall"})}}
		c.written(moves)
		shut := opened
		shut.By = []string{"shut"}
		c.equal("moved away", len(c.currentsOf(opened)), 0)
		c.equal("moved here", c.currentsOf(shut), []string{"sensor_01"})
		leaves := newer(reading(3, "", "state", "open"))
		leaves.Current.Entries = []ingest.IndexEntry{{Index: keys.IndexGSI1}}
		c.written(leaves)
		c.equal("taken out", len(c.currentsOf(opened))+len(c.currentsOf(shut)), 0)
		c.equal("fields", c.current().Attrs, fieldsOf("battery", 90, "room", "hall", "state", "open"))
	}},
	{"pages of currents, of any limit, either way, add up to the whole", func(c *contract) {
		var want []string
		for i := range 7 {
			id := fmt.Sprint("s", i)
			c.written(doorOf(id, "open", fmt.Sprint("room ", i/3)))
			want = append(want, id)
		}
		for _, backwards := range []bool{false, true} {
			for limit := range 9 {
				r := opened
				r.Backwards, r.Limit = backwards, limit
				c.equal(fmt.Sprintf("limit %d, backwards %v", limit, backwards), c.currentsOf(r), want)
			}
			slices.Reverse(want)
		}
	}},
	{"a position that no page of currents has is an error", func(c *contract) {
		r := opened
		r.After = "nonsense"
		if page, err := c.table.Currents(c.Context(), r); err == nil {
			c.Errorf("page is %v, want an error", page)
		}
	}},
}
