package storetest

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// place is a key in a partition that no noun of ours stands in.
func place(pk, sk string) keys.Key { return keys.Key{PK: pk, SK: sk} }

// thing is an item under a key; its attributes follow name, value.
func thing(k keys.Key, pairs ...any) item.Item {
	it := item.Item{keys.AttrPK: {Type: item.S, S: k.PK}, keys.AttrSK: {Type: item.S, S: k.SK}}
	for _, a := range fieldsOf(pairs...) {
		it[a.Name] = item.FromValue(a.Value)
	}
	return it
}

func set(pairs ...any) item.Item {
	it := thing(keys.Key{}, pairs...)
	delete(it, keys.AttrPK)
	delete(it, keys.AttrSK)
	return it
}

func put(it item.Item, when ...lifecycle.Term) lifecycle.Action {
	return lifecycle.Action{Key: it.Key(), When: when, Put: it}
}

func is(attr string, v any) lifecycle.Term {
	return lifecycle.Term{Op: lifecycle.Is, Attr: attr, Value: item.FromValue(valueOf(v))}
}

var (
	onFree  = lifecycle.Term{Op: lifecycle.Free}
	onThere = lifecycle.Term{Op: lifecycle.There}
)

// commits sends actions and answers what the server did.
func (c *contract) commits(want model.Answer, actions ...lifecycle.Action) lifecycle.Reply {
	c.Helper()
	reply, err := c.table.Commit(c.Context(), lifecycle.Transaction{Actions: actions})
	if err != nil || reply.Answer != want {
		c.Fatalf("commit answers %+v, %v; want %v", reply, err, want)
	}
	return reply
}

func (c *contract) itemAt(k keys.Key, want item.Item) {
	c.Helper()
	got, err := c.table.GetItem(c.Context(), k)
	if err != nil {
		c.Fatal(err)
	}
	c.equal(k.PK+" "+k.SK, got, want)
}

// listed are the sort keys of all pages of a listing.
func (c *contract) listed(l lifecycle.Listing) (all []string) {
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
		if l.After = page.Next; l.After == (lifecycle.Place{}) {
			return all
		}
	}
	c.Fatal("list: the pages have no end")
	return nil
}

