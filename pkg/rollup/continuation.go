package rollup

import "github.com/tidemark-db/tidemark/pkg/model"

// Continuation is what a fold of derived events knows of its edges: such an event begins
// in one bucket and may go on in later ones. Merge is associative and commutative, and the zero
// value is its identity. All other folds have the zero value.
type Continuation struct {
	Events int64      // source events in the bucket; 0 in the zero value only
	From   model.Time // start of the earliest bucket folded
	// Carried is how many derived events began before From and go on at or after it. Those
	// active in the bucket are the ones that began in it, and Carried.
	Carried int64
	Last    model.Time // of the newest source event in the bucket
	// Reach is until when the derived events that began in the bucket may go on: an event
	// after it belongs to none of them. 0 if none began.
	Reach model.Time
	// Settles is when none of them can go on any more: the fold changes after it only with late events.
	Settles model.Time
}

// Merge adds o to c. Of two buckets the earlier one has the derived events carried in. The derived
// events of equal buckets of different series are added.
func (c *Continuation) Merge(o Continuation) {
	switch {
	case o.Events == 0:
		return
	case c.Events == 0:
		*c = o
		return
	case o.From < c.From:
		c.From, c.Carried = o.From, o.Carried
	case o.From == c.From:
		c.Carried += o.Carried
	}
	c.Events += o.Events
	c.Last = max(c.Last, o.Last)
	c.Reach = max(c.Reach, o.Reach)
	c.Settles = max(c.Settles, o.Settles)
}

// StartAt returns c for a bucket with this start, which is From or earlier. If it is
// earlier, the bucket begins with a time without source events: nothing is carried in.
func (c Continuation) StartAt(start model.Time) Continuation {
	if c.Events == 0 {
		return c
	}
	if c.From > start {
		c.Carried = 0
	}
	c.From = start
	return c
}
