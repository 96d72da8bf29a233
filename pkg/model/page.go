package model

// Range asks for one page of a series: events by event time, or rows by bucket start.
type Range struct {
	Series     Series
	From, To   Time   // half-open: [From, To)
	Newest     bool   // newest first
	Limit      int    // items in the page; 0 means as many as one request returns (1 MB)
	After      string // Next of the page before; "" for the first
	Consistent bool   // strongly consistent read
}

// EventPage is one page of events in the order asked for.
type EventPage struct {
	Events []Event // one that could not be decoded comes as Unreadable, never as an error
	Next   string  // "" on the last page
}

// ByValue asks for one page of the events of a kind that have a value of the field
// they are indexed by, over all subjects. Such a read is eventually consistent.
type ByValue struct {
	Kind, Field, Value string
	From, To           Time      // half-open by event time: [From, To)
	Newest             bool      // newest first
	Limit              int       // events in the page; 0 means as many as one request returns (1 MB)
	After              *EventKey // Last of the page before; nil for the first
}

// IndexPage is one page of events in the order asked for.
type IndexPage struct {
	Events []Event   // one that could not be decoded comes as Unreadable, never as an error
	Last   *EventKey // where the page ended; nil on the last page
}

// ByFields asks for one page of the currents of a kind that have these values of the
// fields by which an index finds them, over all subjects. Such a read is eventually
// consistent.
type ByFields struct {
	SubjectType, Kind string
	Index             string
	By                []string // the values asked for
	First             []string // of those found, the ones whose first fields of order have these values
	Order             int      // how many fields order the entries
	Backwards         bool     // from the end of that order
	Limit             int      // currents in the page; 0 means as many as one request returns (1 MB)
	After             string   // Next of the page before; "" for the first
}

// CurrentPage is one page of currents in the order asked for.
type CurrentPage struct {
	Currents []Current
	Next     string // "" on the last page
}
