package entity

import (
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Invalidation says that a bucket changed while it was open: a sweep recomputes its row
// once it is due. Equal invalidations are one stored item.
type Invalidation struct {
	Due model.Time // the closing time of the bucket, or the end of a tick of late changes
	Key rollup.Key // of the bucket's row
}

// LowWatermarks has the low watermark of each queue shard: a time up to which every invalidation of the shard
// has been worked off. A watermark only ever rises, so an earlier reading is a valid one.
type LowWatermarks map[int]model.Time

// WatermarkAge is for how long a reading of the low watermarks is used. Any earlier reading
// is a valid one: it only makes more buckets open.
const WatermarkAge = 10 * time.Second

// LateMargin returns how long before a low watermark a late change must have been processed to
// be in its row for certain: the tick that it may wait for, and how wrong a clock may be.
func LateMargin(every time.Duration) time.Duration {
	if every == 0 {
		return 0
	}
	return every + time.Minute
}

// MaxClockAhead is how far an event's time may be ahead of its arrival.
const MaxClockAhead = 5 * time.Minute

// Of returns the low watermark of a queue shard; MinTime before the first sweep.
func (w LowWatermarks) Of(shard int) model.Time {
	if at, swept := w[shard]; swept {
		return at
	}
	return model.MinTime
}

// Gap is a time range whose changes may never have reached the aggregate function: no
// change was processed for longer than the table stream keeps its records.
type Gap struct {
	From model.Time // the newest change processed before the gap, by the table's clock
	To   model.Time // the newest change of the first batch processed after it
}
