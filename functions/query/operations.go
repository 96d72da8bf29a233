package main

import (
	"net/http"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

const aboutChart = "The finest tier that still exists for the whole range and gives at most so many points, and the reason for it. " +
	"The range is widened to whole buckets; without one, it is the last 30 days. There are no pages."

// reads are the operations that this function answers, a row an action.
var reads = map[catalog.Action]operation{
	catalog.ReadHistory: {
		summary: "Events of a series in a range, newest first",
		params:  with(pagingParams, "where", "fields"), answer: (*Handler).history,
		result: "History", list: true, problems: with(ofPages, problemWhere),
	},
	catalog.ReadCount: {
		summary: "How many events a range of a series holds",
		about:   "It reads all of them, for the cost of that: a year of rollups says the same for less.",
		params:  []string{"from", "to", "where", "stream", "consistent"}, answer: (*Handler).count,
		result: "Count", problems: with(ofSeries, problemTime, problemRange, problemWhere),
	},
	catalog.ReadCurrent: {
		summary: "The latest state of a series",
		about:   "The fields of its newest event, and what other writers keep beside them. It never expires.",
		params:  []string{"stream", "consistent"}, answer: (*Handler).current,
		result: "Event", list: true, problems: with(ofSeries, problemNothingYet),
	},
	catalog.ReadRollups: {
		summary: "Rollups of a tier, oldest first",
		about:   "Buckets that start in the range. A bucket without events has no rollup.",
		params:  rollupParams, answer: (*Handler).rollups,
		result: "Rollups", list: true, problems: with(ofBuckets, problemWide),
	},
	catalog.ReadChart: {
		summary: "Rollups of a range in the tier that suits it",
		about:   aboutChart,
		params:  chartParams, answer: (*Handler).chart,
		result: "Chart", list: true, problems: ofCharts,
	},
	catalog.ReadAllChart: {
		summary: "Rollups of all kinds of a subject together, in the tier that suits the range",
		about:   aboutChart,
		params:  chartParams, answer: (*Handler).chart,
		result: "Chart", list: true, problems: ofCharts,
	},
	catalog.ReadAllRollups: {
		summary: "Rollups of all kinds of a subject together, oldest first",
		about:   "Each bucket merges what the kinds say: averages and percentiles are those of all events together, distinct values count once.",
		params:  rollupParams, answer: (*Handler).rollups,
		result: "Rollups", list: true, problems: with(ofBuckets, problemWide),
	},
	catalog.ReadTop: {
		summary: "The most frequent values of a dimension over a range",
		params:  topParams, answer: (*Handler).top,
		result: "Top", list: true, problems: with(ofBuckets, problemDimension, problemTooMany, problemWide),
	},
	catalog.ReadAllTop: {
		summary: "The most frequent values of a dimension, over all kinds of a subject",
		params:  topParams, answer: (*Handler).top,
		result: "Top", list: true, problems: with(ofBuckets, problemDimension, problemTooMany, problemWide),
	},
	catalog.ReadByValue: {
		summary: "Events of any subject that have a value of the field they are indexed by, newest first",
		about:   "Read from an index, which may be some moments behind.",
		params:  []string{"from", "to", "order", "limit", "cursor"}, answer: (*Handler).byValue,
		result: "ByValue", list: true, problems: with(ofPages, problemIndex),
	},
	catalog.ReadProfile: {
		summary: "What is known of a subject as a whole",
		about:   "Its entity tag begins with its version: send it back as If-Match with a change, and the change is made only where nobody was faster.",
		params:  []string{"consistent"}, answer: (*Handler).profile,
		result: "Profile", problems: with(ofSeries, problemNoProfile), stands: registered,
	},
	catalog.ListSubjects: {
		summary: "Subjects that have a value of an indexed field, or that were deleted",
		about:   "Say field and value, or deleted=true.",
		example: "deleted=true",
		params:  []string{"field", "value", "deleted", "limit", "cursor"}, answer: (*Handler).subjects,
		result: "Subjects", list: true,
		problems: []envelope.ProblemType{problemList, problemLimit, envelope.ProblemBoolean, problemCursor, problemForeign},
	},
	catalog.ReadDeleted: {
		summary: "A deleted subject, as it was",
		answer:  (*Handler).deleted, result: "Profile",
		problems: []envelope.ProblemType{problemSeries, envelope.ProblemNoSubject}, stands: binned,
	},
	catalog.ReadVersions: {
		summary: "What a subject's profile was, newest version first",
		params:  []string{"before", "limit"}, answer: (*Handler).versions,
		result: "Versions", list: true, problems: []envelope.ProblemType{problemSeries, problemLimit}, stands: registered,
	},
	catalog.ReadVersion: {
		summary: "One version of a subject's profile",
		answer:  (*Handler).version, result: "Profile",
		problems: []envelope.ProblemType{problemSeries, envelope.ProblemNoSubject}, stands: registered,
	},
	catalog.CheckPurge: {
		summary: "How far the purge of a subject is",
		answer:  (*Handler).purge, result: "Purge",
		problems: []envelope.ProblemType{problemSeries, envelope.ProblemNoPurge}, stands: leaving,
	},
	catalog.ListAlerts: {
		summary: "Alerts of a subject, newest first",
		about:   "Newest by the events that raised them. One that is not open any more is kept for a while.",
		params:  []string{"open", "severity", "limit", "cursor"}, answer: (*Handler).alerts,
		result: "Alerts", list: true,
		problems: []envelope.ProblemType{problemSeries, problemLimit, envelope.ProblemBoolean, problemSeverity, problemCursor, problemForeign}, stands: alerting,
	},
	catalog.ListOpenAlerts: {
		summary: "Open alerts of a severity over all subjects, newest first",
		about:   "Critical ones, where no severity is named. Read from an index, which may be some moments behind.",
		params:  []string{"severity", "limit", "cursor"}, answer: (*Handler).allAlerts,
		result: "Alerts", list: true,
		problems: []envelope.ProblemType{problemLimit, problemSeverity, problemCursor, problemForeign},
	},
	catalog.ReadAlert: {
		summary: "One alert",
		answer:  (*Handler).alert, result: "Alert",
		problems: []envelope.ProblemType{problemSeries, envelope.ProblemNoAlert}, stands: alerting,
	},
	catalog.ListRules: {
		summary: "The alert rules that stand for all subjects of a type",
		answer:  (*Handler).rules, result: "Rules",
	},
	catalog.ListOwnRules: {
		summary: "The alert rules of one subject alone",
		about:   "Those of its type hold for it too, and are not among them.",
		answer:  (*Handler).rules, result: "Rules",
		problems: []envelope.ProblemType{problemSeries}, stands: alerting,
	},
	catalog.ReadAPI: {
		summary: "This description of the API",
		answer:  (*Handler).describeAPI, result: "OpenAPI",
	},
	catalog.ReadHealth: {
		summary: "Whether the service and its table answer",
		about:   "It costs half a read unit.",
		answer:  (*Handler).health, result: "Health",
	},
	catalog.ReadRelease: {
		summary: "Which release this is",
		answer:  (*Handler).release, result: "Release",
	},
}

// writes are the operations that other functions answer.
var writes = map[catalog.Action]operation{
	catalog.Append: {
		summary: "Take in an observation, or many",
		about: "One observation answers its outcome, several (an array, or NDJSON) a list of outcomes in order. " +
			"What became of an observation is its verdict, not a status. " +
			"A body may be gzip (Content-Encoding). A failure midway answers 503 with the list, what is unsettled as unknown.",
		again:  "Sending again is always safe.",
		result: "Outcomes", body: "Observations",
		problems: with(takingProblems, envelope.ProblemRejected, envelope.ProblemInternal, envelope.ProblemForeign),
	},
	catalog.CreateSubject: {
		summary: "Register a subject",
		result:  "Changed", body: "Fields", status: http.StatusCreated, stands: newcomer,
		problems: with(changeProblems, with(takingProblems, envelope.ProblemProfile, envelope.ProblemExists, envelope.ProblemInBin, envelope.ProblemTaken)...),
	},
	catalog.UpdateSubject: {
		summary: "Change fields of a profile; null removes one",
		about:   "With If-Match (an entity tag, or a version) only where the version is still that one.",
		result:  "Changed", body: "Fields", stands: registered,
		problems: with(changeProblems, with(takingProblems, envelope.ProblemProfile, envelope.ProblemNoSubject, envelope.ProblemVersion, envelope.ProblemTaken)...),
	},
	catalog.DeleteSubject: {
		summary: "Delete a subject, to be restored for as long as its type declares",
		about:   "Its events and rollups stay. With If-Match only where the version is still that one.",
		params:  []string{"forever"}, result: "Changed", stands: registered,
		problems: with(changeProblems, envelope.ProblemNoSubject, envelope.ProblemInBin, envelope.ProblemVersion),
	},
	catalog.RestoreSubject: {
		summary: "Restore a deleted subject",
		result:  "Changed", stands: binned,
		problems: with(changeProblems, envelope.ProblemExists, envelope.ProblemNoSubject, envelope.ProblemVersion, envelope.ProblemTaken),
	},
	catalog.PurgeSubject: {
		summary: "Have everything of a subject removed for good",
		about:   "Begun within a minute of its due time, which graceHours puts off. dryRun only counts, and answers 200.",
		params:  []string{"dryRun", "graceHours"}, result: "Purge", status: http.StatusAccepted, stands: newcomer,
		problems: purgeProblems,
	},
	catalog.CallOffPurge: {
		summary: "Call a purge off that has not begun",
		result:  "Purge", stands: leaving,
		problems: with(purgeProblems, envelope.ProblemNoPurge, envelope.ProblemUnderWay),
	},
	catalog.AcknowledgeAlert: {
		summary: "Say that an alert was seen",
		about:   "The first who says so is noted, with the time.",
		result:  "Alert", stands: alerting,
		problems: []envelope.ProblemType{envelope.ProblemForeign, envelope.ProblemUnavailable, envelope.ProblemNoAlert},
	},
	catalog.ResolveAlert: {
		summary: "Close an alert by hand",
		about:   "No other is raised until the series has recovered and violated the rule again.",
		result:  "Alert", stands: alerting,
		problems: []envelope.ProblemType{envelope.ProblemForeign, envelope.ProblemUnavailable, envelope.ProblemNoAlert},
	},
	catalog.AddRule: {
		summary: "Have events of all subjects of a type tested from now on",
		about: "A rule of the same name that tests something else is replaced: the new one is its next revision, " +
			"and the alerts that the old one leaves open end.",
		result: "Rule", body: "RuleDraft",
		problems: with(takingProblems, envelope.ProblemRule, envelope.ProblemForeign, envelope.ProblemUnavailable),
	},
	catalog.RemoveRule: {
		summary:  "Remove a rule of a subject type; its open alerts end",
		result:   "Rule",
		problems: []envelope.ProblemType{envelope.ProblemForeign, envelope.ProblemUnavailable, envelope.ProblemNoRule},
	},
	catalog.AddOwnRule: {
		summary: "Have events of one subject tested from now on",
		about:   "Beside the rules of its type. A rule of the same name that tests something else is replaced.",
		result:  "Rule", body: "RuleDraft", stands: alerting,
		problems: with(takingProblems, envelope.ProblemRule, envelope.ProblemForeign, envelope.ProblemUnavailable),
	},
	catalog.RemoveOwnRule: {
		summary: "Remove a rule of one subject; its open alerts end",
		result:  "Rule", stands: alerting,
		problems: []envelope.ProblemType{envelope.ProblemForeign, envelope.ProblemUnavailable, envelope.ProblemNoRule},
	},
}
