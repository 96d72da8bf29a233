package lineprotocol

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Unit is the unit of the times of a body. The zero value tells the unit of each time from its
// magnitude, as version 3 of InfluxDB does.
type Unit time.Duration

// units are the names of units in the parameter "precision", in all versions of InfluxDB.
var units = map[string]Unit{
	"auto": 0,
	"ns":   Unit(time.Nanosecond), "n": Unit(time.Nanosecond), "nanosecond": Unit(time.Nanosecond),
	"us": Unit(time.Microsecond), "u": Unit(time.Microsecond), "microsecond": Unit(time.Microsecond),
	"ms": Unit(time.Millisecond), "millisecond": Unit(time.Millisecond),
	"s": Unit(time.Second), "second": Unit(time.Second),
	"m": Unit(time.Minute), "h": Unit(time.Hour),
}

// ParseUnit returns the unit of a name.
func ParseUnit(name string) (u Unit, ok bool) {
	u, ok = units[name]
	return u, ok
}

// name returns the shortest name of a unit.
func (u Unit) name() string {
	return map[Unit]string{units["s"]: "s", units["ms"]: "ms", units["us"]: "us", units["ns"]: "ns"}[u]
}

var errTime = errors.New(
	"the time is out of range: it must be within the years 1678 to 2261 in the unit of the parameter precision")

// time returns the time of a number of units since 1970.
func (u Unit) time(text string) (time.Time, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, errTime
	}
	if u == 0 {
		u = magnitude(n)
	}
	if n > math.MaxInt64/int64(u) || n < math.MinInt64/int64(u) {
		return time.Time{}, fmt.Errorf("%w; %d is a time in %s", errTime, n, magnitude(n).name())
	}
	return time.Unix(0, n*int64(u)), nil
}

// magnitude returns the largest unit in which n is a time before the year 2128.
func magnitude(n int64) Unit {
	for _, u := range []Unit{Unit(time.Second), Unit(time.Millisecond), Unit(time.Microsecond)} {
		if limit := 5_000_000_000 * int64(time.Second) / int64(u); -limit < n && n < limit {
			return u
		}
	}
	return Unit(time.Nanosecond)
}
