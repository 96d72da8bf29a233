package storetest

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var conditionFacts = []fact{
	{"a caller's terms hold or fail as they read", termsHoldAsTheyRead},
	{"terms on current must all hold, beside the order", func(c *contract) {
		c.written(creation(reading(0, "", "temperature", 21, "mode", "auto")))
		tx := newer(reading(1, "", "temperature", 22))
		tx.Current.Where = ingest.Condition{{Field: "mode", Op: ingest.Equal, Value: valueOf("auto")}, {Field: "temperature", Op: ingest.Greater, Value: valueOf(30)}}
		if reply := c.refused(tx); !reply.CurrentFailed || reply.Current.At != minute(0) {
			c.Errorf("refusal is %+v, want current failed", reply)
		}
		tx.Current.Where[1].Op = ingest.Less
		c.written(tx)
		stale := newer(reading(1, "", "temperature", 23))
		stale.Current.Where = tx.Current.Where
		c.refused(stale)
	}},
	{"creation takes a caller's terms too", func(c *contract) {
		tx := creation(reading(0, "", "temperature", 21))
		tx.Current.Where = ingest.Condition{{Field: "mode", Op: ingest.Exists}}
		c.refused(tx)
		tx.Current.Where[0].Op = ingest.Missing
		c.written(tx)
	}},
	{"a late event is stored on a caller's condition, and current stays", func(c *contract) {
		c.written(creation(reading(5, "", "temperature", 21)))
		before, late := c.current(), reading(1, "", "temperature", 20)
		c.written(ingest.Transaction{
			Check: &ingest.CurrentCheck{Series: series, Where: ingest.Condition{{Field: "temperature", Op: ingest.Equal, Value: valueOf(21)}}},
			Puts:  []model.Event{late},
		})
		c.equal("current", c.current(), before)
		c.equal("events", len(c.events(wholeDay())), 2)
	}},
	{"a condition that cannot be evaluated is an error, never a verdict", func(c *contract) {
		c.written(creation(reading(0, "", "temperature", 21)))
		for _, where := range []ingest.Condition{
			{},
			{{Field: "temperature", Op: "~", Value: valueOf(1)}},
			{{Field: "temperature", Op: ingest.Less, Value: valueOf(true)}},
			{{Field: "temperature", Op: ingest.AtLeast, Value: model.Value{}}},
			{{Field: "temperature", Op: ingest.Begins, Value: valueOf(1)}},
		} {
			c.malformed(ingest.Transaction{
				Check: &ingest.CurrentCheck{Series: series, Where: where},
				Puts:  []model.Event{reading(-1, "")},
			})
		}
		tx := newer(reading(1, ""))
		tx.Check = &ingest.CurrentCheck{Series: series, Where: ingest.Condition{{Field: "a", Op: ingest.Missing}}}
		c.malformed(tx)
		c.equal("events", len(c.events(wholeDay())), 1)
	}},
}

// termsHoldAsTheyRead tries each term on one current. Field names are those that a
// query language would trip over.
func termsHoldAsTheyRead(c *contract) {
	current := reading(0, "", "size", 10, "status", "open", "#a.b[0] :c", true, "null", nil)
	c.written(creation(current))
	for i, term := range []struct {
		field string
		op    ingest.Op
		value any
		holds bool
	}{
		{"size", ingest.Equal, 10, true}, {"size", ingest.Equal, 11, false}, {"size", ingest.Equal, "10", false},
		{"size", ingest.NotEqual, 11, true}, {"size", ingest.NotEqual, 10, false}, {"size", ingest.NotEqual, "10", true},
		{"size", ingest.Less, 11, true}, {"size", ingest.Less, 10, false}, {"size", ingest.Less, 9, false}, {"size", ingest.Less, "x", false},
		{"size", ingest.AtMost, 10, true}, {"size", ingest.AtMost, 9, false},
		{"size", ingest.Greater, 9, true}, {"size", ingest.Greater, 10, false}, {"size", ingest.Greater, "", false},
		{"size", ingest.AtLeast, 10, true}, {"size", ingest.AtLeast, 11, false},
		{"size", ingest.Exists, nil, true}, {"size", ingest.Missing, nil, false},
		{"status", ingest.Equal, "open", true}, {"status", ingest.Less, "p", true}, {"status", ingest.Greater, "OPEN", true}, {"status", ingest.Less, 1, false},
		{"status", ingest.Begins, "op", true}, {"status", ingest.Begins, "pen", false}, {"size", ingest.Begins, "1", false}, {"absent", ingest.Begins, "", false},
		{"#a.b[0] :c", ingest.Equal, true, true}, {"#a.b[0] :c", ingest.Equal, false, false}, {"#a.b[0] :c", ingest.NotEqual, false, true},
		{"null", ingest.Equal, nil, true}, {"null", ingest.Exists, nil, true}, {"null", ingest.NotEqual, 1, true},
		{"absent", ingest.Missing, nil, true}, {"absent", ingest.Exists, nil, false},
		{"absent", ingest.Equal, nil, false}, {"absent", ingest.NotEqual, 1, false}, {"absent", ingest.Less, 1, false}, {"absent", ingest.AtLeast, 1, false},
	} {
		where := ingest.Condition{{Field: term.field, Op: term.op, Value: valueOf(term.value)}}
		if where.Holds(current.Attrs) != term.holds {
			c.Errorf("%s: readers hold it to be %v, want %v", where[0], !term.holds, term.holds)
		}
		reply := c.append(ingest.Transaction{
			Check: &ingest.CurrentCheck{Series: series, Where: where},
			Puts:  []model.Event{reading(-1, fmt.Sprint(i))},
		})
		if got := reply.Answer == model.Written; got != term.holds || reply.CurrentFailed == got {
			c.Errorf("%s %s %v: answer %v, current failed %v; want it to hold: %v", term.field, term.op, term.value, reply.Answer, reply.CurrentFailed, term.holds)
		}
	}
}
