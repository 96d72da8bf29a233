package streamtest

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Expire has TTL come for an item: sweep is called some time after it expired, in
// epoch seconds, or never. sweep must look whether the item still expires by then.
// item names the item in any form.
func (s *Sim) Expire(item string, at int64, sweep func()) {
	s.expiries[item]++
	dice := s.dice.Of("expiry "+item, s.expiries[item])
	if s.strikes(dice, ExpiresNever) {
		s.tellFault("", ExpiresNever, "%s", item)
		return
	}
	late := time.Duration(0)
	if s.strikes(dice, ExpiresLate) {
		late = dice.Span("late", []time.Duration{5 * time.Minute, 48 * time.Hour, 10 * 24 * time.Hour}[dice.Pick("how late", 3)])
	}
	s.At(model.Time(at*1000).Add(late), sweep)
}

// Unsigned chooses whether the record of an item's expiry leaves out that TTL did it.
func (s *Sim) Unsigned(item string) bool {
	return s.strikes(s.dice.Of("unsigned "+item, s.expiries[item]), ExpiresUnsigned)
}
