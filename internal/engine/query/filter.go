package query

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// A filtered request reads readFactor events for each one requested, and maxReadLimit at
// most: a filter that matches one event in ten still fills its page by one request.
const (
	readFactor   = 10
	maxReadLimit = 10_000
)

// readLimit returns how many events one request reads.
func (q History) readLimit() int {
	if len(q.Where) == 0 || q.Limit == 0 {
		return q.Limit
	}
	return max(q.Limit, min(q.Limit*readFactor, maxReadLimit))
}

// cursorClass distinguishes cursors of histories from others, and by their filters.
func (q History) cursorClass() string {
	class := "events"
	if q.FromValue.Kind != model.Null || q.ToValue.Kind != model.Null {
		class += " from " + q.FromValue.String() + " to " + q.ToValue.String()
	}
	for _, t := range q.Where {
		class += " " + t.String()
	}
	return class
}

// matches reports whether e meets the filter. An event that cannot be decoded always does, because it may.
func (q History) matches(e *model.Event) bool {
	return e.Unreadable || len(q.Where) == 0 || q.Where.Holds(q.Kind.AllNames(e.Attrs))
}

// project returns the requested fields; by default those that have names for readers.
func (q History) project(attrs model.Attrs) model.Attrs {
	if q.Fields == nil {
		return q.Kind.Named(attrs)
	}
	kept := model.Attrs{}
	for _, a := range q.Kind.AllNames(attrs) {
		if slices.Contains(q.Fields, a.Name) {
			kept = append(kept, a)
		}
	}
	return kept
}

// EventCount is the number of events in a history.
type EventCount struct {
	Events     int64 // decoded events that meet the filter
	Unreadable int64 // events that could not be decoded
}

// Count counts the events that EachEvent would yield. It reads all of them. For complete
// buckets without a filter, Total returns the same by reading one row for each bucket.
func (s *Service) Count(ctx context.Context, q History) (EventCount, error) {
	q.Fields = []string{}
	var n EventCount
	for e, err := range s.EachEvent(ctx, q) {
		switch {
		case err != nil:
			return EventCount{}, err
		case e.Unreadable:
			n.Unreadable++
		default:
			n.Events++
		}
	}
	return n, nil
}
