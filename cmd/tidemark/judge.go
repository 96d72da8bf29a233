package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// judgement is what a recount says of one bucket.
type judgement string

// The judgements. The first three are as it should be.
const (
	equal   judgement = "equal"
	sealed  judgement = "sealed"  // some of what it was folded from is gone, so nobody can recount it
	expired judgement = "expired" // the row may have lived and expired
	differs judgement = "differs"
	missing judgement = "missing" // there are events, and no row
	extra   judgement = "extra"   // there is a row, and no events
)

var judgements = []judgement{equal, sealed, expired, differs, missing, extra}

func (j judgement) fine() bool { return j == equal || j == sealed || j == expired }

// finding is a judgement on one bucket, with what differs for people.
type finding struct {
	key    rollup.Key
	is     judgement
	exact  bool
	detail string
	events string // names those that make the difference, where that can be told
}

// judge holds one bucket's row against the one that should stand there.
func (r *recount) judge(rung int, start model.Time, wanted *rollup.Row) finding {
	row := r.stored[rung][start]
	f := finding{key: r.keyOf(rung, start), exact: row != nil && row.Exact}
	switch {
	case row != nil && row.Summary == nil:
		f.is, f.detail = differs, "the stored row cannot be decoded"
	case row != nil && isSealed(row, r.now):
		f.is = sealed
	case row == nil && mayHaveLived(r.kind.Ladder, rung, start, r.now, r.row):
		f.is = expired
	case row == nil:
		f.is, f.detail = missing, fmt.Sprintf("no row stands for %d events", wanted.Summary.Events()+wanted.Unreadable)
	case wanted == nil:
		f.is, f.detail = extra, fmt.Sprintf("a row stands for %d events, and there are none", row.Summary.Events())
	default:
		f.is, f.detail = compare(wanted, row)
	}
	return f
}

// isSealed reports whether a row is no longer folded. One that cannot be decoded does not
// say how long its children live, and counts as sealed too.
func isSealed(row *rollup.Row, now model.Time) bool {
	return row.ChildrenUntil != rollup.NoExpiry && now.Add(tier.SealMargin).Seconds() >= row.ChildrenUntil
}

// mayHaveLived reports whether an absent row may have been made and have expired
// since: its bucket ended longer ago than its tier ever kept rows, and the next
// coarser row is sealed, or is absent and may itself have lived. A coarser row that is
// open proves that the finer one never was; so does one that should be there for ever
// and is not.
func mayHaveLived(l tier.Ladder, rung int, start, now model.Time, stored func(rung int, start model.Time) *rollup.Row) bool {
	for ; rung < len(l.Tiers); rung++ {
		t := l.Tiers[rung]
		b, least := t.Unit.BucketOf(start), t.LeastRetention()
		if !keeps(t, b) {
			continue
		}
		if row := stored(rung, b.Start); row != nil {
			return isSealed(row, now)
		}
		if least == tier.Forever || b.End.Add(least) > now.Add(tier.SealMargin) {
			return false
		}
	}
	return true
}

// compare holds a stored row against what it should be, by its canonical bytes.
func compare(wanted, row *rollup.Row) (judgement, string) {
	if wanted.Digest == row.Digest && wanted.Unreadable == row.Unreadable && wanted.Exact == row.Exact &&
		bytes.Equal(wanted.Summary.Encode(nil), row.Summary.Encode(nil)) {
		return equal, ""
	}
	return differs, cmp.Or(differingMeasure(wanted.Summary, row.Summary), differingRest(wanted, row))
}

// differingMeasure tells the first measure that is not as it should be.
func differingMeasure(want, got *rollup.Summary) string {
	names := append(want.Names(), got.Names()...)
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		w, _ := want.Measure(name)
		g, _ := got.Measure(name)
		if told, stands := figures(w), figures(g); told != stands {
			return fmt.Sprintf("%s: the row says %s; its events say %s", name, stands, told)
		}
	}
	return ""
}

func figures(m rollup.Measure) string {
	return fmt.Sprintf("count %d, invalid %d, sum %s, min %s, max %s, first %s, last %s",
		m.Count, m.Invalid, m.Sum, m.Min, m.Max, m.First, m.Last)
}

func differingRest(wanted, row *rollup.Row) string {
	return fmt.Sprintf("the row says %d events, %d unreadable, exact %t, digest %s; its events say %d, %d, %t, %s",
		row.Summary.Events(), row.Unreadable, row.Exact, row.Digest,
		wanted.Summary.Events(), wanted.Unreadable, wanted.Exact, wanted.Digest)
}
