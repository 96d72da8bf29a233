package rollup

import (
	"slices"
)

// Reductions are the steps that make a fold smaller until its row fits, in this order: what is worth least
// goes first. Details of values go first, then lists of members, then sketches, then the rarest values of
// dimensions, which count as other, then undeclared measures. Sums of declared measures never go. A step
// returns false if it has nothing more to remove. Each step depends on its fold only, and does not change it.
var Reductions = []func(f *Fold) (smaller *Fold, ok bool){
	(*Fold).withoutDetails,
	(*Fold).withoutMembersOfOneBucket,
	(*Fold).withoutMembers,
	(*Fold).withoutSketches,
	(*Fold).withHalfOfValues,
	(*Fold).withHalfOfUndeclared,
}

// withoutDetails returns f without the sums and distinct counts of values. It is as exact as f: a row without
// them says so.
func (f *Fold) withoutDetails() (*Fold, bool) {
	if len(f.Summary.details) == 0 {
		return nil, false
	}
	small := f.copy()
	small.Summary.details = nil
	return small, true
}

// withoutMembersOfOneBucket returns f without the lists of members that coarser rows cannot have. It is as
// exact as f: a row without a list says so.
func (f *Fold) withoutMembersOfOneBucket() (*Fold, bool) {
	return f.onlyMembers(func(k *rankingRow) bool { return k.merges })
}

// withoutMembers returns f without any list of members.
func (f *Fold) withoutMembers() (*Fold, bool) {
	return f.onlyMembers(func(*rankingRow) bool { return false })
}

// onlyMembers returns f with some lists of members; false if it has no others.
func (f *Fold) onlyMembers(keep func(*rankingRow) bool) (small *Fold, ok bool) {
	small = f.copy()
	for i := range small.Summary.measures {
		t := &small.Summary.measures[i]
		drop := t.members.only(func(k *rankingRow) bool { return !keep(k) })
		ok = ok || drop.known()
		t.members = t.members.only(keep)
	}
	return small, ok
}

// withoutSketches returns f without percentiles. It is not exact: percentiles are declared.
func (f *Fold) withoutSketches() (*Fold, bool) {
	if !slices.ContainsFunc(f.Summary.measures, func(t totals) bool { return len(t.sketch) > 0 }) {
		return nil, false
	}
	small := f.inexactCopy()
	for i := range small.Summary.measures {
		small.Summary.measures[i].sketch = nil
	}
	return small, true
}

// withHalfOfValues returns f with half of the values that each dimension stores, the more frequent half.
func (f *Fold) withHalfOfValues() (*Fold, bool) {
	small, ok := f.inexactCopy(), false
	for i, d := range small.Summary.dimensions {
		stored := min(f.Summary.spec.top(d.name), len(d.counts))
		ok = ok || stored > 0
		values, other := d.top(stored / 2)
		half := &dimension{name: d.name, counts: make(map[string]int64, len(values)), other: other}
		for _, v := range values {
			half.counts[v.Value] = v.Count
		}
		small.Summary.dimensions[i] = half
	}
	return small, ok
}

// withHalfOfUndeclared returns f with half of its undeclared measures, the first in byte order. It is as
// exact as f: a truncated row says so.
func (f *Fold) withHalfOfUndeclared() (*Fold, bool) {
	undeclared := 0
	for i := range f.Summary.measures {
		if f.Summary.spec.measure(f.Summary.measures[i].name) == nil {
			undeclared++
		}
	}
	if undeclared == 0 {
		return nil, false
	}
	small := f.copy()
	small.Summary.truncate(len(f.Summary.measures) - (undeclared+1)/2)
	return small, true
}

func (f *Fold) inexactCopy() *Fold {
	c := f.copy()
	c.Exact = false
	return c
}

// copy returns a fold whose summary's lists can be changed.
func (f *Fold) copy() *Fold {
	c, s := *f, *f.Summary
	s.measures = slices.Clone(s.measures)
	s.dimensions = slices.Clone(s.dimensions)
	c.Summary = &s
	return &c
}
