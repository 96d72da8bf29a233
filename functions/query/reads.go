package main

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// reads has the function of each action that this function serves. operations describes the actions.
var reads = map[httpapi.Action]func(h *Handler, ctx context.Context, res resource, args params) (any, error){
	httpapi.ReadHistory:    (*Handler).history,
	httpapi.ReadCount:      (*Handler).count,
	httpapi.ReadLatest:     (*Handler).latest,
	httpapi.ReadEvent:      (*Handler).event,
	httpapi.ReadEventByID:  (*Handler).event,
	httpapi.ReadRollups:    (*Handler).rollups,
	httpapi.ReadChart:      (*Handler).chart,
	httpapi.ReadAllChart:   (*Handler).chart,
	httpapi.ReadAllRollups: (*Handler).rollups,
	httpapi.ReadTotal:      (*Handler).total,
	httpapi.ReadAllTotal:   (*Handler).total,
	httpapi.ReadTop:        (*Handler).top,
	httpapi.ReadAllTop:     (*Handler).top,
	httpapi.ReadMembers:    (*Handler).members,
	httpapi.VerifyBucket:   (*Handler).verify,
	httpapi.ReadByIndex:    (*Handler).indexQuery,
	httpapi.ReadLatestBy:   (*Handler).latestBy,
	httpapi.ReadProfile:    (*Handler).profile,
	httpapi.ListSubjects:   (*Handler).subjects,
	httpapi.ReadSeries:     (*Handler).series,
	httpapi.ListSilent:     (*Handler).silent,
	httpapi.CountSilent:    (*Handler).countSilent,
	httpapi.ReadIncreases:  (*Handler).increases,
	httpapi.ReadDeleted:    (*Handler).deleted,
	httpapi.ReadVersions:   (*Handler).versions,
	httpapi.ReadVersion:    (*Handler).version,
	httpapi.CheckPurge:     (*Handler).purge,
	httpapi.ListAlerts:     (*Handler).alerts,
	httpapi.ListOpenAlerts: (*Handler).openAlerts,
	httpapi.CountAlerts:    (*Handler).countAlerts,
	httpapi.ReadAlert:      (*Handler).alert,
	httpapi.ListRules:      (*Handler).rules,
	httpapi.ListOwnRules:   (*Handler).rules,
	httpapi.ReadAPI:        (*Handler).describeAPI,
	httpapi.ReadHealth:     (*Handler).health,
	httpapi.ReadRelease:    (*Handler).release,
}
