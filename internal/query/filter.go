package query

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// readAhead is how many events are read for each one that a filter may let through,
// and mostReads how many at most: a filter of which one event in ten is left still
// fills its page by one request.
const (
	readAhead = 10
	mostReads = 10_000
)

// reads is how many events one request reads.
func (q History) reads() int {
	if len(q.Where) == 0 || q.Limit == 0 {
		return q.Limit
	}
	return max(q.Limit, min(q.Limit*readAhead, mostReads))
}

// class tells cursors of a history from others, and one filter from another.
func (q History) class() string {
	class := "events"
	for _, t := range q.Where {
		class += " " + t.String()
	}
	return class
}

// wants reports whether e meets the filter. What cannot be decoded is handed out
// whatever the filter: nobody can say that it does not meet it.
func (q History) wants(e *model.Event) bool { return e.Unreadable || q.Where.Holds(e.Attrs) }

// project is the fields asked for.
func (q History) project(attrs model.Attrs) model.Attrs {
	if q.Fields == nil {
		return attrs
	}
	kept := model.Attrs{}
	for _, a := range attrs {
		if slices.Contains(q.Fields, a.Name) {
			kept = append(kept, a)
		}
	}
	return kept
}

// Counted is how many events a history holds.
type Counted struct {
	Events     int64 // those that could be decoded, and meet the filter
	Unreadable int64 // those that could not
}

// Count counts what EachEvent would hand out, by reading it: it costs what reading
// costs. Where no filter is asked for and whole buckets do, a Total says the same for
// one row a bucket.
func (s *Service) Count(ctx context.Context, q History) (Counted, error) {
	q.Fields = []string{}
	var n Counted
	for e, err := range s.EachEvent(ctx, q) {
		switch {
		case err != nil:
			return Counted{}, err
		case e.Unreadable:
			n.Unreadable++
		default:
			n.Events++
		}
	}
	return n, nil
}
