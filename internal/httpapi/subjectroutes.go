package httpapi

import "github.com/tidemark-db/tidemark/pkg/catalog"

// The actions on subjects.
const (
	CreateSubject  Action = "create"
	UpdateSubject  Action = "update"
	DeleteSubject  Action = "delete"
	RestoreSubject Action = "restore"
	PurgeSubject   Action = "purge"
	CheckPurge     Action = "check-purge"
	CallOffPurge   Action = "call-off-purge"
	ReadDeleted    Action = "deleted"
	ReadVersions   Action = "versions"
	ReadVersion    Action = "version"
	ListSubjects   Action = "subjects"
	ReadSeries     Action = "series"
)

// The fixed segments that follow a subject's id in paths. Package catalog rejects a kind
// that has one of them as its path.
const (
	WordRestore  = "restore"
	WordPurge    = "purge"
	WordDeleted  = "deleted"
	WordVersions = "versions"
	WordLatest   = "latest"
	WordCount    = "count"
	WordRollups  = "rollups"
	WordTop      = "top"
	WordTotal    = "total" // after WordRollups
	WordSeries   = "series"
)

// subjectRows are the routes of the lifecycle of a subject, below the path of its type.
// seriesRoutes has the route of its profile.
var subjectRows = []Route{
	{Method: "GET", Path: "", Action: ListSubjects},
	{Method: "GET", Path: "/{id}/" + WordSeries, Action: ReadSeries},
	{Method: "PUT", Path: "/{id}", Action: CreateSubject},
	{Method: "PATCH", Path: "/{id}", Action: UpdateSubject},
	{Method: "DELETE", Path: "/{id}", Action: DeleteSubject},
	{Method: "POST", Path: "/{id}/" + WordRestore, Action: RestoreSubject},
	{Method: "GET", Path: "/{id}/" + WordDeleted, Action: ReadDeleted},
	{Method: "GET", Path: "/{id}/" + WordVersions, Action: ReadVersions},
	{Method: "GET", Path: "/{id}/" + WordVersions + "/{version}", Action: ReadVersion},
	{Method: "POST", Path: "/{id}/" + WordPurge, Action: PurgeSubject},
	{Method: "GET", Path: "/{id}/" + WordPurge, Action: CheckPurge},
	{Method: "DELETE", Path: "/{id}/" + WordPurge, Action: CallOffPurge},
}

// subjectRoutes returns the routes of the lifecycle of all subject types, in the order of
// their declaration. {version} is a number.
func subjectRoutes(c *catalog.Catalog) []Route {
	var all []Route
	for _, s := range c.Subjects() {
		for _, r := range subjectRows {
			r.Path, r.Kind = "/v1/"+s.Path+r.Path, s.Name
			all = append(all, r)
		}
	}
	return all
}

// Changes reports whether the action writes to a subject, its alerts or its rules.
func (a Action) Changes() bool {
	switch a {
	case CreateSubject, UpdateSubject, DeleteSubject, RestoreSubject, PurgeSubject, CallOffPurge,
		AcknowledgeAlert, ResolveAlert, AddRule, RemoveRule, AddOwnRule, RemoveOwnRule,
		CorrectEvent, CorrectEventByID, DeleteEvent, DeleteEventByID:
		return true
	}
	return false
}
