package main

import (
	"net/http"

	"github.com/tidemark-db/tidemark/internal/httpapi"
)

// writes has the operation of each action that another function serves.
var writes = map[httpapi.Action]operation{
	httpapi.Append: {
		summary: "Append one observation, or many",
		description: "The response to one observation is its outcome; to several (an array, or NDJSON) a list of outcomes in the same order. " +
			"The outcome says what happened to an observation, not the status code. " +
			"The body may be compressed with gzip (Content-Encoding). If some outcomes are unknown, the status is 503 and the body is the same list.",
		repeatNote: "Repeating the request is always safe.",
		params:     httpapi.AppendParameters, result: "AppendResults", body: "Observations",
		problems: with(bodyProblems, httpapi.ProblemRejected, httpapi.ProblemInternal, httpapi.ProblemForeign),
	},
	httpapi.CorrectEvent:     correctEvent,
	httpapi.CorrectEventByID: correctEvent,
	httpapi.DeleteEvent:      deleteEvent,
	httpapi.DeleteEventByID:  deleteEvent,
	httpapi.CreateSubject: {
		summary: "Register a subject",
		result:  "ChangeResult", body: "ProfileFields", status: http.StatusCreated, exampleState: stateNew,
		problems: with(changeProblems, with(bodyProblems, httpapi.ProblemProfile, httpapi.ProblemExists, httpapi.ProblemDeleted, httpapi.ProblemNotUnique)...),
	},
	httpapi.UpdateSubject: {
		summary:     "Change fields of a profile; null removes one",
		description: "With If-Match (an entity tag, or a version), the change is made only if the profile has this version.",
		result:      "ChangeResult", body: "ProfileFields", exampleState: stateRegistered,
		problems: with(changeProblems, with(bodyProblems, httpapi.ProblemProfile, httpapi.ProblemNoSubject, httpapi.ProblemVersion, httpapi.ProblemNotUnique)...),
	},
	httpapi.DeleteSubject: {
		summary:     "Delete a subject; it can be restored for the time that its type declares",
		description: "Its events and rollups are kept. With If-Match, it is deleted only if the profile has this version.",
		params:      []string{"forever"}, result: "ChangeResult", exampleState: stateRegistered,
		problems: with(changeProblems, httpapi.ProblemNoSubject, httpapi.ProblemDeleted, httpapi.ProblemVersion),
	},
	httpapi.RestoreSubject: {
		summary: "Restore a deleted subject",
		result:  "ChangeResult", exampleState: stateDeleted,
		problems: with(changeProblems, httpapi.ProblemExists, httpapi.ProblemNoSubject, httpapi.ProblemVersion, httpapi.ProblemNotUnique),
	},
	httpapi.PurgeSubject: {
		summary:     "Permanently remove all data of a subject",
		description: "The purge begins within a minute of its due time, which graceHours delays. With dryRun, items are only counted and the status is 200.",
		params:      []string{"dryRun", "graceHours"}, result: "Purge", status: http.StatusAccepted, exampleState: stateNew,
		problems: purgeProblems,
	},
	httpapi.CallOffPurge: {
		summary: "Cancel a purge that has not begun",
		result:  "Purge", exampleState: statePurging,
		problems: with(purgeProblems, httpapi.ProblemNoPurge, httpapi.ProblemPurgeStarted),
	},
	httpapi.AcknowledgeAlert: {
		summary:     "Acknowledge an alert",
		description: "The first acknowledgement is recorded, with its caller and time.",
		result:      "Alert", exampleState: stateAlerting,
		problems: []httpapi.ProblemType{httpapi.ProblemForeign, httpapi.ProblemUnavailable, httpapi.ProblemNoAlert},
	},
	httpapi.ResolveAlert: {
		summary:     "Resolve an alert manually",
		description: "The rule raises no other alert until the series has recovered and violated it again.",
		result:      "Alert", exampleState: stateAlerting,
		problems: []httpapi.ProblemType{httpapi.ProblemForeign, httpapi.ProblemUnavailable, httpapi.ProblemNoAlert},
	},
	httpapi.AddRule: {
		summary: "Add an alert rule for all subjects of a type",
		description: "The events of the last hour are tested at once, and new events from now on. A different rule of the same name is replaced: the new rule is its next revision, " +
			"and the open alerts of the old revision end.",
		result: "Rule", body: "NewRule",
		problems: with(bodyProblems, httpapi.ProblemRule, httpapi.ProblemForeign, httpapi.ProblemUnavailable),
	},
	httpapi.RemoveRule: {
		summary:  "Remove a rule of a subject type; its open alerts end",
		result:   "Rule",
		problems: []httpapi.ProblemType{httpapi.ProblemForeign, httpapi.ProblemUnavailable, httpapi.ProblemNoRule},
	},
	httpapi.AddOwnRule: {
		summary:     "Add an alert rule for one subject",
		description: "The rules of its type still apply. A different rule of the same name is replaced.",
		result:      "Rule", body: "NewRule", exampleState: stateAlerting,
		problems: with(bodyProblems, httpapi.ProblemRule, httpapi.ProblemForeign, httpapi.ProblemUnavailable),
	},
	httpapi.RemoveOwnRule: {
		summary: "Remove a rule of one subject; its open alerts end",
		result:  "Rule", exampleState: stateAlerting,
		problems: []httpapi.ProblemType{httpapi.ProblemForeign, httpapi.ProblemUnavailable, httpapi.ProblemNoRule},
	},
}

// The edits of an event are the same with and without an id.
var (
	correctEvent = operation{
		summary: "Replace the fields of a stored event",
		description: "The body has all fields of the event, without subject, time, stream and id. The rollups are recomputed; the latest item does not change. " +
			"With If-Match (an entity tag), the event is changed only if it still has the fields that were read.",
		repeatNote: "Repeating the request is always safe.",
		params:     []string{"stream", "strict"}, result: "EditResult", body: "Fields",
		problems: with(editProblems, with(bodyProblems, httpapi.ProblemRejected)...),
	}
	deleteEvent = operation{
		summary:     "Delete a stored event",
		description: "The rollups are recomputed without it; the latest item does not change. With If-Match, the event is deleted only if it still has the fields that were read.",
		params:      []string{"stream"}, result: "EditResult",
		problems: editProblems,
	}
)

// editProblems are the problems of every edit of an event.
var editProblems = []httpapi.ProblemType{
	httpapi.ProblemQuery, httpapi.ProblemUnknownParameter, httpapi.ProblemRepeatedParameter, httpapi.ProblemBoolean,
	httpapi.ProblemForeign, httpapi.ProblemNotFound, httpapi.ProblemNoEvent, httpapi.ProblemEventChanged, httpapi.ProblemUnavailable,
}
