package httpapi

import (
	"net/http"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/reserved"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// routeRow is a route that each kind, each subject type or the service has. In its path {kinds}, {subjects},
// {field}, and {members} of a kind of groups, are replaced.
type routeRow struct {
	method string
	path   string
	action Action
	needs  *need // nil: every owner has the route
	// plainID: nothing fixed tells the id from what is beside it, so that a kind which is misspelt would be
	// read as a part of the id.
	plainID bool
}

// routeOwner is what has a route: a kind, a subject type (kind is nil) or the service (the type is zero too).
type routeOwner struct {
	kinds   *catalog.Catalog
	subject catalog.SubjectType
	kind    *catalog.Kind
}

// countsGroups reports whether the kind is of groups whose members have counters.
func (o routeOwner) countsGroups() bool {
	of, found := o.kinds.Kind(o.kind.GroupsOf)
	return found && len(of.Counters()) > 0
}

// need is what an owner must have so that it has a route.
type need struct {
	met func(routeOwner) bool
	// reported needs do not decide what a request names: the action says what is missing.
	reported bool
}

// has reports whether the owner has the route.
func (o routeOwner) has(r routeRow) bool { return r.needs == nil || r.needs.met(o) }

var (
	needEvents = &need{met: func(o routeOwner) bool { return o.kind.HasEvents() }}
	// Events that always have ids have no route without one.
	needOptionalIDs = &need{met: func(o routeOwner) bool {
		return o.kind.HasEvents() && o.kind.IDs == catalog.OptionalID
	}}
	needIndexedEvents = &need{met: func(o routeOwner) bool {
		return o.kind.HasEvents() && o.kind.IndexBy != ""
	}}
	needIndexedSessions = &need{met: func(o routeOwner) bool {
		return !o.kind.HasEvents() && o.kind.IndexBy != ""
	}}
	needLatest       = &need{met: func(o routeOwner) bool { return o.kind.HasLatest() }, reported: true}
	needLatestBy     = &need{met: func(o routeOwner) bool { return len(o.kind.LatestBy) > 0 }}
	needDimensions   = &need{met: func(o routeOwner) bool { return len(o.kind.Dimensions) > 0 }, reported: true}
	needGroups       = &need{met: func(o routeOwner) bool { return o.kind.GroupsOf != "" }, reported: true}
	needGroupKind    = &need{met: func(o routeOwner) bool { return o.kind.GroupsOf != "" }}
	needCounters     = &need{met: routeOwner.countsGroups, reported: true}
	needSeveralKinds = &need{met: func(o routeOwner) bool {
		return len(catalog.WithEvents(o.kinds.SubjectKinds(o.subject))) > 1
	}, reported: true}
	needMembers = &need{met: func(o routeOwner) bool { return !reserved.Group(o.subject.Name) }}
	needRules   = &need{met: func(o routeOwner) bool { return o.kinds.AllowsRules(o.subject) }}
)

// kindRoutes are the routes of each kind.
var kindRoutes = []routeRow{
	{method: http.MethodPost, path: "/v1/{kinds}", action: Append, needs: needEvents},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}", action: ReadHistory, needs: needEvents},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/count", action: ReadCount, needs: needEvents},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/rollups", action: ReadChart},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/rollups/total", action: ReadTotal},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/rollups/{tier}", action: ReadRollups},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/latest",
		action: ReadLatest, needs: needLatest},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/top/{dimension}",
		action: ReadTop, needs: needDimensions},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/members/{measure}",
		action: ReadMembers, needs: needGroups},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/verify/{tier}",
		action: VerifyBucket, needs: needEvents},
	{method: http.MethodGet, path: "/v1/{kinds}/latest", action: ReadLatestBy, needs: needLatestBy},
	{method: http.MethodGet, path: "/v1/{kinds}/{field}/{value}",
		action: ReadByIndex, needs: needIndexedEvents},
	{method: http.MethodGet, path: "/v1/silent/{members}/{kinds}", action: CountSilent, needs: needGroupKind},
	{method: http.MethodGet, path: "/v1/increases/{members}/{kinds}/{counter}",
		action: ReadIncreases, needs: needCounters},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}",
		action: ReadHistory, needs: needIndexedSessions},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/{time}/{event}",
		action: ReadEventByID, needs: needIndexedSessions},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/{time}",
		action: ReadEvent, needs: needOptionalIDs},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/{kinds}/{time}/{event}",
		action: ReadEventByID, needs: needEvents},
	{method: http.MethodPut, path: "/v1/{subjects}/{id}/{kinds}/{time}",
		action: CorrectEvent, needs: needOptionalIDs},
	{method: http.MethodPut, path: "/v1/{subjects}/{id}/{kinds}/{time}/{event}",
		action: CorrectEventByID, needs: needEvents},
	{method: http.MethodDelete, path: "/v1/{subjects}/{id}/{kinds}/{time}",
		action: DeleteEvent, needs: needOptionalIDs},
	{method: http.MethodDelete, path: "/v1/{subjects}/{id}/{kinds}/{time}/{event}",
		action: DeleteEventByID, needs: needEvents},
}

