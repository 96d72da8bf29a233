package rollup

import (
	"bytes"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// NewFold returns the fold of no children: exact, with NoExpiry.
func NewFold(spec *Spec) *Fold {
	return &Fold{Summary: New(spec), Exact: true, ChildrenExpireAt: NoExpiry}
}

// AddEvent adds an event. An event that could not be decoded never blocks its bucket: it
// is counted, its identity is part of the digest, and the fold is not exact.
func (f *Fold) AddEvent(e *model.Event) {
	f.Digest.Add(f.Summary.digests.of(e))
	f.addChild(e.ExpiresAt, e.ArrivedAt, e.CorrectedAt, f.Summary.spec.fieldsAt())
	if e.Unreadable {
		f.Unreadable++
		f.Exact = false
		return
	}
	f.Summary.AddEvent(e)
}

// AddRow adds a row of the finer tier; an empty row is not a child, and a placeholder is a missing one. f
// depends on the expiry of the row, not on the expiry of the row's own children. A share is of a member that
// f has no events of.
func (f *Fold) AddRow(r *Row) {
	if r.Placeholder() {
		f.Exact = false
		f.expiresWith(r.ExpiresAt)
	}
	if r.Empty {
		return
	}
	f.Digest.Add(r.Digest)
	f.addChild(r.ExpiresAt, r.NewestArrival, r.NewestCorrection, r.FieldsAt)
	f.Unreadable += r.Unreadable
	f.Exact = f.Exact && r.Exact && !r.Summary.LacksDeclared(f.Summary.spec)
	f.Continuation.Merge(r.Continuation)
	f.Groups = mergeGroups(f.Groups, r.Groups)
	f.Summary.merge(r.Summary, r.Key.Member)
}

// WithoutSummary returns what is stored of a fold that is too large for a row: its
// digest, and its events counted as unreadable. Like the fold it depends on the children
// only. It is not exact, so the coarser rows folded from it are not exact either.
func (f *Fold) WithoutSummary(spec *Spec) *Fold {
	small := *f
	small.Unreadable += f.Summary.Events()
	small.Summary = New(spec)
	small.Exact = false
	return &small
}

// addChild counts a child that was folded by a version of the fields. expiresAt is in epoch
// seconds; zero means never.
func (f *Fold) addChild(expiresAt int64, arrivedAt, correctedAt, fieldsAt model.Time) {
	if f.Children == 0 || fieldsAt < f.FieldsAt {
		f.FieldsAt = fieldsAt
	}
	f.Children++
	f.expiresWith(expiresAt)
	f.NewestArrival = max(f.NewestArrival, arrivedAt)
	f.NewestCorrection = max(f.NewestCorrection, correctedAt)
}

func (f *Fold) expiresWith(expiresAt int64) {
	if expiresAt != 0 {
		f.ChildrenExpireAt = min(f.ChildrenExpireAt, expiresAt)
	}
}

// Covers reports whether g need not be written where f is stored: they have the same summary bytes, Digest,
// Unreadable, Exact, Continuation and Groups, and f's ChildrenExpireAt is not after g's.
func (f *Fold) Covers(g *Fold) bool {
	return f.Continuation == g.Continuation && f.Digest == g.Digest && f.Unreadable == g.Unreadable &&
		f.Exact == g.Exact &&
		f.ChildrenExpireAt <= g.ChildrenExpireAt && slices.Equal(f.Groups, g.Groups) &&
		bytes.Equal(f.encoded(), g.encoded())
}

// encoded returns the summary's bytes. An empty row is stored without a summary: it has
// the bytes of no events.
func (f *Fold) encoded() []byte {
	if f.Summary == nil {
		return New(nil).Encode(nil)
	}
	return f.Summary.Encode(nil)
}
