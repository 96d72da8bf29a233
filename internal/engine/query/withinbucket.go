package query

import "fmt"

// Reason says, for people, why nothing is known of a missing part. A part with a unit is a range in which no
// bucket of the unit begins: see Rollups.between.
func (s Segment) Reason() string {
	if s.Unit == 0 {
		return NotKnown
	}
	return fmt.Sprintf("a range has the buckets that begin in it, and no %[1]s does: begin it at %[2]s for the "+
		"%[1]s that contains it, or read the total of the range", s.Unit, s.Unit.BucketAt(s.From).Start)
}

// between returns the range if it lies within a bucket, so that the read finds none: this is not known.
func (q Rollups) between() []Segment {
	if q.From >= q.To || firstStart(q.Unit, q.From) < q.To {
		return nil
	}
	return []Segment{{Unit: q.Unit, From: q.From, To: q.To}}
}
