package httpapi

import (
	"net/http"
	"slices"
)

// Action is the operation that a route performs.
type Action string

// The actions on series.
const (
	Append       Action = "append"
	ReadHistory  Action = "history"
	ReadLatest   Action = "latest"
	ReadCount    Action = "count"
	ReadRollups  Action = "rollups"
	ReadChart    Action = "chart"    // rollups of the tier that suits the range
	ReadTotal    Action = "total"    // the summary of any range
	ReadTop      Action = "top"      // the most frequent values of a dimension
	ReadMembers  Action = "members"  // the first members of a group
	VerifyBucket Action = "verify"   // a bucket recounted from its events
	ReadByIndex  Action = "by-value" // events of any subject by the value of their indexed field
	// ReadLatestBy are latest items of any subject, by the values of indexed fields.
	ReadLatestBy Action = "latest-by"
	ReadProfile  Action = "profile"
	// All kinds of a subject merged.
	ReadAllRollups Action = "all-rollups"
	ReadAllChart   Action = "all-chart"
	ReadAllTop     Action = "all-top"
	ReadAllTotal   Action = "all-total"
)

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
	ListSilent     Action = "silent" // subjects of a type without an event of a span
	CountSilent    Action = "silent-by-group"
	ReadIncreases  Action = "increases" // what counters of members counted, by group
)

// The actions on alerts and their rules.
const (
	ListAlerts       Action = "alerts"      // of a subject
	ListOpenAlerts   Action = "open-alerts" // of all subjects of a type
	CountAlerts      Action = "alert-counts"
	ReadAlert        Action = "alert"
	AcknowledgeAlert Action = "acknowledge-alert"
	ResolveAlert     Action = "resolve-alert"
	ListRules        Action = "rules" // of all subjects of a type
	AddRule          Action = "add-rule"
	RemoveRule       Action = "remove-rule"
	ListOwnRules     Action = "own-rules" // of one subject
	AddOwnRule       Action = "add-own-rule"
	RemoveOwnRule    Action = "remove-own-rule"
)

// The actions on the service itself.
const (
	ReadAPI     Action = "openapi"
	ReadHealth  Action = "health"
	ReadRelease Action = "release" // of the service
)

// Changes reports whether the action writes to a subject, its alerts or its rules, or edits an event.
func (a Action) Changes() bool {
	return a != Append && slices.ContainsFunc(routeRows(), func(r routeRow) bool {
		return r.action == a && r.method != http.MethodGet
	})
}
