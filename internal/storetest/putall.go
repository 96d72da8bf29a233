package storetest

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// PutAll stores items, or fails.
func (f *Faulty) PutAll(ctx context.Context, puts []table.Put) (model.Answer, error) {
	return faulted(ctx, f, "PutAll", bare, func(ctx context.Context) (model.Answer, error) { return f.Store.PutAll(ctx, puts) })
}

func (c *contract) putsAll(want model.Answer, puts ...table.Put) {
	c.Helper()
	if answer, err := c.table.PutAll(c.Context(), puts); err != nil || answer != want {
		c.Fatalf("put all answers %v, %v; want %v", answer, err, want)
	}
}

var putAllFacts = []fact{
	{"one item is put whole, on its condition", func(c *contract) {
		k := place("p", "a")
		c.putsAll(model.Refused, table.Put{Item: thing(k, "n", 1), When: table.Condition{onThere}})
		c.itemAt(k, nil)
		c.putsAll(model.Written, table.Put{Item: thing(k, "n", 1, "m", 1), When: table.Condition{onFree}})
		c.putsAll(model.Refused, table.Put{Item: thing(k, "n", 2), When: table.Condition{onFree}})
		c.putsAll(model.Written, table.Put{Item: thing(k, "n", 2), When: table.Condition{is("n", 1)}})
		c.itemAt(k, thing(k, "n", 2))
		c.putsAll(model.Written, table.Put{Item: thing(k, "n", 3)})
		c.itemAt(k, thing(k, "n", 3))
	}},
	{"several items are put all, or none", func(c *contract) {
		a, b := place("p", "a"), place("q", "b")
		both := func(n int) []table.Put {
			return []table.Put{{Item: thing(a, "n", n)}, {Item: thing(b, "n", n), When: table.Condition{onFree}}}
		}
		c.putsAll(model.Written, both(1)...)
		c.putsAll(model.Refused, both(2)...)
		c.itemAt(a, thing(a, "n", 1))
		c.itemAt(b, thing(b, "n", 1))
	}},
	{"as many items are put as a transaction holds, and no more", func(c *contract) {
		var puts []table.Put
		for i := range table.MaxItems {
			puts = append(puts, table.Put{Item: thing(place("p", fmt.Sprint(i)))})
		}
		c.putsAll(model.Written, puts...)
		puts = append(puts, table.Put{Item: thing(keys.Key{PK: "p", SK: "one more"})})
		if answer, err := c.table.PutAll(c.Context(), puts); err == nil {
			c.Errorf("%d items are answered %v, want an error", len(puts), answer)
		}
	}},
}
