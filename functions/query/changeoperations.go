package main

import (
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// changeOperations change events, profiles and purges, and read profiles.
var changeOperations = map[httpapi.Action]operation{
	httpapi.CallOffPurge: {
		Summary:       "Cancel a purge that has not begun",
		ExampleState:  "leaving",
		Conditional:   true,
		Result:        "Purge",
		ProblemGroups: [][]httpapi.ProblemType{purgeProblems},
		Problems:      []httpapi.ProblemType{httpapi.ProblemNoPurge, httpapi.ProblemPurgeStarted},
	},
	httpapi.CheckPurge: {
		Summary:      "The progress of the purge of a subject",
		ExampleState: "leaving",
		Result:       "Purge",
		Problems:     []httpapi.ProblemType{problemBadSeries, httpapi.ProblemNoPurge},
	},
	httpapi.CorrectEvent: {
		Summary: "Replace the fields of a stored event",
		Description: "The body has all fields of the event, without subject, time, stream and id. The " +
			"rollups are recomputed, and the latest item follows. With If-Match (an entity " +
			"tag), the event is changed only if it still has the fields that were read.",
		RepeatNote:    "Repeating the request is always safe.",
		Parameters:    []string{"stream", "strict"},
		Body:          "Fields",
		Conditional:   true,
		Result:        "EditResult",
		ProblemGroups: [][]httpapi.ProblemType{editProblems, bodyProblems},
		Problems:      []httpapi.ProblemType{httpapi.ProblemRejected},
	},
	httpapi.CorrectEventByID: {
		Like: httpapi.CorrectEvent,
	},
	httpapi.CreateSubject: {
		Summary:       "Register a subject",
		ExampleState:  "new",
		Body:          "ProfileFields",
		Status:        http.StatusCreated,
		Result:        "ChangeResult",
		ProblemGroups: [][]httpapi.ProblemType{changeProblems, bodyProblems},
		Problems: []httpapi.ProblemType{
			httpapi.ProblemProfile, httpapi.ProblemExists, httpapi.ProblemDeleted, httpapi.ProblemNotUnique,
		},
	},
	httpapi.DeleteSubject: {
		Summary: "Delete a subject; it can be restored for the time that its type declares",
		Description: "Its events and rollups are kept. With If-Match, it is deleted only if the profile " +
			"has this version.",
		Parameters:    []string{"forever"},
		ExampleState:  "02",
		Conditional:   true,
		Result:        "ChangeResult",
		ProblemGroups: [][]httpapi.ProblemType{changeProblems},
		Problems: []httpapi.ProblemType{
			httpapi.ProblemNoSubject, httpapi.ProblemDeleted, httpapi.ProblemVersion,
		},
	},
	httpapi.DeleteEvent: {
		Summary: "Delete a stored event",
		Description: "The rollups are recomputed without it, and the latest item follows. With " +
			"If-Match, the event is deleted only if it still has the fields that were read.",
		Parameters:    []string{"stream"},
		Conditional:   true,
		Result:        "EditResult",
		ProblemGroups: [][]httpapi.ProblemType{editProblems},
	},
	httpapi.DeleteEventByID: {
		Like: httpapi.DeleteEvent,
	},
	httpapi.ReadDeleted: {
		Summary:      "The profile of a deleted subject",
		ExampleState: "deleted",
		Result:       "Profile",
		Problems:     []httpapi.ProblemType{problemBadSeries, httpapi.ProblemNoSubject},
	},
	httpapi.ReadProfile: {
		Summary: "The profile of a subject",
		Description: "Its entity tag begins with its version. Send it as If-Match with a change, and the " +
			"change is made only if the profile still has this version.",
		Parameters:    []string{"consistent"},
		ExampleState:  "02",
		Result:        "Profile",
		ProblemGroups: [][]httpapi.ProblemType{seriesProblems},
		Problems:      []httpapi.ProblemType{problemNoProfile},
	},
	httpapi.PurgeSubject: {
		Summary: "Permanently remove all data of a subject",
		Description: "The purge begins within a minute of its due time, which graceHours delays. With " +
			"dryRun, items are only counted and the status is 200. With eventsWhere, only some events are " +
			"removed, such as the events of one visitor, before the response; its status is 200. With " +
			"rollupsValue, a value is removed from rollups whose events are gone, likewise.",
		Parameters: []string{
			"dryRun", "graceHours", "eventsWhere", "eventsKind", "rollupsValue", "rollupsKind", "cursor",
		},
		ExampleState:  "new",
		Conditional:   true,
		Status:        http.StatusAccepted,
		Result:        "Purge",
		ProblemGroups: [][]httpapi.ProblemType{purgeProblems},
		Problems:      []httpapi.ProblemType{httpapi.ProblemValueStored},
	},
	httpapi.RestoreSubject: {
		Summary:       "Restore a deleted subject",
		ExampleState:  "deleted",
		Conditional:   true,
		Result:        "ChangeResult",
		ProblemGroups: [][]httpapi.ProblemType{changeProblems},
		Problems: []httpapi.ProblemType{
			httpapi.ProblemExists, httpapi.ProblemNoSubject, httpapi.ProblemVersion,
			httpapi.ProblemNotUnique,
		},
	},
	httpapi.ReadSeries: {
		Summary: "The series of a subject: its kinds, streams and measures",
		Description: "The times are the beginnings of the hours of the earliest and the newest event, or " +
			"of the days if hours are immediate.",
		Result:   "SubjectSeries",
		List:     true,
		Problems: []httpapi.ProblemType{problemBadSeries, httpapi.ProblemNoSubject},
	},
	httpapi.ListSilent: {
		Summary: "Subjects of a type that are silent",
		Description: "Subjects without an event of the span before processedThrough, in no particular " +
			"order: a change that is not processed yet makes no subject silent. neverSent is of subjects " +
			"with a profile, or with events of other kinds, that never had one. Reads the list of series, " +
			"and the newest event of each subject that its hour leaves open.",
		Parameters: []string{"for", "kind", "limit", "cursor"},
		Result:     "Silent",
		List:       true,
		Problems: []httpapi.ProblemType{
			problemBadSpan, problemUnknownKind, problemBadLimit, problemForgedCursor, problemForeignCursor,
		},
	},
	httpapi.CountSilent: {
		Summary: "Numbers of silent members by group, and of all members",
		Description: "How many subjects without an event of the span before processedThrough each group has, " +
			"by the latest value of the field that groups are by, and by the profile of now if they are by its " +
			"fields. withoutGroup never had an event of the groups' kind, or none with the field; of " +
			"unknownGroup no event is stored any more. With members=true, groups have the number of all " +
			"their members, too. A page counts up to 2,000 subjects: add up the pages. Reads what the list of " +
			"silent subjects reads, and with members the newest event of each subject.",
		Parameters: []string{"for", "kind", "members", "cursor"},
		Result:     "SilentCounts",
		List:       true,
		Problems: []httpapi.ProblemType{
			problemBadSpan, problemUnknownKind, httpapi.ProblemBoolean, problemForgedCursor,
			problemForeignCursor,
		},
	},
	httpapi.ReadIncreases: {
		Summary: "What a counter of the members of each group has counted",
		Description: "The increase over the steps that end in the buckets of the finest tier that start in " +
			"the range, through the last one that has closed. It belongs to the group in which the " +
			"readings of the bucket count: withoutGroup is of readings in no group, unknownGroup of " +
			"buckets with readings of several, or from before there were groups. With group, only this " +
			"group and its members, the greatest increase first. Only readings without a stream, unless " +
			"stream names some. A page reads the rows of up to 500 members: add up the pages, and request " +
			"them with from and to of the first.",
		Parameters: []string{"from", "to", "last", "group", "cursor", "stream", "consistent"},
		Result:     "Increases",
		List:       true,
		Problems: []httpapi.ProblemType{
			problemBadTime, problemBadSpan, problemInvertedRange, problemNoMembers, problemNoCounter,
			problemForgedCursor, problemForeignCursor,
		},
	},
	httpapi.ListSubjects: {
		Summary: "Subjects of a type",
		Description: "All subjects that ever had an event or that have a profile, with their series; limit " +
			"counts series. With field and value, or deleted=true: the profiles that have a value " +
			"of an indexed field, or that were deleted. An index of several fields needs a value after each, " +
			"as field=accountId&value=acme&field=status&value=active. If it has sort fields, they order the " +
			"list, and valueFrom and valueTo are bounds of the first.",
		Parameters: []string{"field", "value", "valueFrom", "valueTo", "descending", "deleted", "limit", "cursor"},
		Result:     "Subjects",
		List:       true,
		Problems: []httpapi.ProblemType{
			problemNoSuchList, problemBadCondition, problemBadLimit, httpapi.ProblemBoolean, problemForgedCursor,
			problemForeignCursor,
		},
	},
	httpapi.UpdateSubject: {
		Summary: "Change fields of a profile; null removes one",
		Description: "With If-Match (an entity tag, or a version), the change is made only if the profile " +
			"has this version.",
		ExampleState:  "02",
		Body:          "ProfileFields",
		Conditional:   true,
		Result:        "ChangeResult",
		ProblemGroups: [][]httpapi.ProblemType{changeProblems, bodyProblems},
		Problems: []httpapi.ProblemType{
			httpapi.ProblemProfile, httpapi.ProblemNoSubject, httpapi.ProblemVersion,
			httpapi.ProblemNotUnique,
		},
	},
	httpapi.ReadVersion: {
		Summary:      "One version of a subject's profile",
		ExampleState: "02",
		Result:       "Profile",
		Problems:     []httpapi.ProblemType{problemBadSeries, httpapi.ProblemNoSubject},
	},
	httpapi.ReadVersions: {
		Summary:      "The versions of a subject's profile, newest first",
		Parameters:   []string{"before", "limit"},
		ExampleState: "02",
		Result:       "Versions",
		List:         true,
		Problems:     []httpapi.ProblemType{problemBadSeries, problemBadLimit},
	},
}
