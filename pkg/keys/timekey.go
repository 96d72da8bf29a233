package keys

import (
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Granularity is how much of a time a key says. Times in keys are UTC, and of one
// granularity in one place: then byte order is time order.
type Granularity string

// The granularities, by the form of their keys.
const (
	ByYear    Granularity = "2006"
	ByMonth   Granularity = "2006-01"
	ByDay     Granularity = "2006-01-02"
	ByHour    Granularity = "2006-01-02-15"
	ByMinute  Granularity = "2006-01-02-15-04"
	ByInstant Granularity = model.TimeLayout // to the millisecond
)

// Errors of time keys.
var (
	ErrTimeKey   = errors.New("not a time as keys say it")
	ErrTimeRange = errors.New("the range holds no instant: from must lie before to")
)

// TimeKey is a time as a key says it: 2024-12-02-15 by the hour. The error wraps
// ErrTimeKey for years that four digits cannot say.
func TimeKey(at time.Time, by Granularity) (string, error) {
	if t := model.TimeOf(at); t < model.MinTime || t > model.MaxTime {
		return "", fmt.Errorf("the year %d: %w: want 0001 to 9999", at.UTC().Year(), ErrTimeKey)
	}
	return at.UTC().Format(string(by)), nil
}

// ParseTimeKey is the half-open interval [start, end) that a key of TimeKey says.
func ParseTimeKey(key string, by Granularity) (start, end time.Time, err error) {
	start, err = time.Parse(string(by), key)
	if err != nil || start.Format(string(by)) != key || start.Year() < 1 {
		return time.Time{}, time.Time{}, fmt.Errorf("%.40q: %w: want the form %s", key, ErrTimeKey, by)
	}
	return start, by.next(start), nil
}

// next is the start of what follows.
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

// TimeRange is the inclusive bounds (for BETWEEN) of the time keys that the half-open
// range [from, to) reaches into, with whatever stands behind a separator after them:
// December is from 1 December to 1 January, and its last day is in it. Where keys are
// coarser than the range's ends, they reach beyond it.
func TimeRange(by Granularity, from, to time.Time) (lo, hi string, err error) {
	if !from.Before(to) {
		return "", "", fmt.Errorf("from %s to %s: %w", from.Format(time.RFC3339Nano), to.Format(time.RFC3339Nano), ErrTimeRange)
	}
	if lo, err = TimeKey(from, by); err != nil {
		return "", "", err
	}
	if hi, err = TimeKey(to.Add(-1), by); err != nil {
		return "", "", err
	}
	return lo, hi + string(separator+1), nil
}

// TTL is the TTL attribute of what expires at a time: whole epoch seconds, rounded
// down.
func TTL(at time.Time) int64 { return at.Unix() }
