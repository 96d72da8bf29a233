package httpapi

import (
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/lists"
	"github.com/tidemark-db/tidemark/internal/ordervalue"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Event is an event or a latest item as JSON.
type Event struct {
	At         *model.Time `json:"at"` // nil in a latest item without events, and in kinds without event times
	ID         string      `json:"id"`
	Fields     Fields      `json:"fields"`
	Unreadable bool        `json:"unreadable,omitempty"` // the stored event cannot be decoded
}

// EventOf returns e as JSON.
func EventOf(e *model.Event) Event {
	at, id := ordervalue.Shown(e.Order)
	return Event{At: at, ID: id, Fields: Fields(e.Attrs), Unreadable: e.Unreadable}
}

// StoredEvent is a single event as JSON. Its entity tag begins with the hash of its fields.
type StoredEvent struct {
	Event
	hash model.Hash
}

// StoredEventOf returns e as JSON.
func StoredEventOf(e *model.Event) StoredEvent { return StoredEvent{EventOf(e), e.Hash} }

// VersionTag returns the hash.
func (e StoredEvent) VersionTag() string { return e.hash.String() }

// LatestOf returns a latest item as JSON.
func LatestOf(l *model.Latest) Event {
	v := Event{Fields: Fields(l.Attrs)}
	if l.Ordered {
		v.At, v.ID = ordervalue.Shown(l.Order)
	}
	return v
}

// History is a page of the events of a series as JSON.
type History struct {
	Events []Event `json:"events"`
	Next   *string `json:"next"` // the cursor of the next page; nil on the last page
	OtherStreams
}

// OtherStreams are the streams that a subject has, where a request without a stream found
// nothing.
type OtherStreams struct {
	Streams []string `json:"streams,omitempty"`
}

// HistoryOf returns page as JSON.
func HistoryOf(page query.EventPage) History {
	v := History{Events: make([]Event, len(page.Events)), Next: cursorOrNil(page.Next)}
	for i := range page.Events {
		v.Events[i] = EventOf(&page.Events[i])
	}
	return v
}

// Lines has one line for each event.
func (h History) Lines() []any { return linesOf(h.Events) }

// Table has one row for each event, and a column for each field of any event.
func (h History) Table() Table {
	names := fieldNames(func(yield func(Fields)) {
		for _, e := range h.Events {
			yield(e.Fields)
		}
	})
	t := Table{Header: append([]string{"at", "id"}, names...)}
	for _, e := range h.Events {
		t.Rows = append(t.Rows, append(e.cells(), e.Fields.cells(names)...))
	}
	return t
}

// NextCursor returns the cursor of the next page.
func (h History) NextCursor() *string { return h.Next }

func (e Event) cells() []string { return []string{timeText(e.At), e.ID} }

// Lines has one line.
func (e Event) Lines() []any { return []any{e} }

// Table has one row.
func (e Event) Table() Table { return History{Events: []Event{e}}.Table() }

// Count is the number of events in a range as JSON.
type Count struct {
	Events     int64 `json:"events"`
	Unreadable int64 `json:"unreadable"` // those of Events that cannot be decoded
}

// IndexedEvent is an event found by an index query, as JSON.
type IndexedEvent struct {
	Subject string `json:"subject"` // id
	Stream  string `json:"stream"`
	Event
}

// IndexedEvents is a page of an index query as JSON.
type IndexedEvents struct {
	Events []IndexedEvent `json:"events"`
	Next   *string        `json:"next"`
}

// IndexedEventsOf returns page as JSON.
func IndexedEventsOf(page query.EventPage) IndexedEvents {
	v := IndexedEvents{Events: make([]IndexedEvent, len(page.Events)), Next: cursorOrNil(page.Next)}
	for i := range page.Events {
		series := page.Events[i].Series
		v.Events[i] = IndexedEvent{Subject: series.Subject.ID, Stream: series.Stream, Event: EventOf(&page.Events[i])}
	}
	return v
}

// LatestItemsOf returns a page of latest items as JSON, in the form of events.
func LatestItemsOf(page query.LatestPage) IndexedEvents {
	v := IndexedEvents{Events: make([]IndexedEvent, len(page.Items)), Next: cursorOrNil(page.Next)}
	for i := range page.Items {
		series := page.Items[i].Series
		v.Events[i] = IndexedEvent{Subject: series.Subject.ID, Stream: series.Stream, Event: LatestOf(&page.Items[i])}
	}
	return v
}

// Lines has one line for each event.
func (b IndexedEvents) Lines() []any { return linesOf(b.Events) }

// Table has one row for each event, beginning with its subject and stream.
func (b IndexedEvents) Table() Table {
	names := fieldNames(func(yield func(Fields)) {
		for _, e := range b.Events {
			yield(e.Fields)
		}
	})
	t := Table{Header: append([]string{"subject", "stream", "at", "id"}, names...)}
	for _, e := range b.Events {
		row := append([]string{e.Subject, e.Stream}, e.cells()...)
		t.Rows = append(t.Rows, append(row, e.Fields.cells(names)...))
	}
	return t
}

// NextCursor returns the cursor of the next page.
func (b IndexedEvents) NextCursor() *string { return b.Next }

// fieldNames returns the names of all yielded fields, sorted and without duplicates.
func fieldNames(each func(yield func(Fields))) []string {
	seen := map[string]bool{}
	each(func(f Fields) {
		for _, a := range f {
			seen[a.Name] = true
		}
	})
	return slices.Sorted(maps.Keys(seen))
}

// cells returns the values of the named fields as text. A missing or null field is empty.
func (f Fields) cells(names []string) []string {
	row := make([]string, len(names))
	for i, name := range names {
		if v, ok := model.Attrs(f).Get(name); ok {
			row[i], _ = v.Plain()
		}
	}
	return row
}

func timeText(t *model.Time) string {
	if t == nil {
		return ""
	}
	return t.String()
}

func cursorOrNil(cursor string) *string {
	if cursor == "" {
		return nil
	}
	return &cursor
}

func linesOf[T any](all []T) []any {
	return lists.Map(all, func(x T) any { return x })
}
