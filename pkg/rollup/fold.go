package rollup

import (
	"bytes"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// NewFold is the fold of no children: exact, until NoExpiry.
func NewFold(spec *Spec) *Fold {
	return &Fold{Summary: New(spec), Exact: true, ChildrenUntil: NoExpiry}
}

// AddEvent folds an event in. Folding is total: an event that could not be decoded
// never blocks its bucket; it is counted, its identity goes into the digest, and the
// fold says that it is not exact.
func (f *Fold) AddEvent(e *model.Event) {
	f.Digest.Add(f.Summary.digests.of(e))
	f.addChild(e.ExpiresAt, e.ArrivedAt)
	if e.Unreadable {
		f.Unreadable++
		f.Exact = false
		return
	}
	f.Summary.AddEvent(e)
}

// AddRow folds a row of the finer tier in; an empty row is no child. How long the
// row's own children last is nothing to f: it only needs the row.
func (f *Fold) AddRow(r *Row) {
	if r.Empty {
		return
	}
	f.Digest.Add(r.Digest)
	f.addChild(r.ExpiresAt, r.NewestArrival)
	f.Unreadable += r.Unreadable
	f.Exact = f.Exact && r.Exact
	f.Summary.Merge(r.Summary)
}

// WithoutSummary is what is kept of a fold too large for a row: how many events it
// stands for, as unreadable, and its digest. It is as much a function of the children
// as the fold itself, and coarser rows made of it are not exact either.
func (f *Fold) WithoutSummary(spec *Spec) *Fold {
	small := *f
	small.Unreadable += f.Summary.Events()
	small.Summary = New(spec)
	small.Exact = false
	return &small
}

// addChild counts a child that expires at the given second, zero meaning never.
func (f *Fold) addChild(expiresAt int64, arrivedAt model.Time) {
	f.Children++
	if expiresAt != 0 {
		f.ChildrenUntil = min(f.ChildrenUntil, expiresAt)
	}
	f.NewestArrival = max(f.NewestArrival, arrivedAt)
}

// Holds reports whether f, stored, already says all that g says: the same summary
// bytes, digest, unreadable and exact, and a ChildrenUntil not above g's.
func (f *Fold) Holds(g *Fold) bool {
	return f.Digest == g.Digest && f.Unreadable == g.Unreadable && f.Exact == g.Exact &&
		f.ChildrenUntil <= g.ChildrenUntil &&
		bytes.Equal(f.encoded(), g.encoded())
}

// encoded are the summary's bytes; an empty row, which is stored without a summary,
// has those of no events.
func (f *Fold) encoded() []byte {
	if f.Summary == nil {
		return New(nil).Encode(nil)
	}
	return f.Summary.Encode(nil)
}
