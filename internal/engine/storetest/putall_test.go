package storetest

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func (c *contract) putAll(want storage.WriteResult, puts ...itemop.Put) {
	c.Helper()
	if result, err := c.table.PutAll(c.Context(), puts); err != nil || result != want {
		c.Fatalf("put all returns %v, %v; want %v", result, err, want)
	}
}

var putAllFacts = []fact{
	{"a single put replaces the item, on its precondition", func(c *contract) {
		k := testKey("p", "a")
		c.putAll(storage.ConditionFailed,
			itemop.Put{Item: testItem(k, "n", 1), Precondition: itemop.Precondition{itemExists}})
		c.itemAt(k, nil)
		c.putAll(storage.Written,
			itemop.Put{Item: testItem(k, "n", 1, "m", 1), Precondition: itemop.Precondition{itemAbsent}})
		c.putAll(storage.ConditionFailed,
			itemop.Put{Item: testItem(k, "n", 2), Precondition: itemop.Precondition{itemAbsent}})
		c.putAll(storage.Written,
			itemop.Put{Item: testItem(k, "n", 2), Precondition: itemop.Precondition{attrEquals("n", 1)}})
		c.itemAt(k, testItem(k, "n", 2))
		c.putAll(storage.Written, itemop.Put{Item: testItem(k, "n", 3)})
		c.itemAt(k, testItem(k, "n", 3))
	}},
	{"several puts are stored all, or none", func(c *contract) {
		a, b := testKey("p", "a"), testKey("q", "b")
		both := func(n int) []itemop.Put {
			return []itemop.Put{{Item: testItem(a, "n", n)},
				{Item: testItem(b, "n", n), Precondition: itemop.Precondition{itemAbsent}}}
		}
		c.putAll(storage.Written, both(1)...)
		c.putAll(storage.ConditionFailed, both(2)...)
		c.itemAt(a, testItem(a, "n", 1))
		c.itemAt(b, testItem(b, "n", 1))
	}},
	{"at most as many items are put as a transaction has actions", func(c *contract) {
		var puts []itemop.Put
		for i := range itemop.MaxItems {
			puts = append(puts, itemop.Put{Item: testItem(testKey("p", fmt.Sprint(i)))})
		}
		c.putAll(storage.Written, puts...)
		puts = append(puts, itemop.Put{Item: testItem(keys.Key{PK: "p", SK: "one more"})})
		if result, err := c.table.PutAll(c.Context(), puts); err == nil {
			c.Errorf("%d puts return %v, want an error", len(puts), result)
		}
	}},
}
