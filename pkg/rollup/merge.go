package rollup

import "slices"

// Merge adds o to s. It does not change o, and shares no memory with it afterwards. Merge is associative and
// commutative, and New is its identity. Numbers merge exactly; of two scales the larger is used. A decoded
// summary has no spec and so no limits: merge it into New(spec) before storing it. A nil o has no events.
func (s *Summary) Merge(o *Summary) { s.merge(o, "") }

// merge is Merge. With a member, o is of that member of a group, and s of other members in the same bucket:
// only so are lists of members made.
func (s *Summary) merge(o *Summary, member string) {
	if o == nil {
		return
	}
	s.events += o.events
	s.mergeMeasures(o, member)
	for _, d := range o.dimensions {
		s.dimension(d.name).merge(d)
	}
	for _, d := range o.distincts {
		s.distinct(d.name).merge(d)
	}
	for _, d := range o.details {
		s.detail(d.name).merge(d)
	}
}

// mergeMeasures merges the measures of both. A truncated summary has every declared measure, but undeclared
// ones only up to a name: those after that name of either are omitted.
func (s *Summary) mergeMeasures(o *Summary, member string) {
	if o.truncated {
		s.omitAfter(o.complete)
	}
	for i := range o.measures {
		part := &o.measures[i]
		if s.omits(part.name) {
			continue
		}
		if member != "" {
			part = part.asMember(member)
		}
		at, found := s.findMeasure(part.name)
		if found {
			s.measures[at].merge(part, member != "")
			continue
		}
		s.measures = slices.Insert(s.measures, at, part.clone())
	}
	s.truncate(s.spec.maxMeasures())
}

// omitAfter omits the undeclared measures after a name.
func (s *Summary) omitAfter(name string) {
	if !s.truncated || name < s.complete {
		s.truncated, s.complete = true, name
	}
	s.measures = slices.DeleteFunc(s.measures, func(t totals) bool { return s.omits(t.name) })
}

// LacksDeclared reports whether declared measures may be missing in a decoded summary: in format 1 all names
// were omitted in byte order.
func (s *Summary) LacksDeclared(spec *Spec) bool {
	if s == nil || spec == nil || !s.format1 {
		return false
	}
	return slices.ContainsFunc(spec.Measures, func(m MeasureSpec) bool {
		_, found := s.findMeasure(m.Name)
		return !found && m.Name > s.complete
	})
}
