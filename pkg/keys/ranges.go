package keys

import (
	"github.com/tidemark-db/tidemark/internal/store/keyparts"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// EventRange returns the inclusive bounds (for BETWEEN) of the sort keys of the events of
// s in [from, to). No key of another stream, kind or class lies between them. lo is never
// above hi; for an empty range, no key at all lies between them.
func EventRange(s model.Series, from, to model.Time) (lo, hi string) {
	prefix := keyparts.Join(ClassEvent, s.Kind, s.Stream, "")
	from, to = clampToStored(from, to)
	if from >= to {
		return prefix, prefix
	}
	// The separator follows the time in every key, so the byte after the separator sorts
	// after all ids of the last millisecond.
	return prefix + from.String(), prefix + (to - 1).String() + string(separator+1)
}

// RowRange returns the inclusive bounds (for BETWEEN) of the sort keys of the rollups of s in unit u whose
// buckets start in [from, to). No key of another stream, kind, tier or class lies between them. lo is never
// above hi; if no bucket starts in the range, no key at all lies between them.
func RowRange(s model.Series, u tier.Unit, from, to model.Time) (lo, hi string) {
	prefix := keyparts.Join(ClassRow, u.String(), s.Kind, s.Stream, "")
	from, to = clampToStored(from, to)
	if from >= to {
		return prefix, prefix
	}
	first := u.BucketAt(from)
	lo = prefix + first.Label()
	if first.Start < from {
		lo += string(separator) // after this bucket, before the next
	}
	return lo, max(lo, prefix+u.BucketAt(to-1).Label())
}

// clampToStored returns the part of [from, to) that the fixed-width form of times can represent.
func clampToStored(from, to model.Time) (model.Time, model.Time) {
	return max(from, model.MinTime), min(to, model.MaxTime+1)
}
