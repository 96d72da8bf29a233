package tier

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Bucket is the half-open UTC interval [Start, End) of one unit.
type Bucket struct {
	Unit       Unit
	Start, End model.Time
}

// BucketAt returns the bucket of unit u that contains t. No bucket starts before MinTime: the first
// Sunday week is shorter.
func (u Unit) BucketAt(t model.Time) Bucket {
	start, end := granularities[u].bounds(t.Time())
	return Bucket{Unit: u, Start: max(model.NewTime(start), model.MinTime), End: model.NewTime(end)}
}

// FirstStart returns the first start of a bucket of unit u at or after t.
func (u Unit) FirstStart(t model.Time) model.Time {
	b := u.BucketAt(t)
	if b.Start == t {
		return t
	}
	return b.End
}

// CountStarts returns how many buckets of unit u start in [from, to).
func (u Unit) CountStarts(from, to model.Time) int {
	first, last := u.FirstStart(from), u.FirstStart(to)
	if first >= last {
		return 0
	}
	if months := granularities[u].Months; months > 0 {
		a, b := first.Time(), last.Time()
		return ((b.Year()-a.Year())*12 + int(b.Month()-a.Month())) / months
	}
	whole := u.BucketAt(last).End - u.BucketAt(first).End
	return int(whole / model.Time(granularities[u].Length.Milliseconds()))
}

// Label returns the bucket's start as it is written in keys: 2024-12-02-15, 2024-12-02,
// 2024-12. Within a unit, byte order of labels is time order.
func (b Bucket) Label() string { return b.Start.Time().Format(granularities[b.Unit].Layout) }

// ParseLabel returns the bucket that Label wrote. It accepts no other spelling, and no
// time at which no bucket of u starts.
func (u Unit) ParseLabel(label string) (Bucket, error) {
	layout := granularities[u].Layout
	at, err := time.Parse(layout, label)
	if err != nil || at.Year() < 1 || at.Format(layout) != label {
		return Bucket{}, fmt.Errorf("bucket %q: want the form %s of tier %s", label, layout, u)
	}
	b := u.BucketAt(model.NewTime(at))
	if b.Label() != label {
		return Bucket{}, fmt.Errorf("bucket %q: no %s starts then", label, u)
	}
	return b, nil
}

// Contains reports whether t lies in b.
func (b Bucket) Contains(t model.Time) bool { return b.Start <= t && t < b.End }

// String returns the unit's name and the label: hour 2024-12-02-15.
func (b Bucket) String() string { return b.Unit.String() + " " + b.Label() }
