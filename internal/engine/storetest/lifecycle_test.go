package storetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// testKey returns a key in a partition that no stored item of Tidemark uses.
func testKey(pk, sk string) keys.Key { return keys.Key{PK: pk, SK: sk} }

// testItem returns an item with attributes from name, value, name, value.
func testItem(k keys.Key, pairs ...any) item.Item {
	it := item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}}
	for _, a := range newFields(pairs...) {
		it[a.Name] = item.FromValue(a.Value)
	}
	return it
}

func attrs(pairs ...any) item.Item {
	it := testItem(keys.Key{}, pairs...)
	delete(it, keys.AttrPK)
	delete(it, keys.AttrSK)
	return it
}

func putAction(it item.Item, when ...itemop.Requirement) itemop.Action {
	return itemop.Action{Key: it.Key(), Precondition: when, Put: it}
}

func attrEquals(attr string, v any) itemop.Requirement {
	return itemop.Requirement{Op: itemop.AttrEquals, Attr: attr, Value: item.FromValue(newValue(v))}
}

var (
	itemAbsent = itemop.Requirement{Op: itemop.ItemAbsent}
	itemExists = itemop.Requirement{Op: itemop.ItemExists}
)

// commit sends actions that must have a result.
func (c *contract) commit(want storage.WriteResult, actions ...itemop.Action) itemop.TransactResult {
	c.Helper()
	result, err := c.table.Commit(c.Context(), itemop.Transaction{Actions: actions})
	if err != nil || result.Result != want {
		c.Fatalf("commit returns %+v, %v; want %v", result, err, want)
	}
	return result
}

func (c *contract) itemAt(k keys.Key, want item.Item) {
	c.Helper()
	got, err := c.table.GetItem(c.Context(), k)
	if err != nil {
		c.Fatal(err)
	}
	c.equal(k.PK+" "+k.SK, got, want)
}

// list returns the sort keys of all pages of a list request.
func (c *contract) list(l itemop.ListRequest) (all []string) {
	c.Helper()
	for pages := 0; pages < 1000; pages++ {
		page, err := c.table.List(c.Context(), l)
		if err != nil {
			c.Fatalf("list: %v", err)
		}
		if l.Limit > 0 && len(page.Items) > l.Limit {
			c.Errorf("a page holds %d items, want %d at most", len(page.Items), l.Limit)
		}
		for _, it := range page.Items {
			all = append(all, it.Key().SK)
		}
		if l.After = page.Next; l.After == (itemop.Position{}) {
			return all
		}
	}
	c.Fatal("list: more than 1000 pages")
	return nil
}