var lifecycleFacts = []fact{
	{"a transaction puts, changes, removes and checks, all or nothing", func(c *contract) {
		a, b, gone, free := place("p", "a"), place("p", "b"), place("q", "a"), place("r", "a")
		c.commits(model.Written, put(thing(a, "n", 1), onFree), put(thing(b, "n", 1, "m", 2, "o", "x")), put(thing(gone)))
		c.commits(model.Written,
			put(thing(a, "n", 2), is("n", 1)),
			lifecycle.Action{Key: b, When: lifecycle.Condition{is("o", "x"), onThere}, Set: set("n", 3, "p", true), Remove: []string{"m", "none"}},
			lifecycle.Action{Key: gone, When: lifecycle.Condition{onThere}, Delete: true},
			lifecycle.Action{Key: free, When: lifecycle.Condition{onFree}})
		c.itemAt(a, thing(a, "n", 2))
		c.itemAt(b, thing(b, "n", 3, "o", "x", "p", true))
		c.itemAt(gone, nil)
		c.itemAt(free, nil)
	}},
	{"each refusal names what it met, and nothing is stored", func(c *contract) {
		a, b, d, free := place("p", "a"), place("p", "b"), place("p", "d"), place("p", "e")
		c.commits(model.Written, put(thing(a, "n", 1)), put(thing(b, "n", 1)), put(thing(d, "n", "1")))
		reply := c.commits(model.Refused,
			put(thing(a, "n", 2), onFree),
			put(thing(b, "n", 2), is("n", 1)),
			lifecycle.Action{Key: d, When: lifecycle.Condition{is("n", 1)}, Delete: true},
			lifecycle.Action{Key: free, When: lifecycle.Condition{onThere}, Set: set("n", 1)})
		c.equal("met", reply.Met, []lifecycle.Met{{Failed: true, Old: thing(a, "n", 1)}, {}, {Failed: true, Old: thing(d, "n", "1")}, {Failed: true}})
		c.itemAt(b, thing(b, "n", 1))
		c.itemAt(free, nil)
	}},
	{"terms are true of what they say", func(c *contract) {
		k, none := place("p", "a"), place("p", "none")
		bytes := item.Value{Type: item.B, B: []byte{1, 2}}
		it := thing(k, "n", 1, "text", "x", "yes", true)
		it["b"] = bytes
		c.commits(model.Written, put(it))
		lacks := func(attr string) lifecycle.Term { return lifecycle.Term{Op: lifecycle.Lacks, Attr: attr} }
		not := func(attr string, v any) lifecycle.Term {
			t := is(attr, v)
			t.Op = lifecycle.IsNot
			return t
		}
		isBytes := lifecycle.Term{Op: lifecycle.Is, Attr: "b", Value: bytes}
		for i, t := range []struct {
			key  keys.Key
			when lifecycle.Condition
			want model.Answer
		}{
			{k, lifecycle.Condition{onThere, is("n", 1), is("text", "x"), is("yes", true), isBytes, lacks("m")}, model.Written},
			{k, lifecycle.Condition{not("n", 2), not("m", 1), not("n", "1")}, model.Written},
			{none, lifecycle.Condition{not("n", 1)}, model.Written},
			{k, lifecycle.Condition{not("n", 1)}, model.Refused},
			{k, lifecycle.Condition{is("n", 2)}, model.Refused},
			{k, lifecycle.Condition{is("m", 1)}, model.Refused},
			{k, lifecycle.Condition{is("n", "1")}, model.Refused},
			{k, lifecycle.Condition{lacks("n")}, model.Refused},
			{k, lifecycle.Condition{onFree}, model.Refused},
			{none, lifecycle.Condition{onFree, lacks("n")}, model.Written},
			{none, lifecycle.Condition{onThere}, model.Refused},
			{none, lifecycle.Condition{is("n", 1)}, model.Refused},
		} {
			reply, err := c.table.Commit(c.Context(), lifecycle.Transaction{Actions: []lifecycle.Action{{Key: t.key, When: t.when}}})
			if err != nil || reply.Answer != t.want {
				c.Errorf("condition %d answers %v, %v; want %v", i, reply.Answer, err, t.want)
			}
		}
	}},
	{"a token of a stored transaction answers written again, and writes nothing", func(c *contract) {
		k := place("p", "a")
		tx := lifecycle.Transaction{Token: c.token, Actions: []lifecycle.Action{put(thing(k, "n", 1), onFree)}}
		for range 2 {
			if reply, err := c.table.Commit(c.Context(), tx); err != nil || reply.Answer != model.Written {
				c.Fatalf("commit answers %+v, %v; want written", reply, err)
			}
			c.commits(model.Written, put(thing(k, "n", 2)))
		}
		tx.Actions = []lifecycle.Action{put(thing(k, "n", 3))}
		if reply, err := c.table.Commit(c.Context(), tx); err == nil {
			c.Errorf("another transaction with the token answers %+v, want an error", reply)
		}
		c.itemAt(k, thing(k, "n", 2))
	}},
	{"a transaction holds a hundred items and no more", func(c *contract) {
		actions := make([]lifecycle.Action, lifecycle.MaxItems)
		for i := range actions {
			actions[i] = put(thing(place("p", fmt.Sprint(i))), onFree)
		}
		c.commits(model.Written, actions...)
		reply := c.commits(model.Refused, actions...)
		c.equal("failed", len(reply.Met), len(actions))
		if reply, err := c.table.Commit(c.Context(), lifecycle.Transaction{Actions: append(actions, put(thing(place("p", "more"))))}); err == nil {
			c.Errorf("commit of 101 answers %+v, want an error", reply)
		}
	}},
	{"a listing shows what begins with its prefix, either way, by pages of any limit", func(c *contract) {
		var want []string
		for i := range 7 {
			want = append(want, fmt.Sprintf("B#%d", i))
			c.commits(model.Written, put(thing(place("p", want[i]))))
		}
		c.commits(model.Written, put(thing(place("p", "A#1"))), put(thing(place("p", "B"))), put(thing(place("p", "C#1"))), put(thing(place("p2", "B#9"))))
		for limit := range 9 {
			c.equal(fmt.Sprint("oldest first, limit ", limit), c.listed(lifecycle.Listing{Partition: "p", Prefix: "B#", Limit: limit}), want)
			got := c.listed(lifecycle.Listing{Partition: "p", Prefix: "B#", Limit: limit, Newest: true})
			c.equal(fmt.Sprint("newest first, limit ", limit), got, reversed(want))
		}
		c.equal("the whole partition", len(c.listed(lifecycle.Listing{Partition: "p"})), 10)
		c.equal("an empty one", c.listed(lifecycle.Listing{Partition: "none"}), []string{})
	}},
	{"an index lists what stands in it, by its sort key, by pages of any limit", func(c *contract) {
		var want []string
		for i := range 6 {
			sk := fmt.Sprintf("item-%d", i)
			it := thing(place(fmt.Sprint("p", i%2), sk))
			it.SetIndex(keys.IndexGSI1, keys.Key{PK: "index", SK: fmt.Sprint(i / 2)})
			c.commits(model.Written, put(it))
			want = append(want, sk)
		}
		other := thing(place("p", "other"))
		other.SetIndex(keys.IndexGSI2, keys.Key{PK: "index", SK: "0"})
		c.commits(model.Written, put(other))
		for limit := range 8 {
			// Those of one sort key stand in no order that is promised.
			got := c.listed(lifecycle.Listing{Index: keys.IndexGSI1, Partition: "index", Limit: limit})
			c.equal(fmt.Sprint("limit ", limit), pairwise(got), pairwise(want))
			got = c.listed(lifecycle.Listing{Index: keys.IndexGSI1, Partition: "index", Limit: limit, Newest: true})
			c.equal(fmt.Sprint("newest first, limit ", limit), pairwise(reversed(got)), pairwise(want))
		}
		c.equal("the second index", c.listed(lifecycle.Listing{Index: keys.IndexGSI2, Partition: "index"}), []string{"other"})
	}},
	{"the gate is there or it is not", func(c *contract) {
		for _, want := range []bool{false, true} {
			if got, err := c.table.Gated(c.Context(), sensor); err != nil || got != want {
				c.Errorf("gated is %v, %v; want %v", got, err, want)
			}
			gate := item.FromGate(&model.Gate{Subject: sensor, Since: noon, PurgeID: "1"})
			c.commits(model.Written, put(gate))
		}
	}},
}

