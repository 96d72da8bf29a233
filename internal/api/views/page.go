package views

// Paged is a result with more pages.
type Paged interface {
	// NextCursor returns the cursor of the next page, nil on the last page.
	NextCursor() *string
}

// NextPage is the part of a page that leads to the next one.
type NextPage struct {
	Next *string `json:"next"` // the cursor of the next page; nil on the last page
}

// NextCursor returns the cursor of the next page.
func (p NextPage) NextCursor() *string { return p.Next }

func nextPage(cursor string) NextPage {
	if cursor == "" {
		return NextPage{}
	}
	return NextPage{&cursor}
}

// Versioned is a result with a version that a change can be conditional on.
type Versioned interface {
	// VersionTag returns the version as in If-Match, "" if there is none.
	VersionTag() string
}

// The lists, and which of them have pages.
var (
	_ List = Alerts{}
	_ List = Chart{}
	_ List = Event{}
	_ List = History{}
	_ List = IndexedEvents{}
	_ List = Members{}
	_ List = ListedSubjects{}
	_ List = Rollups{}
	_ List = SubjectSeries{}
	_ List = Subjects{}
	_ List = Top{}
	_ List = Total{}
	_ List = Versions{}

	_ Paged = Alerts{}
	_ Paged = History{}
	_ Paged = IndexedEvents{}
	_ Paged = ListedSubjects{}
	_ Paged = Rollups{}
	_ Paged = Subjects{}

	_ Versioned = Profile{}
	_ Versioned = StoredEvent{}
)
