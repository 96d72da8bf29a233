package rollup

import (
	"slices"
	"strings"
)

// Merge folds o in; o is not changed and shares nothing with s afterwards. It is
// associative and commutative, and New is its identity. Numbers merge exactly; where
// scales differ the larger is kept. A decoded summary has no spec and so no limits:
// merge it into New(spec) to make a row of it. A nil o has no events.
func (s *Summary) Merge(o *Summary) {
	if o == nil {
		return
	}
	s.events += o.events
	s.mergeTallies(o)
	for _, d := range o.dimensions {
		s.dimension(d.name).merge(d)
	}
	for _, d := range o.distincts {
		s.distinct(d.name).merge(d)
	}
}

// mergeTallies unites the measures of both. What is truncated knows nothing whole
// beyond its last name, so no name beyond either horizon is kept.
func (s *Summary) mergeTallies(o *Summary) {
	known := o.tallies
	if s.truncated {
		known = upTo(known, s.horizon())
	}
	if o.truncated {
		s.tallies = upTo(s.tallies, o.horizon())
		s.truncated = true
	}
	for i := range known {
		at, found := s.find(known[i].name)
		if found {
			s.tallies[at].merge(&known[i])
			continue
		}
		s.tallies = slices.Insert(s.tallies, at, known[i].clone())
	}
	s.truncate()
}

// horizon is the last name a truncated summary knows whole.
func (s *Summary) horizon() string { return s.tallies[len(s.tallies)-1].name }

func upTo(tallies []tally, horizon string) []tally {
	i, found := slices.BinarySearchFunc(tallies, horizon, func(t tally, name string) int { return strings.Compare(t.name, name) })
	if found {
		i++
	}
	return tallies[:i]
}
