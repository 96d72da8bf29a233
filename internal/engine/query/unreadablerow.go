package query

import (
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// readable returns item.ErrNewer or item.ErrDamaged if a row cannot be read.
func readable(r *rollup.Row) error {
	switch {
	case r.V > item.Version:
		return item.ErrNewer
	case r.Summary == nil:
		return item.ErrDamaged
	}
	return nil
}

// unreadable returns the bucket of a rollup with an Err as a missing part.
func (r Rollup) unreadable() Segment {
	return Segment{Unit: r.Bucket.Unit, From: r.Bucket.Start, To: r.Bucket.End, Err: r.Err}
}