var lifecycleFacts = []fact{
	{"a transaction puts, updates, deletes and checks, all or nothing", func(c *contract) {
		a := testKey("p", "a")
		b := testKey("p", "b")
		deleted := testKey("q", "a")
		absent := testKey("r", "a")
		c.commit(storage.Written, putAction(testItem(a, "n", 1), itemAbsent),
			putAction(testItem(b, "n", 1, "m", 2, "o", "x")), putAction(testItem(deleted)))
		c.commit(storage.Written,
			putAction(testItem(a, "n", 2), attrEquals("n", 1)),
			itemop.Action{Key: b, Precondition: itemop.Precondition{attrEquals("o", "x"), itemExists},
				Set: attrs("n", 3, "p", true), Remove: []string{"m", "none"}},
			itemop.Action{Key: deleted, Precondition: itemop.Precondition{itemExists}, Delete: true},
			itemop.Action{Key: absent, Precondition: itemop.Precondition{itemAbsent}})
		c.itemAt(a, testItem(a, "n", 2))
		c.itemAt(b, testItem(b, "n", 3, "o", "x", "p", true))
		c.itemAt(deleted, nil)
		c.itemAt(absent, nil)
	}},
	{"a failed transaction returns each failed condition with its item, and stores nothing", func(c *contract) {
		a := testKey("p", "a")
		b := testKey("p", "b")
		d := testKey("p", "d")
		absent := testKey("p", "e")
		c.commit(storage.Written, putAction(testItem(a, "n", 1)), putAction(testItem(b, "n", 1)),
			putAction(testItem(d, "n", "1")))
		result := c.commit(storage.ConditionFailed,
			putAction(testItem(a, "n", 2), itemAbsent),
			putAction(testItem(b, "n", 2), attrEquals("n", 1)),
			itemop.Action{Key: d, Precondition: itemop.Precondition{attrEquals("n", 1)}, Delete: true},
			itemop.Action{Key: absent, Precondition: itemop.Precondition{itemExists}, Set: attrs("n", 1)})
		c.equal("items", result.Items, []itemop.ItemResult{{Failed: true, Old: testItem(a, "n", 1)}, {},
			{Failed: true, Old: testItem(d, "n", "1")}, {Failed: true}})
		c.itemAt(b, testItem(b, "n", 1))
		c.itemAt(absent, nil)
	}},
	{"each requirement holds or fails as documented", func(c *contract) {
		k, none := testKey("p", "a"), testKey("p", "none")
		bytes := item.Value{Type: item.B, B: []byte{1, 2}}
		it := testItem(k, "n", 1, "text", "x", "yes", true)
		it["b"] = bytes
		c.commit(storage.Written, putAction(it))
		lacks := func(attr string) itemop.Requirement {
			return itemop.Requirement{Op: itemop.AttrAbsent, Attr: attr}
		}
		not := func(attr string, v any) itemop.Requirement {
			t := attrEquals(attr, v)
			t.Op = itemop.AttrDiffers
			return t
		}
		isBytes := itemop.Requirement{Op: itemop.AttrEquals, Attr: "b", Value: bytes}
		for i, t := range []struct {
			key  keys.Key
			when itemop.Precondition
			want storage.WriteResult
		}{
			{k, itemop.Precondition{itemExists, attrEquals("n", 1), attrEquals("text", "x"), attrEquals("yes", true), isBytes, lacks("m")}, storage.Written},
			{k, itemop.Precondition{not("n", 2), not("m", 1), not("n", "1")}, storage.Written},
			{none, itemop.Precondition{not("n", 1)}, storage.Written},
			{k, itemop.Precondition{not("n", 1)}, storage.ConditionFailed},
			{k, itemop.Precondition{attrEquals("n", 2)}, storage.ConditionFailed},
			{k, itemop.Precondition{attrEquals("m", 1)}, storage.ConditionFailed},
			{k, itemop.Precondition{attrEquals("n", "1")}, storage.ConditionFailed},
			{k, itemop.Precondition{lacks("n")}, storage.ConditionFailed},
			{k, itemop.Precondition{itemAbsent}, storage.ConditionFailed},
			{none, itemop.Precondition{itemAbsent, lacks("n")}, storage.Written},
			{none, itemop.Precondition{itemExists}, storage.ConditionFailed},
			{none, itemop.Precondition{attrEquals("n", 1)}, storage.ConditionFailed},
		} {
			result, err := c.table.Commit(c.Context(),
				itemop.Transaction{Actions: []itemop.Action{{Key: t.key, Precondition: t.when}}})
			if err != nil || result.Result != t.want {
				c.Errorf("precondition %d: result %v, %v; want %v", i, result.Result, err, t.want)
			}
		}
	}},
	{"an action has a condition on fields, in addition to its precondition", func(c *contract) {
		k := testKey("p", "a")
		c.commit(storage.Written, putAction(testItem(k, "n", 1)))
		change := itemop.Action{Key: k, Precondition: itemop.Precondition{itemExists},
			Set: item.Item{"m": item.FromValue(newValue("x"))}}
		for want, op := range map[storage.WriteResult]model.Op{storage.ConditionFailed: model.Greater,
			storage.Written: model.AtLeast} {
			change.Where = model.Condition{{Field: "n", Op: op, Value: newValue(1)}}
			c.commit(want, change)
			change.Precondition = nil
			c.commit(want, change)
			change.Precondition = itemop.Precondition{itemAbsent}
			c.commit(storage.ConditionFailed, change)
			change.Precondition = itemop.Precondition{itemExists}
		}
	}},
	{"a repeated token returns written again, and writes nothing", func(c *contract) {
		k := testKey("p", "a")
		tx := itemop.Transaction{Token: c.token,
			Actions: []itemop.Action{putAction(testItem(k, "n", 1), itemAbsent)}}
		for range 2 {
			if result, err := c.table.Commit(c.Context(), tx); err != nil || result.Result != storage.Written {
				c.Fatalf("commit returns %+v, %v; want written", result, err)
			}
			c.commit(storage.Written, putAction(testItem(k, "n", 2)))
		}
		tx.Actions = []itemop.Action{putAction(testItem(k, "n", 3))}
		if result, err := c.table.Commit(c.Context(), tx); err == nil {
			c.Errorf("another transaction with the token returns %+v, want an error", result)
		}
		c.itemAt(k, testItem(k, "n", 2))
	}},
	{"a transaction has at most 100 actions", func(c *contract) {
		actions := make([]itemop.Action, itemop.MaxItems)
		for i := range actions {
			actions[i] = putAction(testItem(testKey("p", fmt.Sprint(i))), itemAbsent)
		}
		c.commit(storage.Written, actions...)
		result := c.commit(storage.ConditionFailed, actions...)
		c.equal("failed", len(result.Items), len(actions))
		if result, err := c.table.Commit(c.Context(),
			itemop.Transaction{Actions: append(actions, putAction(testItem(testKey("p", "more"))))}); err == nil {
			c.Errorf("commit of 101 actions returns %+v, want an error", result)
		}
	}},
	{"List returns the items with its prefix, with any limit and direction", func(c *contract) {
		var want []string
		for i := range 7 {
			want = append(want, fmt.Sprintf("B#%d", i))
			c.commit(storage.Written, putAction(testItem(testKey("p", want[i]))))
		}
		c.commit(storage.Written, putAction(testItem(testKey("p", "A#1"))), putAction(testItem(testKey("p", "B"))),
			putAction(testItem(testKey("p", "C#1"))), putAction(testItem(testKey("p2", "B#9"))))
		for limit := range 9 {
			c.equal(fmt.Sprint("oldest first, limit ", limit),
				c.list(itemop.ListRequest{Partition: "p", Prefix: "B#", Limit: limit}), want)
			got := c.list(itemop.ListRequest{Partition: "p", Prefix: "B#", Limit: limit, Newest: true})
			c.equal(fmt.Sprint("newest first, limit ", limit), got, reversed(want))
		}
		c.equal("the complete partition", len(c.list(itemop.ListRequest{Partition: "p"})), 10)
		c.equal("an empty one", c.list(itemop.ListRequest{Partition: "none"}), []string{})
	}},
	{"List returns the items within bounds, each of which may be open, in both directions", func(c *contract) {
		all := []string{"A", "B", "B#1", "C", "D"}
		for _, sk := range all {
			it := testItem(testKey("p", sk))
			it.SetIndex(keys.IndexGSI2, keys.Key{PK: "x", SK: sk})
			c.commit(storage.Written, putAction(it))
		}
		for _, from := range []string{"", "#", "B", "B#", "E"} {
			for _, to := range []string{"", "#", "B", "B#", "C", "D", "E"} {
				if to != "" && to < from {
					continue // DynamoDB rejects it
				}
				var want []string
				for _, sk := range all {
					if sk >= from && (to == "" || sk <= to) {
						want = append(want, sk)
					}
				}
				for i := range 8 {
					l := itemop.ListRequest{Partition: "p", From: from, To: to, Newest: i%2 == 1, Limit: i / 4}
					if i/2%2 == 1 {
						l.Index, l.Partition = keys.IndexGSI2, "x"
					}
					sorted := slices.Clone(want)
					if l.Newest {
						slices.Reverse(sorted)
					}
					c.equal(fmt.Sprintf("%+v", l), c.list(l), sorted)
				}
			}
		}
	}},
	{"List of an index returns its items by sort key, with any limit and direction", func(c *contract) {
		var want []string
		for i := range 6 {
			sk := fmt.Sprintf("item-%d", i)
			it := testItem(testKey(fmt.Sprint("p", i%2), sk))
			it.SetIndex(keys.IndexGSI1, keys.Key{PK: "index", SK: fmt.Sprint(i / 2)})
			c.commit(storage.Written, putAction(it))
			want = append(want, sk)
		}
		other := testItem(testKey("p", "other"))
		other.SetIndex(keys.IndexGSI2, keys.Key{PK: "index", SK: "0"})
		c.commit(storage.Written, putAction(other))
		for limit := range 8 {
			// Items with equal sort keys have no specified order.
			got := c.list(itemop.ListRequest{Index: keys.IndexGSI1, Partition: "index", Limit: limit})
			c.equal(fmt.Sprint("limit ", limit), pairwise(got), pairwise(want))
			got = c.list(itemop.ListRequest{Index: keys.IndexGSI1, Partition: "index", Limit: limit, Newest: true})
			c.equal(fmt.Sprint("newest first, limit ", limit), pairwise(reversed(got)), pairwise(want))
		}
		c.equal("the second index", c.list(itemop.ListRequest{Index: keys.IndexGSI2, Partition: "index"}),
			[]string{"other"})
	}},
	{"PurgeLocked reports whether there is a purge lock", func(c *contract) {
		for _, want := range []bool{false, true} {
			if got, err := c.table.PurgeLocked(c.Context(), sensor); err != nil || got != want {
				c.Errorf("purge locked is %v, %v; want %v", got, err, want)
			}
			lock := item.FromPurgeLock(&storage.PurgeLock{Subject: sensor, Since: noon, PurgeID: "1"})
			c.commit(storage.Written, putAction(lock))
		}
	}},
}

