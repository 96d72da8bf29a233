package main

import "github.com/tidemark-db/tidemark/internal/httpapi"

const chartDescription = "Uses the finest tier that still has the complete range and gives at most the requested number of points, and returns the reason. " +
	"The range is widened to complete buckets; the default is the last 30 days. The response is not paged."

const eventDescription = "Its entity tag begins with the hash of its fields. Send it as If-Match with a correction or deletion, and the event is changed only if it still has these fields."

// eventProblems are the problems of reading one event.
var eventProblems = []httpapi.ProblemType{problemSeries, httpapi.ProblemNoEvent, problemKind}

// reads has the operation of each action that this function serves.
var reads = map[httpapi.Action]operation{
	httpapi.ReadHistory: {
		summary: "Events of a series in a range, newest first",
		params:  with(pagingParams, "where", "fields"), read: (*Handler).history,
		result: "History", list: true, problems: with(pageProblems, problemWhere),
	},
	httpapi.ReadCount: {
		summary:     "The number of events in a range of a series",
		description: "Reads every event in the range, at that cost. Rollups have the same count at a lower cost.",
		params:      []string{"from", "to", "last", "where", "stream", "consistent"}, read: (*Handler).count,
		result: "Count", problems: with(seriesProblems, problemTime, problemLast, problemRange, problemWhere),
	},
	httpapi.ReadLatest: {
		summary:     "The latest state of a series",
		description: "The fields of its newest event, and the fields that other writers added. The latest item never expires.",
		params:      []string{"stream", "consistent"}, read: (*Handler).latest,
		result: "Event", list: true, problems: with(seriesProblems, problemNothingYet),
	},
	httpapi.ReadEvent:     readEvent.titled("One event, by its time"),
	httpapi.ReadEventByID: readEvent.titled("One event, by its time and id"),
	httpapi.ReadRollups: {
		summary:     "Rollups of a tier, oldest first",
		description: "Buckets that start in the range. A bucket without events has no rollup.",
		params:      rollupParams, read: (*Handler).rollups,
		result: "Rollups", list: true, problems: with(bucketProblems, problemTooManySeries, problemZone, problemTooManyBuckets),
	},
	httpapi.ReadChart:    readChart.titled("Rollups of a range in the tier that suits it"),
	httpapi.ReadAllChart: readChart.titled("Rollups of all kinds of a subject, merged, in the tier that suits the range"),
	httpapi.ReadAllRollups: {
		summary:     "Rollups of all kinds of a subject, merged, oldest first",
		description: "Each bucket merges the rollups of the kinds: averages and percentiles are over all events, and a distinct value counts once.",
		params:      rollupParams, read: (*Handler).rollups,
		result: "Rollups", list: true, problems: with(bucketProblems, problemTooManySeries, problemZone, problemTooManyBuckets),
	},
	httpapi.ReadTotal:    readTotal.titled("The summary of any range of a series"),
	httpapi.ReadAllTotal: readTotal.titled("The summary of any range over all kinds of a subject"),
	httpapi.ReadTop:      readTop.titled("The most frequent values of a dimension over a range"),
	httpapi.ReadAllTop:   readTop.titled("The most frequent values of a dimension, over all kinds of a subject"),
	httpapi.ReadByIndex: {
		summary:     "Events of any subject that have a value of the indexed field, newest first",
		description: "Read from an index, which is eventually consistent.",
		params:      []string{"from", "to", "last", "order", "limit", "cursor"}, read: (*Handler).indexQuery,
		result: "IndexedEvents", list: true, problems: with(pageProblems, problemIndex),
	},
	httpapi.ReadLatestBy: {
		summary:     "Latest items of any subject that have given values of the indexed fields",
		description: "In the order of the index's sort fields. Read from an index, which is eventually consistent.",
		params:      []string{"by", "index", "limit", "cursor"}, read: (*Handler).latestBy,
		result: "IndexedEvents", list: true, problems: []httpapi.ProblemType{problemLimit, problemIndex, problemCursor, problemForeignCursor},
	},
	httpapi.ReadProfile: {
		summary:     "The profile of a subject",
		description: "Its entity tag begins with its version. Send it as If-Match with a change, and the change is made only if the profile still has this version.",
		params:      []string{"consistent"}, read: (*Handler).profile,
		result: "Profile", problems: with(seriesProblems, problemNoProfile), exampleState: stateRegistered,
	},
	httpapi.ListSubjects: {
		summary: "Subjects of a type",
		description: "All subjects that ever had an event or that have a profile, with their series; limit counts series. " +
			"With field and value, or deleted=true: the profiles that have a value of an indexed field, or that were deleted.",
		params: []string{"field", "value", "deleted", "limit", "cursor"}, read: (*Handler).subjects,
		result: "Subjects", list: true,
		problems: []httpapi.ProblemType{problemList, problemLimit, httpapi.ProblemBoolean, problemCursor, problemForeignCursor},
	},
	httpapi.ReadSeries: {
		summary:     "The series of a subject: its kinds, streams and measures",
		description: "The times are the beginnings of the hours of the earliest and the newest event, or of the days if hours are immediate.",
		read:        (*Handler).series, result: "ListedSubject", list: true,
		problems: []httpapi.ProblemType{problemSeries, httpapi.ProblemNoSubject},
	},
	httpapi.ReadDeleted: {
		summary: "The profile of a deleted subject",
		read:    (*Handler).deleted, result: "Profile",
		problems: []httpapi.ProblemType{problemSeries, httpapi.ProblemNoSubject}, exampleState: stateDeleted,
	},
	httpapi.ReadVersions: {
		summary: "The versions of a subject's profile, newest first",
		params:  []string{"before", "limit"}, read: (*Handler).versions,
		result: "Versions", list: true, problems: []httpapi.ProblemType{problemSeries, problemLimit}, exampleState: stateRegistered,
	},
	httpapi.ReadVersion: {
		summary: "One version of a subject's profile",
		read:    (*Handler).version, result: "Profile",
		problems: []httpapi.ProblemType{problemSeries, httpapi.ProblemNoSubject}, exampleState: stateRegistered,
	},
	httpapi.CheckPurge: {
		summary: "The progress of the purge of a subject",
		read:    (*Handler).purge, result: "Purge",
		problems: []httpapi.ProblemType{problemSeries, httpapi.ProblemNoPurge}, exampleState: statePurging,
	},
	httpapi.ListAlerts: {
		summary:     "Alerts of a subject, newest first",
		description: "Ordered by the time of the event that raised them. Alerts that are no longer open are kept until they expire.",
		params:      []string{"open", "severity", "limit", "cursor"}, read: (*Handler).alerts,
		result: "Alerts", list: true,
		problems: []httpapi.ProblemType{problemSeries, problemLimit, httpapi.ProblemBoolean, problemSeverity, problemCursor, problemForeignCursor}, exampleState: stateAlerting,
	},
	httpapi.ListOpenAlerts: {
		summary:     "Open alerts of all subjects, most severe first",
		description: "Of one severity the newest come first. A page has alerts of one severity. Read from an index, which is eventually consistent.",
		params:      []string{"severity", "limit", "cursor"}, read: (*Handler).openAlerts,
		result: "Alerts", list: true,
		problems: []httpapi.ProblemType{problemLimit, problemSeverity, problemCursor, problemForeignCursor},
	},
	httpapi.ReadAlert: {
		summary: "One alert",
		read:    (*Handler).alert, result: "Alert",
		problems: []httpapi.ProblemType{problemSeries, httpapi.ProblemNoAlert}, exampleState: stateAlerting,
	},
	httpapi.ListRules: {
		summary: "The alert rules for all subjects of a type",
		read:    (*Handler).rules, result: "Rules",
	},
	httpapi.ListOwnRules: {
		summary:     "The alert rules of one subject",
		description: "The rules of its type also apply to it, and are not listed.",
		read:        (*Handler).rules, result: "Rules",
		problems: []httpapi.ProblemType{problemSeries}, exampleState: stateAlerting,
	},
	httpapi.ReadAPI: {
		summary: "The OpenAPI description of the API",
		read:    (*Handler).describeAPI, result: "OpenAPI",
	},
	httpapi.ReadHealth: {
		summary:     "Whether the service and its table respond",
		description: "completeThrough is the time through which each event is in the rollups and each bucket that ended is a row; reads fold later buckets themselves. Costs about two read units.",
		read:        (*Handler).health, result: "Health",
	},
	httpapi.ReadRelease: {
		summary: "The release of the service",
		read:    (*Handler).release, result: "Release",
	},
}

// Reads of one kind and of all kinds of a subject are the same; so are those of an event with and
// without an id.
var (
	readEvent = operation{
		description: eventDescription,
		params:      []string{"stream"}, read: (*Handler).event,
		result: "Event", list: true, problems: eventProblems,
	}
	readChart = operation{
		description: chartDescription,
		params:      chartParams, read: (*Handler).chart,
		result: "Chart", list: true, problems: chartProblems,
	}
	readTotal = operation{
		description: totalDescription,
		params:      totalParams, read: (*Handler).total,
		result: "Total", list: true, problems: totalProblems,
	}
	readTop = operation{
		params: topParams, read: (*Handler).top,
		result: "Top", list: true, problems: with(bucketProblems, problemDimension, problemTooManyBuckets, problemTooManySeries),
	}
)

// titled returns o with a summary.
func (o operation) titled(summary string) operation {
	o.summary = summary
	return o
}
