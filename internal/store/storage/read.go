package storage

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Range requests one page of a series: events by event time, or rollup rows by bucket start.
type Range struct {
	Series   model.Series
	From, To model.Time // half-open: [From, To)
	// FirstID excludes the events of From with lesser ids. LastID excludes the events of the last
	// millisecond, To - 1, with greater ids. "" excludes none.
	FirstID, LastID string
	Newest          bool   // newest first
	Limit           int    // items in the page; 0 means as many as one request returns (1 MB)
	After           string // Next of the previous page; "" for the first
	Consistent      bool   // strongly consistent read
}

// EventPage is one page of events in the requested order.
type EventPage struct {
	Events []model.Event // an event that cannot be decoded is Unreadable; it is not an error
	Next   string        // "" on the last page
}

// EventIndexQuery requests one page of the events of a kind, over all subjects, whose
// indexed field has a given value. The read is eventually consistent.
type EventIndexQuery struct {
	Kind, Field, Value string
	From, To           model.Time      // half-open by event time: [From, To)
	Newest             bool            // newest first
	Limit              int             // events in the page; 0 means as many as one request returns (1 MB)
	After              *model.EventKey // Last of the previous page; nil for the first
}

// EventIndexPage is one page of events in the requested order.
type EventIndexPage struct {
	Events []model.Event   // an event that cannot be decoded is Unreadable; it is not an error
	Last   *model.EventKey // key of the last event; nil on the last page
}

// LatestIndexQuery requests one page of the latest items of a kind, over all subjects,
// that have given values in the indexed fields. The read is eventually consistent.
type LatestIndexQuery struct {
	SubjectType, Kind string
	Index             string
	Values            []string // values of the index's partition fields
	SortPrefix        []string // values of the first sort fields; nil for all
	SortFields        int      // number of sort fields in the index
	Descending        bool     // in descending order of the sort fields
	Limit             int      // items in the page; 0 means as many as one request returns (1 MB)
	After             string   // Next of the previous page; "" for the first
}

// LatestPage is one page of latest items in the requested order.
type LatestPage struct {
	Items []model.Latest
	Next  string // "" on the last page
}

// Event returns the stored event of an identity, by a consistent read; nil if there is none.
func Event(ctx context.Context, from EventReader, k model.EventKey) (*model.Event, error) {
	r := Range{Series: k.Series, From: k.At, To: k.At + 1, Consistent: true}
	for event, err := range Events(ctx, from, r) {
		if err != nil {
			return nil, fmt.Errorf("read event %s of %s: %w", k.At, k.Series, err)
		}
		if event.ID == k.ID {
			return &event, nil
		}
	}
	return nil, nil
}

// EventReader reads one page of the events of a Range.
type EventReader interface {
	Events(ctx context.Context, r Range) (EventPage, error)
}

// EventVisitor is an optional interface of an EventReader that passes on the events of a page one by one: a
// fold keeps no event, so the page need not become a slice.
type EventVisitor interface {
	// EachEvent is Events, but calls do with each event. The event is valid during the
	// call only; its strings may be kept. An error may be returned after some events.
	EachEvent(ctx context.Context, r Range, do func(*model.Event)) (next string, err error)
}

// VisitPage calls do with each event of one page of a range, and returns where the next page begins; "" after
// the last. It reads through EachEvent if from has it, and the same holds for the events.
func VisitPage(ctx context.Context, from EventReader, r Range,
	do func(*model.Event)) (next string, err error) {
	if visitor, ok := from.(EventVisitor); ok {
		return visitor.EachEvent(ctx, r, do)
	}
	page, err := from.Events(ctx, r)
	for i := range page.Events {
		do(&page.Events[i])
	}
	return page.Next, err
}

// VisitEvents calls do with each event of a range of several stored series, as VisitPage. It reads up to
// parallel series at once, so the events are in order only within a series; the calls come one after another.
func VisitEvents(
	ctx context.Context, from EventReader, sources []model.Series, r Range, parallel int, do func(*model.Event),
) error {
	var one sync.Mutex // held during a call
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(parallel)
	for _, series := range sources {
		reads.Go(func() error {
			r := r
			r.Series = series
			for {
				next, err := VisitPage(ctx, from, r, func(e *model.Event) {
					one.Lock()
					defer one.Unlock()
					do(e)
				})
				if err != nil || next == "" {
					return err
				}
				r.After = next
			}
		})
	}
	return reads.Wait()
}

// Events returns an iterator over the events of a range, from r.After on. It reads page after
// page. An error comes last, with no event.
func Events(ctx context.Context, from EventReader, r Range) iter.Seq2[model.Event, error] {
	return paging.ItemsAfter(r.After, func(after string) ([]model.Event, string, error) {
		r.After = after
		page, err := from.Events(ctx, r)
		return page.Events, page.Next, err
	})
}

// NewestEvent reads the event of a series with the greatest time and id, strongly consistent,
// by one request; nil if no event is stored.
func NewestEvent(ctx context.Context, from EventReader, series model.Series) (*model.Event, error) {
	r := Range{Series: series, From: model.MinTime, To: model.MaxTime + 1, Newest: true, Limit: 1,
		Consistent: true}
	for e, err := range Events(ctx, from, r) {
		if err != nil {
			return nil, err
		}
		return &e, nil
	}
	return nil, nil
}

// MergeEvents returns the events of a range of several stored series, in order of time and id. An
// error comes last, with no event.
func MergeEvents(ctx context.Context, from EventReader, sources []model.Series,
	r Range) iter.Seq2[model.Event, error] {
	if len(sources) == 1 {
		r.Series = sources[0]
		return Events(ctx, from, r)
	}
	all := make([]iter.Seq2[model.Event, error], len(sources))
	for i, s := range sources {
		r.Series = s
		all[i] = Events(ctx, from, r)
	}
	return paging.Merge(0, func(a, b model.Event) int { return a.Order.Compare(b.Order) }, all...)
}
