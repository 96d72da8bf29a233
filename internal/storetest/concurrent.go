package storetest

import (
	"fmt"
	"sync"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// writers is how many write at once.
const writers = 16

var concurrentFacts = []fact{
	{"of writers of one order exactly one is written", func(c *contract) {
		c.written(creation(reading(0, "")))
		replies := c.atOnce(func(i int) ingest.Reply { return c.insist(newer(reading(1, "", "writer", i))) })
		var winners int
		for i, reply := range replies {
			if reply.Answer == model.Written {
				winners++
				c.equal("current", c.current().Attrs, fieldsOf("writer", i))
				continue
			}
			if !reply.CurrentFailed || reply.Current.At != minute(1) || reply.Stored[0] == nil {
				c.Errorf("writer %d was refused by %+v, want current and event of the winner", i, reply)
			}
		}
		c.equal("winners", winners, 1)
		c.equal("events", len(c.events(wholeDay())), 2)
	}},
	{"of creators of one series exactly one is written", func(c *contract) {
		var winners int
		for _, reply := range c.atOnce(func(i int) ingest.Reply { return c.insist(creation(reading(i, ""))) }) {
			if reply.Answer == model.Written {
				winners++
			}
		}
		c.equal("winners", winners, 1)
		c.equal("events", len(c.events(wholeDay())), 1)
	}},
	{"current only grows, and holds an event that was written", func(c *contract) {
		c.written(creation(reading(0, "")))
		replies := c.atOnce(func(i int) ingest.Reply { return c.insist(newer(reading(i+1, "", "writer", i))) })
		newest := minute(0)
		for i, reply := range replies {
			if reply.Answer == model.Written {
				newest = max(newest, minute(i+1))
			} else if reply.Current.At <= minute(i) {
				c.Errorf("writer of minute %d was refused by an older current: %v", i+1, reply.Current.Order)
			}
		}
		c.equal("current", c.current().At, newest)
	}},
	{"of writers over one rev exactly one is written", func(c *contract) {
		c.put(row(0), none)
		replies := c.atOnce(func(i int) ingest.Reply {
			next := row(0)
			next.Rev = rollup.Rev{2, byte(i)}
			for {
				answer, err := c.table.PutRow(c.Context(), next, rollup.Rev{1})
				if err != nil {
					c.Error(err)
				}
				if err != nil || answer == model.Written || answer == model.Refused {
					return ingest.Reply{Answer: answer}
				}
			}
		})
		var winners int
		for i, reply := range replies {
			if reply.Answer == model.Written {
				winners++
				c.equal("rev", c.row(row(0).Key).Rev, rollup.Rev{2, byte(i)})
			}
		}
		c.equal("winners", winners, 1)
	}},
}

// atOnce collects what writers get that all start at the same time.
func (c *contract) atOnce(write func(i int) ingest.Reply) []ingest.Reply {
	replies := make([]ingest.Reply, writers)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range replies {
		all.Go(func() {
			<-start
			replies[i] = write(i)
		})
	}
	close(start)
	all.Wait()
	return replies
}

// insist sends a transaction until it is written or refused: a server may answer
// that another one is under way.
func (c *contract) insist(tx ingest.Transaction) ingest.Reply {
	first := tx.Puts[0] // a repeat is the same request
	tx.Token = fmt.Sprintf("%.8s-%d-%x", c.token, first.At/1000, first.Hash[:6])
	for {
		reply, err := c.table.Append(c.Context(), tx)
		if err != nil {
			c.Errorf("append: %v", err)
			return ingest.Reply{Answer: model.Uncertain}
		}
		if reply.Answer == model.Written || reply.Answer == model.Refused {
			return reply
		}
	}
}
