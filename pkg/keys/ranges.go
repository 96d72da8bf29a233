package keys

import (
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// EventRange is the inclusive bounds (for BETWEEN) of the sort keys of the events of
// s in [from, to). They hold no key of another stream, kind or class. lo is never
// above hi; a range without an instant holds no key at all.
func EventRange(s model.Series, from, to model.Time) (lo, hi string) {
	prefix := join(ClassEvent, s.Kind, s.Stream, "")
	from, to = storable(from, to)
	if from >= to {
		return prefix, prefix
	}
	// The separator follows the time in every key, so the byte after it lies beyond
	// all ids of the last millisecond.
	return prefix + from.String(), prefix + (to - 1).String() + string(separator+1)
}

// RowRange is the inclusive bounds (for BETWEEN) of the sort keys of the rollups of s
// in unit u whose buckets start in [from, to). They hold no key of another stream,
// kind, tier or class. lo is never above hi; a range in which no bucket starts holds
// no key at all.
func RowRange(s model.Series, u tier.Unit, from, to model.Time) (lo, hi string) {
	prefix := join(ClassRow, u.String(), s.Kind, s.Stream, "")
	from, to = storable(from, to)
	if from >= to {
		return prefix, prefix
	}
	first := u.BucketOf(from)
	lo = prefix + first.Label()
	if first.Start < from {
		lo += string(separator) // beyond this bucket, before the next
	}
	return lo, max(lo, prefix+u.BucketOf(to-1).Label())
}

// storable is the part of [from, to) that the fixed-width form of times can hold.
func storable(from, to model.Time) (model.Time, model.Time) {
	return max(from, model.MinTime), min(to, model.MaxTime+1)
}
