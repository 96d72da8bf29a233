package verify

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Status is the result of comparing one bucket.
type Status string

// The statuses. The first six need no repair.
const (
	Equal   Status = "equal"
	Sealed  Status = "sealed"  // some of its children have expired, so it cannot be recounted
	Expired Status = "expired" // there is no row, but one may have existed and expired
	Open    Status = "open"    // not swept so far: readers fold it and ignore its row
	Busy    Status = "busy"    // it changed whenever it was read: verify it later
	Pending Status = "pending" // its newest changes are not processed yet
	Differs Status = "differs"
	Missing Status = "missing" // there are events, but no row
	Extra   Status = "extra"   // there is a row, but no events
)

// Statuses lists the statuses in the order in which they are reported; Report.Count counts the others.
var Statuses = []Status{Equal, Sealed, Expired, Open, Differs, Missing, Extra}

// OK reports whether a bucket of this status needs no repair.
func (s Status) OK() bool { return s != Differs && s != Missing && s != Extra }

// Finding is the result for one bucket.
type Finding struct {
	Key    rollup.Key
	Status Status
	Exact  bool // as the stored row says
	// Partial has the fields that the row does not include: they were added later.
	Partial rollup.AddedFields
	Detail  string // what differs, for people
	Events  string // the events that cause the difference, if they can be determined
}

// compare compares the stored row of a bucket with the expected one.
func (r *recount) compare(level int, start model.Time, want *rollup.Row) Finding {
	row := r.stored[level][start]
	f := Finding{Key: r.key(level, start), Exact: row != nil && row.Exact}
	if row != nil {
		f.Partial = r.kind.Spec().Partial(&row.Fold)
	}
	switch {
	case r.behind[f.Key]:
		f.Status = Pending
	case r.open(level, start):
		f.Status = Open
	case row != nil && row.Summary == nil:
		f.Status, f.Detail = Differs, "the stored row cannot be decoded"
	case row != nil && isSealed(row, r.now):
		f.Status = Sealed
	case row == nil && mayHaveExpired(r.kind.Retention, level, start, r.now, r.row):
		f.Status = Expired
	case row == nil:
		f.Status, f.Detail = Missing,
			fmt.Sprintf("there is no row for its %d events", want.Summary.Events()+want.Unreadable)
	case want == nil:
		f.Status, f.Detail = Extra,
			fmt.Sprintf("the row counts %d events, but there are none", row.Summary.Events())
	case equal(want, row):
		f.Status = Equal
	default:
		f.Status, f.Detail = Differs, cmp.Or(differingMeasure(want.Summary, row.Summary), differingRest(want, row))
	}
	return f
}

// equal reports whether two rows have the same contents, by their canonical bytes, and the
// stored one does not say that it includes fields which its children do not include. After a purge, lists of
// members may have different numbers of places.
func equal(want, row *rollup.Row) bool {
	return row.FieldsAt <= want.FieldsAt && want.Digest == row.Digest && want.Unreadable == row.Unreadable &&
		want.Exact == row.Exact && want.Continuation == row.Continuation &&
		bytes.Equal(want.Summary.WithPlaces(row.Summary).Encode(nil),
			row.Summary.WithPlaces(want.Summary).Encode(nil))
}

// differingMeasure describes the first measure that differs, "" if none does.
func differingMeasure(want, got *rollup.Summary) string {
	names := append(want.Names(), got.Names()...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		w, _ := want.Measure(name)
		g, _ := got.Measure(name)
		if wanted, stored := w.String(), g.String(); wanted != stored {
			return fmt.Sprintf("%s: the row has %s; its events have %s", name, stored, wanted)
		}
	}
	return ""
}

func differingRest(want, row *rollup.Row) string {
	return fmt.Sprintf("the row has %d events, %d unreadable, exact %t, digest %s, fields of %s; "+
		"its events have %d, %d, %t, %s, %s",
		row.Summary.Events(), row.Unreadable, row.Exact, row.Digest, row.FieldsAt,
		want.Summary.Events(), want.Unreadable, want.Exact, want.Digest, want.FieldsAt)
}

// isSealed reports whether a row is no longer recomputed because children of it may have expired. A row that
// cannot be decoded has no known expiry of its children and counts as sealed.
func isSealed(row *rollup.Row, now model.Time) bool {
	return row.ChildrenExpireAt != rollup.NoExpiry && now.Add(tier.SealMargin).Seconds() >= row.ChildrenExpireAt
}

// mayHaveExpired reports whether the absent row of a bucket may have existed and expired. Two things must
// hold: the bucket ended longer ago than the tier's shortest retention ever, and its parent row is sealed, or
// is absent and may itself have expired. A parent that is not sealed proves that the row never existed; so
// does an absent parent of a tier that is kept forever. stored returns the row of a bucket, nil if there is
// none.
func mayHaveExpired(l tier.Policy, level int, start, now model.Time,
	stored func(level int, start model.Time) *rollup.Row) bool {
	for ; level < len(l.Tiers); level++ {
		t := l.Tiers[level]
		b, least := t.Unit.BucketAt(start), t.LeastRetention()
		if !keeps(t, b) {
			continue
		}
		if row := stored(level, b.Start); row != nil {
			return isSealed(row, now)
		}
		if least == tier.Forever || b.End.Add(least) > now.Add(tier.SealMargin) {
			return false
		}
	}
	return true
}
