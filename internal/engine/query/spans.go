package query

import (
	"cmp"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Spans are disjoint segments in order of time, without a unit but for a range's beginning and for buckets
// that cannot be read. Their functions return new slices.

// union returns the spans that cover all times of several spans, in any order. Spans with different reasons
// that overlap become one without a unit or an error.
func union(all []Segment) (merged []Segment) {
	all = lists.Filter(all, func(s Segment) bool { return s.From < s.To })
	slices.SortFunc(all, func(a, b Segment) int { return cmp.Compare(a.From, b.From) })
	for _, s := range all {
		n := len(merged)
		if n == 0 || s.From > merged[n-1].To || s.From == merged[n-1].To && !s.sameReason(merged[n-1]) {
			merged = append(merged, s)
			continue
		}
		last := &merged[n-1]
		if last.To = max(last.To, s.To); !s.sameReason(*last) {
			last.Unit, last.Err = 0, nil
		}
	}
	return merged
}

// sameReason reports whether two missing parts are missing for the same reason.
func (s Segment) sameReason(o Segment) bool { return s.Unit == o.Unit && s.Err == o.Err }

// within returns the parts of spans that lie in a segment.
func within(spans []Segment, in Segment) (parts []Segment) {
	for _, s := range spans {
		if s.From, s.To = max(s.From, in.From), min(s.To, in.To); s.From < s.To {
			parts = append(parts, s)
		}
	}
	return parts
}

// without returns the parts of spans that lie in none of the holes, which are spans too.
func without(spans, holes []Segment) (parts []Segment) {
	for _, s := range spans {
		endsAfter := func(h Segment, from model.Time) int { return cmp.Compare(h.To, from+1) }
		first, _ := slices.BinarySearchFunc(holes, s.From, endsAfter)
		for _, h := range holes[first:] {
			if h.From >= s.To {
				break
			}
			if s.From < h.From {
				parts = append(parts, Segment{From: s.From, To: h.From})
			}
			s.From = max(s.From, h.To)
		}
		if s.From < s.To {
			parts = append(parts, s)
		}
	}
	return parts
}

// overlaps reports whether one of the spans overlaps a segment.
func overlaps(spans []Segment, with Segment) bool { return len(within(spans, with)) > 0 }
