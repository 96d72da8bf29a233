package simstream

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Expire simulates TTL for an item: sweep is called some time after at, in epoch seconds, or
// never. sweep must check that the item is still expired. item names the item in any form.
func (s *Sim) Expire(item string, at int64, sweep func()) {
	s.expiries[item]++
	dice := s.dice.Of("expiry "+item, s.expiries[item])
	if s.strikes(dice, ExpiresNever) {
		s.logFault("", ExpiresNever, "%s", item)
		return
	}
	late := time.Duration(0)
	if s.strikes(dice, ExpiresLate) {
		late = dice.Span("late", []time.Duration{5 * time.Minute, 48 * time.Hour, 10 * 24 * time.Hour}[dice.Pick("how late", 3)])
	}
	s.At(model.Time(at*1000).Add(late), sweep)
}

// Unsigned chooses whether the record of an expiry omits the identity of TTL.
func (s *Sim) Unsigned(item string) bool {
	return s.strikes(s.dice.Of("unsigned "+item, s.expiries[item]), ExpiresUnsigned)
}
