package views

import (
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/ordervalue"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Event is an event or a latest item as JSON.
type Event struct {
	At         *model.Time `json:"at"` // nil in a latest item without events, and in kinds without event times
	ID         string      `json:"id"`
	Fields     Fields      `json:"fields"`
	Unreadable bool        `json:"unreadable,omitempty"` // the stored event cannot be decoded
	// ArrivedAt is when an event was received, CorrectedAt when its fields were replaced last. A latest item
	// has fields of several events, and neither of the two.
	ArrivedAt   model.Time `json:"arrivedAt,omitzero"`
	CorrectedAt model.Time `json:"correctedAt,omitzero"`
}

// NewEvent returns e as JSON.
func NewEvent(e *model.Event) Event {
	at, id := ordervalue.Shown(e.Order)
	return Event{At: at, ID: id, Fields: Fields(e.Attrs), Unreadable: e.Unreadable,
		ArrivedAt: e.ArrivedAt, CorrectedAt: e.CorrectedAt}
}

// StoredEvent is a single event as JSON. Its entity tag begins with the hash of its fields.
type StoredEvent struct {
	Event
	hash model.Hash
}

// NewStoredEvent returns e as JSON.
func NewStoredEvent(e *model.Event) StoredEvent { return StoredEvent{NewEvent(e), e.Hash} }

// VersionTag returns the hash.
func (e StoredEvent) VersionTag() string { return e.hash.String() }

// NewLatest returns a latest item as JSON.
func NewLatest(l *model.Latest) Event {
	v := Event{Fields: Fields(l.Attrs)}
	if l.Ordered {
		v.At, v.ID = ordervalue.Shown(l.Order)
	}
	return v
}

// Without returns the event without the fields of these names.
func (e Event) Without(names []string) Event {
	e.Fields = slices.DeleteFunc(slices.Clone(e.Fields),
		func(f model.Attr) bool { return slices.Contains(names, f.Name) })
	return e
}

// History is a page of the events of a series as JSON.
type History struct {
	Events []Event `json:"events"`
	NextPage
	OtherStreams
	EventsFrom
}

// EventsFrom says from when on the events of a range are whole.
type EventsFrom struct {
	// WholeFrom is nil if no event of the range can have expired. Earlier events may have.
	WholeFrom *model.Time `json:"wholeFrom,omitempty"`
}

// NewEventsFrom returns a time of query.Service.WholeFrom as JSON.
func NewEventsFrom(at model.Time) EventsFrom { return EventsFrom{WholeFrom: reached(&at)} }

// OtherStreams are the streams that a subject has, where a request without a stream found nothing.
type OtherStreams struct {
	Streams []string `json:"streams,omitempty"`
}

// NewHistory returns page as JSON.
func NewHistory(page query.EventPage) History {
	return History{Events: lists.Map(page.Events, func(e model.Event) Event {
		return NewEvent(&e)
	}), NextPage: nextPage(page.Next)}
}

// Lines has one line for each event.
func (h History) Lines() []any { return toLines(h.Events) }

// Table has one row for each event, and a column for each field of any event.
func (h History) Table() Table {
	names := FieldNames(h.Events, func(e Event) Fields { return e.Fields })
	return Table{Header: append([]string{"at", "id"}, names...),
		Rows: lists.Map(h.Events, func(e Event) []string {
			return append(e.cells(), e.Fields.cells(names)...)
		})}
}

func (e Event) cells() []string { return []string{timeText(e.At), e.ID} }

// Lines has one line.
func (e Event) Lines() []any { return []any{e} }

// Table has one row.
func (e Event) Table() Table { return History{Events: []Event{e}}.Table() }

// Count is the number of events in a range as JSON.
type Count struct {
	Events     int64 `json:"events"`
	Unreadable int64 `json:"unreadable"` // events beside Events that cannot be decoded
	EventsFrom
}

// NewCount returns a count, and the time of query.Service.WholeFrom, as JSON.
func NewCount(n query.EventCount, wholeFrom model.Time) Count {
	return Count{Events: n.Events, Unreadable: n.Unreadable, EventsFrom: NewEventsFrom(wholeFrom)}
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
	NextPage
}

// NewIndexedEvents returns page as JSON.
func NewIndexedEvents(page query.EventPage) IndexedEvents {
	return IndexedEvents{NextPage: nextPage(page.Next),
		Events: lists.Map(page.Events, func(e model.Event) IndexedEvent {
			return IndexedEvent{Subject: e.Series.Subject.ID, Stream: e.Series.Stream, Event: NewEvent(&e)}
		})}
}

// NewLatestItems returns a page of latest items as JSON, in the form of events.
func NewLatestItems(page query.LatestPage) IndexedEvents {
	return IndexedEvents{NextPage: nextPage(page.Next),
		Events: lists.Map(page.Items, func(l model.Latest) IndexedEvent {
			return IndexedEvent{Subject: l.Series.Subject.ID, Stream: l.Series.Stream, Event: NewLatest(&l)}
		})}
}

// Lines has one line for each event.
func (b IndexedEvents) Lines() []any { return toLines(b.Events) }

// Table has one row for each event, beginning with its subject and stream.
func (b IndexedEvents) Table() Table {
	names := FieldNames(b.Events, func(e IndexedEvent) Fields { return e.Fields })
	return Table{Header: append([]string{"subject", "stream", "at", "id"}, names...),
		Rows: lists.Map(b.Events, func(e IndexedEvent) []string {
			return slices.Concat([]string{e.Subject, e.Stream}, e.cells(), e.Fields.cells(names))
		})}
}

// FieldNames returns the names of the fields of all rows, sorted and without duplicates.
func FieldNames[T any](rows []T, fields func(T) Fields) []string {
	seen := map[string]bool{}
	for _, row := range rows {
		for _, a := range fields(row) {
			seen[a.Name] = true
		}
	}
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

func toLines[T any](all []T) []any { return lists.Map(all, func(x T) any { return x }) }
