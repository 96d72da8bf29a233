package storetest

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// openDoors requests the latest items with the state open.
var openDoors = storage.LatestIndexQuery{SubjectType: sensor.Type, Kind: series.Kind, Index: keys.IndexGSI1,
	Values: []string{"open"}, SortFields: 1}

// doorReading returns the transaction that creates the latest item of a subject, with its entry in
// the index.
func doorReading(subject, state, room string) storage.AppendTransaction {
	e := reading(0, "", "state", state, "room", room)
	e.Series.Subject.ID = subject
	tx := creation(e)
	tx.Latest.Entries = []storage.IndexEntry{{Index: keys.IndexGSI1,
		Key: tablekeys.LatestEntry(e.Series, []string{state}, []string{room})}}
	return tx
}

func (c *contract) latestSubjects(r storage.LatestIndexQuery) (ids []string) {
	c.Helper()
	for pages := 0; pages < 50; pages++ {
		page, err := c.table.LatestBy(c.Context(), r)
		if err != nil || r.Limit > 0 && len(page.Items) > r.Limit {
			c.Fatalf("page of latest items: %d of them, %v", len(page.Items), err)
		}
		for _, latest := range page.Items {
			ids = append(ids, latest.Series.Subject.ID)
		}
		if r.After = page.Next; r.After == "" {
			return ids
		}
	}
	c.Fatalf("more than 50 pages")
	return nil
}

var latestByFacts = []fact{
	{"latest items with a value are found for all subjects, in the order of their sort fields", func(c *contract) {
		for _, tx := range []storage.AppendTransaction{doorReading("a", "open", "hall"),
			doorReading("b", "shut", "hall"), doorReading("c", "open", "attic"), doorReading("d", "open", "hall#2")} {
			c.written(tx)
		}
		c.equal("open", c.latestSubjects(openDoors), []string{"c", "a", "d"})
		inHall := openDoors
		inHall.SortPrefix = []string{"hall"}
		c.equal("open, in the hall", c.latestSubjects(inHall), []string{"a"})
		page, err := c.table.LatestBy(c.Context(), inHall)
		if err != nil || len(page.Items) != 1 {
			c.Fatalf("page is %v, %v; want one", page, err)
		}
		c.equal("fields", page.Items[0].Attrs, newFields("room", "hall", "state", "open"))
	}},
	{"an append moves its latest item in the index, keeps it in place, or removes it", func(c *contract) {
		c.written(doorReading("sensor_01", "open", "hall"))
		stays := newer(reading(1, "", "battery", 90))
		c.written(stays)
		c.equal("kept in place", c.latestSubjects(openDoors), []string{"sensor_01"})
		moves := newer(reading(2, "", "state", "shut", "room", "hall"))
		moves.Latest.Entries = []storage.IndexEntry{{Index: keys.IndexGSI1,
			Key: tablekeys.LatestEntry(series, []string{"shut"}, []string{"hall"})}}
		c.written(moves)
		shut := openDoors
		shut.Values = []string{"shut"}
		c.equal("moved from open", len(c.latestSubjects(openDoors)), 0)
		c.equal("moved to shut", c.latestSubjects(shut), []string{"sensor_01"})
		leaves := newer(reading(3, "", "state", "open"))
		leaves.Latest.Entries = []storage.IndexEntry{{Index: keys.IndexGSI1}}
		c.written(leaves)
		c.equal("removed", len(c.latestSubjects(openDoors))+len(c.latestSubjects(shut)), 0)
		c.equal("fields", c.latest().Attrs, newFields("battery", 90, "room", "hall", "state", "open"))
	}},
	{"pages of latest items, with any limit and direction, return every item once", func(c *contract) {
		var want []string
		for i := range 7 {
			id := fmt.Sprint("s", i)
			c.written(doorReading(id, "open", fmt.Sprint("room ", i/3)))
			want = append(want, id)
		}
		for _, backwards := range []bool{false, true} {
			for limit := range 9 {
				r := openDoors
				r.Descending, r.Limit = backwards, limit
				c.equal(fmt.Sprintf("limit %d, backwards %v", limit, backwards), c.latestSubjects(r), want)
			}
			slices.Reverse(want)
		}
	}},
	{"an invalid position is an error", func(c *contract) {
		r := openDoors
		r.After = "nonsense"
		if page, err := c.table.LatestBy(c.Context(), r); err == nil {
			c.Errorf("page is %v, want an error", page)
		}
	}},
}
