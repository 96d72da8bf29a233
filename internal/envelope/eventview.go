package envelope

import (
	"maps"
	"slices"

	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Event is an event, or a current, as callers read it.
type Event struct {
	At         *model.Time `json:"at"` // null in a current that no event has made yet
	ID         string      `json:"id"`
	Fields     Fields      `json:"fields"`
	Unreadable bool        `json:"unreadable,omitempty"` // stored, but not to be decoded
}

// EventOf is e as callers read it.
func EventOf(e *model.Event) Event {
	return Event{At: &e.At, ID: e.ID, Fields: Fields(e.Attrs), Unreadable: e.Unreadable}
}

// CurrentOf is c as callers read it.
func CurrentOf(c *model.Current) Event {
	v := Event{ID: c.ID, Fields: Fields(c.Attrs)}
	if c.Ordered {
		v.At = &c.At
	}
	return v
}

// History is a page of a series' events as callers read it.
type History struct {
	Events []Event `json:"events"`
	Next   *string `json:"next"` // the cursor of the next page; null on the last
}

// HistoryOf is page as callers read it.
func HistoryOf(page query.EventPage) History {
	v := History{Events: make([]Event, len(page.Events)), Next: nextOf(page.Next)}
	for i := range page.Events {
		v.Events[i] = EventOf(&page.Events[i])
	}
	return v
}

// Lines has a line an event.
func (h History) Lines() []any { return linesOf(h.Events) }

// Table has a row an event, and a column for each field that one of them has.
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

// Following is the cursor of the next page.
func (h History) Following() *string { return h.Next }

func (e Event) cells() []string { return []string{timeText(e.At), e.ID} }

// Lines is the one event.
func (e Event) Lines() []any { return []any{e} }

// Table has one row.
func (e Event) Table() Table { return History{Events: []Event{e}}.Table() }

// IndexedEvent is an event found over all subjects.
type IndexedEvent struct {
	Subject string `json:"subject"` // its id
	Stream  string `json:"stream"`
	Event
}

// ByValue is a page of events that have a value, as callers read it.
type ByValue struct {
	Events []IndexedEvent `json:"events"`
	Next   *string        `json:"next"`
}

// ByValueOf is page as callers read it.
func ByValueOf(page query.EventPage) ByValue {
	v := ByValue{Events: make([]IndexedEvent, len(page.Events)), Next: nextOf(page.Next)}
	for i := range page.Events {
		of := page.Events[i].Series
		v.Events[i] = IndexedEvent{Subject: of.Subject.ID, Stream: of.Stream, Event: EventOf(&page.Events[i])}
	}
	return v
}

// Lines has a line an event.
func (b ByValue) Lines() []any { return linesOf(b.Events) }

// Table has a row an event, its subject and stream first.
func (b ByValue) Table() Table {
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

// Following is the cursor of the next page.
func (b ByValue) Following() *string { return b.Next }

// fieldNames are the names of all fields that are yielded, sorted.
func fieldNames(each func(yield func(Fields))) []string {
	seen := map[string]bool{}
	each(func(f Fields) {
		for _, a := range f {
			seen[a.Name] = true
		}
	})
	return slices.Sorted(maps.Keys(seen))
}

// cells are the values of the named fields; an absent one is empty, as null is.
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

func nextOf(cursor string) *string {
	if cursor == "" {
		return nil
	}
	return &cursor
}

func linesOf[T any](all []T) []any {
	lines := make([]any, len(all))
	for i := range all {
		lines[i] = all[i]
	}
	return lines
}
