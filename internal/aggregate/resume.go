package aggregate

import (
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// span is the part of a bucket's events that one pass reads: all of them, or those from
// the row's resume point on. It leaves a point for the next look at a later place.
//
// Why a fold that goes on from a point is as good as a whole one: the pass writes on
// condition of the rev that the point was read with, so no row came between, and a
// change before the point is never settled by going on from it. By that, whatever has
// been settled is in the row, and in its point where it lies before: the look that
// settled it read everything anew, or what lies after, and each row since was made of
// the one before it. A change before the point of which nobody has told yet may be
// missing in both; the look that is told of it folds from the start.
type span struct {
	*look
	from model.Time   // where it starts to read
	fold *rollup.Fold // of what lies before, and what was read

	next   model.Time // where the next look may start
	newest model.Time // of the changes known
	passed bool       // next
	before int        // children before next
	last   model.Time // of the events read
}

// span of a pass over the row as it stands. A repair folds from the start and leaves no
// point: it is there for what was not told.
func (l *look) span(row *rollup.Row) *span {
	s := &span{look: l, from: l.bucket.Start, fold: rollup.NewFold(l.kind.Spec())}
	if l.repair {
		s.passed = true
		return s
	}
	point, ok := l.pointIn(row)
	if !ok {
		point = &rollup.Resume{At: l.earliest, Newest: l.earliest}
	}
	s.next, s.newest = l.after(point)
	if ok && l.earliest >= point.At {
		s.from, s.fold, s.next = point.At, &point.Before, max(s.next, point.At)
		l.Resumed++
	}
	return s
}

// pointIn is the resume point of a row that counts. It is not sealed: a pass ends there.
func (l *look) pointIn(row *rollup.Row) (*rollup.Resume, bool) {
	if !stands(row) {
		return nil, false
	}
	return rollup.DecodeResume(row.Resume, l.kind.Spec())
}

// after is where the next point lies: behind the newest change known by as much as
// changes of this series lately came after newer ones, or in one batch with them. What
// is as late as that need not fold from the start; and since an eighth of the distance
// is forgotten at every look, one straggler does not make all later ones read more.
func (l *look) after(point *rollup.Resume) (next, newest model.Time) {
	newest = max(point.Newest, l.latest)
	behind := max((point.Newest-point.At)*7/8, newest-l.earliest)
	return newest - behind, newest
}

// add takes in the next event, in order of time.
func (s *span) add(e *model.Event) {
	if !s.passed && e.At >= s.next {
		s.leave()
	}
	s.fold.AddEvent(e)
	s.last = e.At
}

// leave makes a point of what was folded so far, where it may be worth its bytes. What
// could not be decoded is read again: another version of this program may be able to.
func (s *span) leave() {
	s.passed, s.before = true, s.fold.Children
	if s.fold.Unreadable == 0 && s.saving(s.before, s.newest) >= s.limits.Resume {
		point := rollup.Resume{At: s.next, Newest: s.newest, Before: *s.fold}
		s.point = point.Encode(s.kind.Spec())
	}
}

// end is called when all was read. Only now it is known how much of the bucket is past:
// a change that is late may be the only one of its batch.
func (s *span) end() {
	if !s.passed {
		s.leave()
	}
	if s.saves = s.saving(s.before, max(s.newest, s.last)); s.saves < s.limits.Resume {
		s.point = nil
	}
}

// eventsARead is how many events a read unit of 4 KB holds at most: the smallest, of
// one measure, takes about 150 bytes.
const eventsARead = 27

// saving is how many read units a point with so many events before it saves each look,
// as far as there is more of the bucket to come: at its end a point is only a weight,
// for whoever reads the row for as long as it lives.
func (l *look) saving(events int, newest model.Time) float64 {
	toCome := float64(l.bucket.End-newest) / float64(l.bucket.End-l.bucket.Start)
	return toCome * float64(events) / eventsARead
}

// writeInReads is what a write unit costs, in read units.
const writeInReads = 5

// pointOf is the point that goes with row: none where it does not save what it costs,
// when it takes the row, of so many bytes without it, past another KB, which each write of
// it pays.
func (l *look) pointOf(row *rollup.Row, lean int) []byte {
	if l.point == nil || row.ChildrenUntil == 0 {
		return nil
	}
	full := lean + len(keys.AttrResume) + len(l.point)
	more := float64(kilobytes(full) - kilobytes(lean)) // write units
	if full > rollup.MaxRowBytes || l.saves < l.limits.Resume+more*writeInReads {
		return nil
	}
	return l.point
}

func kilobytes(bytes int) int { return (bytes + 1023) >> 10 }
