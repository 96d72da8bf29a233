package storage

import (
	"time"
)

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
