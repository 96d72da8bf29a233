package rollup

import (
	"slices"
	"strings"
)

// Merge adds o to s. It does not change o, and shares no memory with it afterwards. Merge is associative and
// commutative, and New is its identity. Numbers merge exactly; of two scales the larger is used. A decoded
// summary has no spec and so no limits: merge it into New(spec) before storing it. A nil o has no events.
func (s *Summary) Merge(o *Summary) {
	if o == nil {
		return
	}
	s.events += o.events
	s.mergeMeasures(o)
	for _, d := range o.dimensions {
		s.dimension(d.name).merge(d)
	}
	for _, d := range o.distincts {
		s.distinct(d.name).merge(d)
	}
}

// mergeMeasures merges the measures of both. The measures of a truncated summary are
// complete only up to its last name, so names after that of either are dropped.
func (s *Summary) mergeMeasures(o *Summary) {
	known := o.measures
	if s.truncated {
		known = upTo(known, s.lastComplete())
	}
	if o.truncated {
		s.measures = upTo(s.measures, o.lastComplete())
		s.truncated = true
	}
	for i := range known {
		at, found := s.findMeasure(known[i].name)
		if found {
			s.measures[at].merge(&known[i])
			continue
		}
		s.measures = slices.Insert(s.measures, at, known[i].clone())
	}
	s.truncate()
}

// lastComplete returns the last measure that a truncated summary has completely.
func (s *Summary) lastComplete() string { return s.measures[len(s.measures)-1].name }

// upTo returns the measures up to the given name.
func upTo(measures []totals, last string) []totals {
	i, found := slices.BinarySearchFunc(measures, last, func(t totals, name string) int { return strings.Compare(t.name, name) })
	if found {
		i++
	}
	return measures[:i]
}