var eraseFacts = []fact{
	{"Erase removes items of any kind, and an absent item is no error", func(c *contract) {
		var items []keys.Key
		for i := range itemop.MaxBatchWrites {
			k := testKey(fmt.Sprint("p", i%3), fmt.Sprint(i))
			items = append(items, k)
			if i%2 == 0 {
				c.commit(storage.Written, putAction(testItem(k, "text", strings.Repeat("x", i*1000))))
			}
		}
		kept := testKey("p0", "kept")
		c.commit(storage.Written, putAction(testItem(kept)))
		for len(items) > 0 {
			left, result, err := c.table.Erase(c.Context(), items)
			if err != nil || result != storage.Written {
				c.Fatalf("erase returns %v, %v; want written", result, err)
			}
			items = left
		}
		c.equal("items", c.scan(), []item.Item{testItem(kept)})
	}},
	{"an invalid request is an error", func(c *contract) {
		k := testKey("p", "a")
		c.commit(storage.Written, putAction(testItem(k)))
		many := make([]keys.Key, itemop.MaxBatchWrites+1)
		for i := range many {
			many[i] = testKey("p", fmt.Sprint(i))
		}
		for name, items := range map[string][]keys.Key{"none": nil, "26": many} {
			if _, result, err := c.table.Erase(c.Context(), items); err == nil {
				c.Errorf("%s: erase returns %v, want an error", name, result)
			}
		}
		c.equal("items", len(c.scan()), 1)
	}},
}

func reversed(s []string) []string {
	out := make([]string, 0, len(s))
	for i := len(s) - 1; i >= 0; i-- {
		out = append(out, s[i])
	}
	return out
}

// pairwise sorts each pair of neighbours.
func pairwise(s []string) []string {
	out := append([]string(nil), s...)
	for i := 0; i+1 < len(out); i += 2 {
		if out[i] > out[i+1] {
			out[i], out[i+1] = out[i+1], out[i]
		}
	}
	return out
}