var eraseFacts = []fact{
	{"items go whatever they are, and that one is not there is no error", func(c *contract) {
		var these []keys.Key
		for i := range lifecycle.MaxErase {
			k := place(fmt.Sprint("p", i%3), fmt.Sprint(i))
			these = append(these, k)
			if i%2 == 0 {
				c.commits(model.Written, put(thing(k, "text", strings.Repeat("x", i*1000))))
			}
		}
		stays := place("p0", "stays")
		c.commits(model.Written, put(thing(stays)))
		for len(these) > 0 {
			left, answer, err := c.table.Erase(c.Context(), these)
			if err != nil || answer != model.Written {
				c.Fatalf("erase answers %v, %v; want written", answer, err)
			}
			these = left
		}
		c.equal("items", c.scan(), []item.Item{thing(stays)})
	}},
	{"a request that the server would not take is an error", func(c *contract) {
		k := place("p", "a")
		c.commits(model.Written, put(thing(k)))
		many := make([]keys.Key, lifecycle.MaxErase+1)
		for i := range many {
			many[i] = place("p", fmt.Sprint(i))
		}
		for name, these := range map[string][]keys.Key{"none": nil, "26": many} {
			if _, answer, err := c.table.Erase(c.Context(), these); err == nil {
				c.Errorf("%s: erase answers %v, want an error", name, answer)
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

// pairwise orders each two of neighbours.
func pairwise(s []string) []string {
	out := append([]string(nil), s...)
	for i := 0; i+1 < len(out); i += 2 {
		if out[i] > out[i+1] {
			out[i], out[i+1] = out[i+1], out[i]
		}
	}
	return out
}
