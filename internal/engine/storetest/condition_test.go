package storetest

import (
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var conditionFacts = []fact{
	{"each term of a user's condition holds or fails as documented", termsHoldAsTheyRead},
	{"all terms on the latest item must hold, and its order", func(c *contract) {
		c.written(creation(reading(0, "", "temperature", 21, "mode", "auto")))
		tx := newer(reading(1, "", "temperature", 22))
		tx.Latest.Condition = model.Condition{{Field: "mode", Op: model.Equal, Value: newValue("auto")},
			{Field: "temperature", Op: model.Greater, Value: newValue(30)}}
		if result := c.conditionFailed(tx); !result.LatestFailed || result.Latest.At != minute(0) {
			c.Errorf("result is %+v, want the latest item failed", result)
		}
		tx.Latest.Condition[1].Op = model.Less
		c.written(tx)
		stale := newer(reading(1, "", "temperature", 23))
		stale.Latest.Condition = tx.Latest.Condition
		c.conditionFailed(stale)
	}},
	{"a creation checks a user's condition", func(c *contract) {
		tx := creation(reading(0, "", "temperature", 21))
		tx.Latest.Condition = model.Condition{{Field: "mode", Op: model.Exists}}
		c.conditionFailed(tx)
		tx.Latest.Condition[0].Op = model.Missing
		c.written(tx)
	}},
	{"a late event is stored on a user's condition, and the latest item does not change", func(c *contract) {
		c.written(creation(reading(5, "", "temperature", 21)))
		before, late := c.latest(), reading(1, "", "temperature", 20)
		c.written(storage.AppendTransaction{
			Check: &storage.LatestCheck{Series: series, Condition: model.Condition{{Field: "temperature", Op: model.Equal, Value: newValue(21)}}},
			Puts:  []model.Event{late},
		})
		c.equal("latest", c.latest(), before)
		c.equal("events", len(c.events(wholeDay())), 2)
	}},
	{"an invalid condition is an error", func(c *contract) {
		c.written(creation(reading(0, "", "temperature", 21)))
		for _, where := range []model.Condition{
			{},
			{{Field: "temperature", Op: "~", Value: newValue(1)}},
			{{Field: "temperature", Op: model.Less, Value: newValue(true)}},
			{{Field: "temperature", Op: model.AtLeast, Value: model.Value{}}},
			{{Field: "temperature", Op: model.Begins, Value: newValue(1)}},
		} {
			c.malformed(storage.AppendTransaction{
				Check: &storage.LatestCheck{Series: series, Condition: where},
				Puts:  []model.Event{reading(-1, "")},
			})
		}
		tx := newer(reading(1, ""))
		tx.Check = &storage.LatestCheck{Series: series, Condition: model.Condition{{Field: "a", Op: model.Missing}}}
		c.malformed(tx)
		c.equal("events", len(c.events(wholeDay())), 1)
	}},
}

// termsHoldAsTheyRead evaluates each term on one latest item. Some field names would be syntax in an
// expression.
func termsHoldAsTheyRead(c *contract) {
	latest := reading(0, "", "size", 10, "status", "open", "#a.b[0] :c", true, "null", nil)
	c.written(creation(latest))
	for i, term := range []struct {
		field string
		op    model.Op
		value any
		holds bool
	}{
		{"size", model.Equal, 10, true}, {"size", model.Equal, 11, false}, {"size", model.Equal, "10", false},
		{"size", model.NotEqual, 11, true}, {"size", model.NotEqual, 10, false}, {"size", model.NotEqual, "10", true},
		{"size", model.Less, 11, true}, {"size", model.Less, 10, false}, {"size", model.Less, 9, false}, {"size", model.Less, "x", false},
		{"size", model.AtMost, 10, true}, {"size", model.AtMost, 9, false},
		{"size", model.Greater, 9, true}, {"size", model.Greater, 10, false}, {"size", model.Greater, "", false},
		{"size", model.AtLeast, 10, true}, {"size", model.AtLeast, 11, false},
		{"size", model.Exists, nil, true}, {"size", model.Missing, nil, false},
		{"status", model.Equal, "open", true}, {"status", model.Less, "p", true}, {"status", model.Greater, "OPEN", true}, {"status", model.Less, 1, false},
		{"status", model.Begins, "op", true}, {"status", model.Begins, "pen", false}, {"size", model.Begins, "1", false}, {"absent", model.Begins, "", false},
		{"#a.b[0] :c", model.Equal, true, true}, {"#a.b[0] :c", model.Equal, false, false}, {"#a.b[0] :c", model.NotEqual, false, true},
		{"null", model.Equal, nil, true}, {"null", model.Exists, nil, true}, {"null", model.NotEqual, 1, true},
		{"absent", model.Missing, nil, true}, {"absent", model.Exists, nil, false},
		{"absent", model.Equal, nil, false}, {"absent", model.NotEqual, 1, false}, {"absent", model.Less, 1, false}, {"absent", model.AtLeast, 1, false},
	} {
		where := model.Condition{{Field: term.field, Op: term.op, Value: newValue(term.value)}}
		if where.Holds(latest.Attrs) != term.holds {
			c.Errorf("%s: Holds returns %v, want %v", where[0], !term.holds, term.holds)
		}
		result := c.append(storage.AppendTransaction{
			Check: &storage.LatestCheck{Series: series, Condition: where},
			Puts:  []model.Event{reading(-1, fmt.Sprint(i))},
		})
		if got := result.Result == storage.Written; got != term.holds || result.LatestFailed == got {
			c.Errorf("%s %s %v: result %v, latest item failed %v; want it to hold: %v", term.field, term.op,
				term.value, result.Result, result.LatestFailed, term.holds)
		}
	}
}
