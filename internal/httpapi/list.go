package httpapi

// The lists, and those of them that have pages.
var (
	_ List = Alerts{}
	_ List = Chart{}
	_ List = Event{}
	_ List = History{}
	_ List = IndexedEvents{}
	_ List = ListedSubject{}
	_ List = ListedSubjects{}
	_ List = Rollups{}
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
	_ error     = (*Problem)(nil)
)
