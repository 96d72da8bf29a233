package keys

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Granularity is the precision of a time in a key. Times in keys are UTC. Use one
// granularity for all keys of one place: then byte order is time order.
type Granularity string

// The granularities. The value is the form of the key as a layout of package time.
const (
	ByYear    Granularity = "2006"
	ByMonth   Granularity = "2006-01"
	ByDay     Granularity = "2006-01-02"
	ByHour    Granularity = "2006-01-02-15"
	ByMinute  Granularity = "2006-01-02-15-04"
	ByInstant Granularity = model.TimeLayout // milliseconds
)

// Errors of time keys.
var (
	ErrTimeKey   = errors.New("not a valid time key")
	ErrTimeRange = errors.New("the range is empty: from must be before to")
)

// lastText sorts behind the rest of a key after its time: finer parts, or # and further parts.
const lastText = "~"

// granularities are all that there are: keys of another layout would not sort by time.
var granularities = []Granularity{ByYear, ByMonth, ByDay, ByHour, ByMinute, ByInstant}

func (g Granularity) check() error {
	if !slices.Contains(granularities, g) {
		return fmt.Errorf("the granularity %.40q: %w: want one of ByYear to ByInstant", string(g), ErrTimeKey)
	}
	return nil
}

// TimeKey returns the key of a time: 2024-12-02-15 with ByHour. The error wraps ErrTimeKey if the year is not
// between 1 and 9999, or the granularity is none of the constants.
func TimeKey(at time.Time, by Granularity) (string, error) {
	if err := by.check(); err != nil {
		return "", err
	}
	if t := model.NewTime(at); t < model.MinTime || t > model.MaxTime {
		return "", fmt.Errorf("the year %d: %w: want 0001 to 9999", at.UTC().Year(), ErrTimeKey)
	}
	return at.UTC().Format(string(by)), nil
}

// ParseTimeKey returns the half-open interval [start, end) of the times that have this
// key. The error wraps ErrTimeKey.
func ParseTimeKey(key string, by Granularity) (start, end time.Time, err error) {
	if err := by.check(); err != nil {
		return time.Time{}, time.Time{}, err
	}
	start, err = time.Parse(string(by), key)
	if err != nil || start.Format(string(by)) != key || start.Year() < 1 {
		return time.Time{}, time.Time{}, fmt.Errorf("%.40q: %w: want the form %s", key, ErrTimeKey, by)
	}
	return start, by.next(start), nil
}

// next returns the start of the following interval.
func (g Granularity) next(start time.Time) time.Time {
	switch g {
	case ByYear:
		return start.AddDate(1, 0, 0)
	case ByMonth:
		return start.AddDate(0, 1, 0)
	case ByDay:
		return start.AddDate(0, 0, 1)
	case ByHour:
		return start.Add(time.Hour)
	case ByMinute:
		return start.Add(time.Minute)
	}
	return start.Add(time.Millisecond)
}

// TimeRange returns the inclusive bounds (for BETWEEN) of the time keys whose intervals overlap [from, to),
// including keys with more parts after the time, and with ByDay or a coarser one also keys of ByInstant. From
// 1 December to 1 January is all of December, including its last day. If the granularity is coarser than the
// ends of the range, the bounds reach beyond the range.
func TimeRange(by Granularity, from, to time.Time) (lo, hi string, err error) {
	if !from.Before(to) {
		return "", "", fmt.Errorf("from %s to %s: %w", from.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano),
			ErrTimeRange)
	}
	if lo, err = TimeKey(from, by); err != nil {
		return "", "", err
	}
	if hi, err = TimeKey(to.Add(-1), by); err != nil {
		return "", "", err
	}
	return lo, hi + lastText, nil
}

// TTL returns the value of the TTL attribute of an item that expires at a time: epoch seconds, rounded down.
func TTL(at time.Time) int64 { return at.Unix() }
