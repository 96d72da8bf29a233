package query

import (
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Reason says, for people, why nothing is known of a missing part. A part with an Err is a bucket whose row
// cannot be read, and another one with a unit a range in which no bucket of it begins: see Rollups.beginning.
func (s Segment) Reason() string {
	switch {
	case errors.Is(s.Err, item.ErrNewer):
		return "the row of the bucket was written by a newer version of Tidemark, which can read it"
	case s.Err != nil:
		return "the row of the bucket is damaged: tidemark rebuild --rewrite-unreadable writes it again"
	case s.Unit == 0:
		return NotKnown
	}
	return fmt.Sprintf("a range has the buckets that begin in it, and no %[1]s begins in this part: "+
		"begin it at %[2]s for the %[1]s that contains it, or read the total of the range", s.Unit,
		s.Unit.BucketAt(s.From).Start)
}

// beginning returns the part of the range before the first bucket that begins in it, none if it begins with
// one: no row of the read has the events in it, so that they are not known.
func (q Rollups) beginning() []Segment {
	part := Segment{Unit: q.Unit, From: q.From, To: min(q.To, firstStart(q.Unit, q.From))}
	if part.From >= part.To || part.From < model.MinTime {
		return nil
	}
	return []Segment{part}
}
