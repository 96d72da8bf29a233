package catalog

// The actions on subjects.
const (
	CreateSubject  Action = "create"
	UpdateSubject  Action = "update"
	DeleteSubject  Action = "delete"
	RestoreSubject Action = "restore"
	PurgeSubject   Action = "purge"
	CheckPurge     Action = "check-purge"
	ReadSubject    Action = "subject"
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
)

var reservedWords = map[string]bool{WordRestore: true, WordPurge: true, WordDeleted: true, WordVersions: true}

// SubjectRoute is one way of asking for a subject, or of changing it, over HTTP.
type SubjectRoute struct {
	Method  string
	Path    string // with {id} and {version} where the caller's words stand
	Action  Action
	Subject string // the subject type's name
}

// subjectRoutes are the routes of any subject type, below its path.
var subjectRoutes = []SubjectRoute{
	{Method: "GET", Path: "", Action: ListSubjects},
	{Method: "GET", Path: "/{id}", Action: ReadSubject},
	{Method: "PUT", Path: "/{id}", Action: CreateSubject},
	{Method: "PATCH", Path: "/{id}", Action: UpdateSubject},
	{Method: "DELETE", Path: "/{id}", Action: DeleteSubject},
	{Method: "POST", Path: "/{id}/" + WordRestore, Action: RestoreSubject},
	{Method: "GET", Path: "/{id}/" + WordDeleted, Action: ReadDeleted},
	{Method: "GET", Path: "/{id}/" + WordVersions, Action: ReadVersions},
	{Method: "GET", Path: "/{id}/" + WordVersions + "/{version}", Action: ReadVersion},
	{Method: "POST", Path: "/{id}/" + WordPurge, Action: PurgeSubject},
	{Method: "GET", Path: "/{id}/" + WordPurge, Action: CheckPurge},
}

// SubjectRoutes are the routes of all subject types, in the order of their first
// mention, beside those of Routes.
func (c *Catalog) SubjectRoutes() []SubjectRoute {
	var all []SubjectRoute
	for _, s := range c.subjects {
		for _, r := range subjectRoutes {
			r.Path, r.Subject = "/v1/"+s.Path+r.Path, s.Name
			all = append(all, r)
		}
	}
	return all
}
