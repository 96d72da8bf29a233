package aggregate

import (
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// eventScan folds the events of a bucket in one attempt: all of them, or only those at
// or after the row's resume point. It makes a resume point for the next recomputation.
//
// Why a fold that resumes equals a complete one: the row is written on condition of the
// revision that the point was read with, so no row was written in between; and a change
// before the point is never processed by resuming from it. So every change processed so
// far is in the row, and in its point if it lies before that: the recomputation that
// processed the change folded it, and each row since was made from the row before it. An
// event before the point whose stream record has not arrived yet may be missing from
// both. When the record arrives, the bucket is folded from its start.
type eventScan struct {
	recomputation *recomputation
	from          model.Time   // where it starts to read
	fold          *rollup.Fold // of the events before from, and of those read

	next           model.Time // where the next recomputation may resume
	newest         model.Time // of the known changes
	passedNext     bool
	childrenBefore int        // children before next
	last           model.Time // of the events read
}

// candidatePoint is an encoded resume point and the read units that it saves; no bytes
// where there is none.
type candidatePoint struct {
	bytes []byte
	saves float64
}

// newScan returns the scan of an attempt on row. A repair folds from the start and makes
// no point: it exists for changes whose records never arrived.
func (r *recomputation) newScan(row *rollup.Row) *eventScan {
	b := r.bucket
	s := &eventScan{recomputation: r, from: b.interval.Start, fold: rollup.NewFold(b.kind.Spec())}
	if b.repair {
		s.passedNext = true
		return s
	}
	point, ok := r.storedPoint(row)
	if !ok {
		point = &rollup.ResumePoint{At: b.earliest, Newest: b.earliest}
	}
	s.next, s.newest = b.nextPoint(point)
	if ok && b.earliest >= point.At {
		s.from, s.fold, s.next = point.At, &point.Before, max(s.next, point.At)
		r.counts.Resumed++
	}
	return s
}

// storedPoint returns the resume point of an existing row. The row is not sealed: an
// attempt on a sealed row ends before.
func (r *recomputation) storedPoint(row *rollup.Row) (*rollup.ResumePoint, bool) {
	if !exists(row) {
		return nil, false
	}
	return rollup.DecodeResumePoint(row.ResumePoint, r.bucket.kind.Spec())
}

// nextPoint returns the time of the next resume point, and the newest event time known.
// The distance between them is how late changes of this series recently were, so that a
// change as late as that can still resume. Each recomputation shortens the distance by
// an eighth, so that one very late change does not make all later ones read more.
func (b *dirtyBucket) nextPoint(point *rollup.ResumePoint) (next, newest model.Time) {
	newest = max(point.Newest, b.latest)
	distance := max((point.Newest-point.At)*7/8, newest-b.earliest)
	return newest - distance, newest
}

// add folds the next event. Events come in order of time.
func (s *eventScan) add(e *model.Event) {
	if !s.passedNext && e.At >= s.next {
		s.makePoint()
	}
	s.fold.AddEvent(e)
	s.last = e.At
}

// makePoint makes a point of the events folded so far, if it may be worth its bytes. It
// makes none after an unreadable event, which must be read each time: a newer version of
// this program may be able to decode it.
func (s *eventScan) makePoint() {
	r := s.recomputation
	s.passedNext, s.childrenBefore = true, s.fold.Children
	if s.fold.Unreadable == 0 && r.bucket.saving(s.childrenBefore, s.newest) >= r.limits.MinResumeSaving {
		point := rollup.ResumePoint{At: s.next, Newest: s.newest, Before: *s.fold}
		r.point.bytes = point.Encode(r.bucket.kind.Spec())
	}
}

// finish drops a point that saves too little. Only after all events are read is it known
// how much of the bucket is over: a late change may be the only one of its batch.
func (s *eventScan) finish() {
	if !s.passedNext {
		s.makePoint()
	}
	r := s.recomputation
	r.point.saves = r.bucket.saving(s.childrenBefore, max(s.newest, s.last))
	if r.point.saves < r.limits.MinResumeSaving {
		r.point.bytes = nil
	}
}

// eventsPerReadUnit is how many events a read unit of 4 KB holds at most: the smallest,
// with one measure, takes about 150 bytes.
const eventsPerReadUnit = 27

// saving returns how many read units a point with so many events before it saves each
// recomputation, times the part of the bucket that is still to come. At the end of the
// bucket a point only makes the row larger for its readers.
func (b *dirtyBucket) saving(events int, newest model.Time) float64 {
	toCome := float64(b.interval.End-newest) / float64(b.interval.End-b.interval.Start)
	return toCome * float64(events) / eventsPerReadUnit
}

// readUnitsPerWriteUnit is the price of a write unit in read units.
const readUnitsPerWriteUnit = 5

// pointFor returns the resume point to store in row, whose size without it is given. It
// returns none where the point saves less than it costs: each kilobyte that it adds is
// paid for by every write of the row.
func (r *recomputation) pointFor(row *rollup.Row, sizeWithout int) []byte {
	if r.point.bytes == nil || row.ChildrenExpireAt == 0 {
		return nil
	}
	size := sizeWithout + len(tablekeys.AttrResume) + len(r.point.bytes)
	extra := float64(kilobytes(size) - kilobytes(sizeWithout)) // write units
	if size > rollup.MaxRowBytes || r.point.saves < r.limits.MinResumeSaving+extra*readUnitsPerWriteUnit {
		return nil
	}
	return r.point.bytes
}

func kilobytes(bytes int) int { return (bytes + 1023) >> 10 }
