// Package tier is the ladder of time: raw events, then rollups by minute, hour, day
// and month, each with its own retention. Buckets are half-open UTC intervals. A
// ladder is a validated slice of data; nothing in the engine names a tier.
package tier

import (
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Unit is the granularity of a tier.
type Unit int

// The units, finest first.
const (
	Minute Unit = iota + 1
	Hour
	Day
	Month
)

type unitData struct {
	name   string
	layout string        // of a bucket's label in keys: byte order = time order
	least  time.Duration // of one bucket
	most   time.Duration // of one bucket
}

var units = [...]unitData{
	Minute: {"minute", "2006-01-02-15-04", time.Minute, time.Minute},
	Hour:   {"hour", "2006-01-02-15", time.Hour, time.Hour},
	Day:    {"day", "2006-01-02", 24 * time.Hour, 24 * time.Hour},
	Month:  {"month", "2006-01", 28 * 24 * time.Hour, 31 * 24 * time.Hour},
}

// ParseUnit finds a unit by its name.
func ParseUnit(name string) (Unit, error) {
	for u := Minute; u <= Month; u++ {
		if units[u].name == name {
			return u, nil
		}
	}
	return 0, fmt.Errorf("tier %q: want minute, hour, day or month", name)
}

// String is the unit's name as it stands in keys: minute, hour, day, month.
func (u Unit) String() string {
	if u < Minute || u > Month {
		return fmt.Sprintf("Unit(%d)", int(u))
	}
	return units[u].name
}

// Longest is the length of the unit's longest bucket.
func (u Unit) Longest() time.Duration { return units[u].most }

// Bucket is the half-open UTC interval [Start, End) of one unit.
type Bucket struct {
	Unit       Unit
	Start, End model.Time
}

// BucketOf is the bucket of unit u that holds t.
func (u Unit) BucketOf(t model.Time) Bucket {
	at := t.Time()
	var start, end time.Time
	switch u {
	case Month:
		start = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
		end = start.AddDate(0, 1, 0)
	case Day:
		start = time.Date(at.Year(), at.Month(), at.Day(), 0, 0, 0, 0, time.UTC)
		end = start.AddDate(0, 0, 1)
	default:
		start = at.Truncate(units[u].least)
		end = start.Add(units[u].least)
	}
	return Bucket{Unit: u, Start: model.TimeOf(start), End: model.TimeOf(end)}
}

// EdgeFrom is the first start of a bucket of unit u at or after t.
func (u Unit) EdgeFrom(t model.Time) model.Time {
	b := u.BucketOf(t)
	if b.Start == t {
		return t
	}
	return b.End
}

// Buckets is how many buckets of unit u start in [from, to).
func (u Unit) Buckets(from, to model.Time) int {
	first, last := u.EdgeFrom(from), u.EdgeFrom(to)
	if first >= last {
		return 0
	}
	if u == Month {
		a, b := first.Time(), last.Time()
		return (b.Year()-a.Year())*12 + int(b.Month()-a.Month())
	}
	return int((last - first) / model.Time(units[u].most.Milliseconds()))
}

// Label is the bucket's start as it stands in keys: 2024-12-02-15, 2024-12-02, 2024-12.
func (b Bucket) Label() string { return b.Start.Time().Format(units[b.Unit].layout) }

// ParseLabel is the way back from Label; it reads no other spelling.
func (u Unit) ParseLabel(label string) (Bucket, error) {
	at, err := time.Parse(units[u].layout, label)
	if err != nil || at.Year() < 1 || at.Format(units[u].layout) != label {
		return Bucket{}, fmt.Errorf("bucket %q: want the form %s of tier %s", label, units[u].layout, u)
	}
	return u.BucketOf(model.TimeOf(at)), nil
}

// Contains reports whether t lies in b.
func (b Bucket) Contains(t model.Time) bool { return b.Start <= t && t < b.End }

func (b Bucket) String() string { return b.Unit.String() + " " + b.Label() }
