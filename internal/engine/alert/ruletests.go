package alert

import (
	"math/big"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ruleTest returns the number that a rule compares with its bounds, from a reading and the one before, which
// is nil for the first. ok is false if there is none.
type ruleTest func(before *storage.Moment, now storage.Moment) (_ model.Decimal, ok bool)

var ruleTests = map[storage.Test]ruleTest{
	storage.TestValue: func(_ *storage.Moment, now storage.Moment) (model.Decimal, bool) {
		return now.Value, true
	},
	storage.TestRate: changePerMinute,
}

// rateDigits is how many significant digits a rate is rounded to.
const rateDigits = 12

// changePerMinute returns the change between two readings, per minute. Readings at the same time have none.
func changePerMinute(before *storage.Moment, now storage.Moment) (rate model.Decimal, ok bool) {
	if before == nil || now.At <= before.At {
		return rate, false
	}
	change := new(big.Rat).Sub(now.Value.Rat(), before.Value.Rat())
	change.Mul(change, big.NewRat(60_000, int64(now.At-before.At)))
	rate, err := model.ParseDecimal(new(big.Float).SetRat(change).Text('g', rateDigits))
	return rate, err == nil // no error but for numbers beyond 1e125
}

// hasMemory reports whether the result of a rule at an event depends on earlier readings, beside the
// violation that they left open.
func hasMemory(r *storage.Rule) bool {
	return r.Test != storage.TestSilence && (r.For > 0 || r.Test == storage.TestRate)
}