// summaryRoutes are the routes of each subject type to the profile of a subject, and to its kinds merged.
var summaryRoutes = []routeRow{
	{method: http.MethodGet, path: "/v1/{subjects}/{id}", action: ReadProfile, plainID: true},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/rollups",
		action: ReadAllChart, needs: needSeveralKinds, plainID: true},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/rollups/total",
		action: ReadAllTotal, needs: needSeveralKinds, plainID: true},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/rollups/{tier}",
		action: ReadAllRollups, needs: needSeveralKinds, plainID: true},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/top/{dimension}",
		action: ReadAllTop, needs: needSeveralKinds, plainID: true},
}

// lifecycleRoutes are the routes of each subject type about profiles, their deletion and purges.
var lifecycleRoutes = []routeRow{
	{method: http.MethodGet, path: "/v1/{subjects}", action: ListSubjects},
	{method: http.MethodGet, path: "/v1/silent/{subjects}", action: ListSilent},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/series", action: ReadSeries},
	{method: http.MethodPut, path: "/v1/{subjects}/{id}", action: CreateSubject, plainID: true},
	{method: http.MethodPatch, path: "/v1/{subjects}/{id}", action: UpdateSubject, plainID: true},
	{method: http.MethodDelete, path: "/v1/{subjects}/{id}", action: DeleteSubject, plainID: true},
	{method: http.MethodPost, path: "/v1/{subjects}/{id}/restore", action: RestoreSubject},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/deleted", action: ReadDeleted},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/versions", action: ReadVersions},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/versions/{version}", action: ReadVersion},
	{method: http.MethodPost, path: "/v1/{subjects}/{id}/purge", action: PurgeSubject, needs: needMembers},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/purge", action: CheckPurge, needs: needMembers},
	{method: http.MethodDelete, path: "/v1/{subjects}/{id}/purge", action: CallOffPurge, needs: needMembers},
}

// alertRoutes are the routes of each subject type about alerts and their rules.
var alertRoutes = []routeRow{
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/alerts", action: ListAlerts, needs: needRules},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/alerts/{alert}", action: ReadAlert, needs: needRules},
	{method: http.MethodPost, path: "/v1/{subjects}/{id}/alerts/{alert}/acknowledge",
		action: AcknowledgeAlert, needs: needRules},
	{method: http.MethodPost, path: "/v1/{subjects}/{id}/alerts/{alert}/resolve",
		action: ResolveAlert, needs: needRules},
	{method: http.MethodGet, path: "/v1/{subjects}/{id}/rules", action: ListOwnRules, needs: needRules},
	{method: http.MethodPost, path: "/v1/{subjects}/{id}/rules", action: AddOwnRule, needs: needRules},
	{method: http.MethodDelete, path: "/v1/{subjects}/{id}/rules/{rule}",
		action: RemoveOwnRule, needs: needRules},
	{method: http.MethodGet, path: "/v1/alerts/{subjects}", action: ListOpenAlerts, needs: needRules},
	{method: http.MethodGet, path: "/v1/alerts/{subjects}/counts", action: CountAlerts, needs: needRules},
	{method: http.MethodGet, path: "/v1/rules/{subjects}", action: ListRules, needs: needRules},
	{method: http.MethodPost, path: "/v1/rules/{subjects}", action: AddRule, needs: needRules},
	{method: http.MethodDelete, path: "/v1/rules/{subjects}/{rule}", action: RemoveRule, needs: needRules},
}

// serviceRoutes are about no kind and no subject type.
var serviceRoutes = []routeRow{
	{method: http.MethodGet, path: PathAPI, action: ReadAPI},
	{method: http.MethodGet, path: PathHealth, action: ReadHealth},
	{method: http.MethodGet, path: PathRelease, action: ReadRelease},
}

// routeRows returns all rows, in order of declaration.
func routeRows() []routeRow {
	return slices.Concat(kindRoutes, summaryRoutes, lifecycleRoutes, alertRoutes, serviceRoutes)
}
