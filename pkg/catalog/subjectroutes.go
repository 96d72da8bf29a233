package catalog

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
)

// The words that stand behind a subject's id in routes. No kind may have one as its
// path.
const (
	WordRestore  = "restore"
	WordPurge    = "purge"
	WordDeleted  = "deleted"
	WordVersions = "versions"
	WordCurrent  = "current"
	WordCount    = "count"
	WordRollups  = "rollups"
	WordTop      = "top"
)

var reservedWords = map[string]bool{
	WordRestore: true, WordPurge: true, WordDeleted: true, WordVersions: true,
	WordCurrent: true, WordCount: true, WordRollups: true, WordTop: true,
	WordAlerts: true, WordRules: true,
}

// subjectRoutes are the routes of any subject type's life, below its path. Reading its
// profile is among Routes.
var subjectRoutes = []Route{
	{Method: "GET", Path: "", Action: ListSubjects},
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

// SubjectRoutes are the routes of the lives of all subject types, in the order of their
// first mention, beside those of Routes: {version} is a number in them, and Kind the
// subject type's name.
func (c *Catalog) SubjectRoutes() []Route {
	var all []Route
	for _, s := range c.subjects {
		for _, r := range subjectRoutes {
			r.Path, r.Kind = "/v1/"+s.Path+r.Path, s.Name
			all = append(all, r)
		}
	}
	return all
}

// Changes reports whether an action writes to a subject's life, or ends it, or to its
// alerts and rules.
func (a Action) Changes() bool {
	switch a {
	case CreateSubject, UpdateSubject, DeleteSubject, RestoreSubject, PurgeSubject, CallOffPurge,
		AcknowledgeAlert, ResolveAlert, AddRule, RemoveRule, AddOwnRule, RemoveOwnRule:
		return true
	}
	return false
}
