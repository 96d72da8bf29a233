package main

import "github.com/tidemark-db/tidemark/internal/api/httpapi"

// alertOperations are about alerts and their rules.
var alertOperations = map[httpapi.Action]operation{
	httpapi.AcknowledgeAlert: {
		Summary:      "Acknowledge an alert",
		Description:  "The first acknowledgement is recorded, with its caller and time.",
		ExampleState: "alerting",
		Result:       "Alert",
		Problems: []httpapi.ProblemType{
			httpapi.ProblemForeign, httpapi.ProblemUnavailable, httpapi.ProblemNoAlert,
		},
	},
	httpapi.AddOwnRule: {
		Summary:       "Add an alert rule for one subject",
		Description:   "The rules of its type still apply. A different rule of the same name is replaced.",
		ExampleState:  "alerting",
		Body:          "NewRule",
		Result:        "Rule",
		ProblemGroups: [][]httpapi.ProblemType{bodyProblems},
		Problems: []httpapi.ProblemType{
			httpapi.ProblemRule, httpapi.ProblemForeign, httpapi.ProblemUnavailable,
		},
	},
	httpapi.AddRule: {
		Summary: "Add an alert rule for all subjects of a type",
		Description: "The events of the last hour are tested at once, and new events from now on. A " +
			"different rule of the same name is replaced: the new rule is its next revision, and " +
			"the open alerts of the old revision end.",
		Body:          "NewRule",
		Result:        "Rule",
		ProblemGroups: [][]httpapi.ProblemType{bodyProblems},
		Problems: []httpapi.ProblemType{
			httpapi.ProblemRule, httpapi.ProblemForeign, httpapi.ProblemUnavailable,
		},
	},
	httpapi.ReadAlert: {
		Summary:      "One alert",
		ExampleState: "alerting",
		Result:       "Alert",
		Problems:     []httpapi.ProblemType{problemBadSeries, httpapi.ProblemNoAlert},
	},
	httpapi.ListAlerts: {
		Summary: "Alerts of a subject, newest first",
		Description: "Ordered by the time of the event that raised them. Alerts that are no longer open " +
			"are kept until they expire.",
		Parameters:    []string{"open", "severity", "limit", "cursor"},
		ExampleState:  "alerting",
		Result:        "Alerts",
		List:          true,
		ProblemGroups: [][]httpapi.ProblemType{seriesProblems},
		Problems: []httpapi.ProblemType{
			problemBadLimit, problemUnknownSeverity, problemForgedCursor, problemForeignCursor,
		},
	},
	httpapi.ListOpenAlerts: {
		Summary: "Open alerts of all subjects, most severe first",
		Description: "Of one severity the newest come first. A page has alerts of one severity. Read from " +
			"an index, which is eventually consistent.",
		Parameters: []string{"severity", "limit", "cursor"},
		Result:     "Alerts",
		List:       true,
		Problems: []httpapi.ProblemType{
			problemBadLimit, problemUnknownSeverity, problemForgedCursor, problemForeignCursor,
		},
	},
	httpapi.CountAlerts: {
		Summary: "Numbers of alerts of each subject of a type, the most alerts first",
		Description: "Alerts that were raised in the range, by severity, but for withdrawn ones. The range " +
			"begins 90 days ago at the earliest: older alerts may have expired. Subjects without alerts " +
			"are not listed. A page reads the alerts of limit subjects, 500 at most: put the pages " +
			"together. atLeast says that a subject had more than 10,000.",
		Parameters:   []string{"from", "to", "last", "severity", "limit", "cursor"},
		ExampleState: "alerting",
		Result:       "AlertCounts",
		List:         true,
		Problems: []httpapi.ProblemType{
			problemBadTime, problemBadSpan, problemInvertedRange, problemUnknownSeverity, problemBadLimit,
			problemForgedCursor, problemForeignCursor,
		},
	},
	httpapi.ListOwnRules: {
		Summary:      "The alert rules of one subject",
		Description:  "The rules of its type also apply to it, and are not listed.",
		ExampleState: "alerting",
		Result:       "Rules",
		Problems:     []httpapi.ProblemType{problemBadSeries},
	},
	httpapi.RemoveOwnRule: {
		Summary:      "Remove a rule of one subject; its open alerts end",
		ExampleState: "alerting",
		Result:       "Rule",
		Problems: []httpapi.ProblemType{
			httpapi.ProblemForeign, httpapi.ProblemUnavailable, httpapi.ProblemNoRule,
		},
	},
	httpapi.RemoveRule: {
		Summary: "Remove a rule of a subject type; its open alerts end",
		Result:  "Rule",
		Problems: []httpapi.ProblemType{
			httpapi.ProblemForeign, httpapi.ProblemUnavailable, httpapi.ProblemNoRule,
		},
	},
	httpapi.ResolveAlert: {
		Summary:      "Resolve an alert manually",
		Description:  "The rule raises no other alert until the series has recovered and violated it again.",
		ExampleState: "alerting",
		Result:       "Alert",
		Problems: []httpapi.ProblemType{
			httpapi.ProblemForeign, httpapi.ProblemUnavailable, httpapi.ProblemNoAlert,
		},
	},
	httpapi.ListRules: {
		Summary: "The alert rules for all subjects of a type",
		Result:  "Rules",
	},
}

// serviceOperations are about the service itself.
var serviceOperations = map[httpapi.Action]operation{
	httpapi.ReadHealth: {
		Summary: "Whether the service and its table respond",
		Description: "Each bucket that ended by completeThrough is a row, with each event that was stored before " +
			"it closed; reads fold later buckets themselves. Other changes that were stored by " +
			"processedThrough are in the rollups, except in unprocessed. Costs about two read units.",
		Result: "Health",
	},
	httpapi.ReadAPI: {
		Summary: "The OpenAPI description of the API",
		Result:  "OpenAPI",
	},
	httpapi.ReadRelease: {
		Summary: "The release of the service",
		Result:  "Release",
	},
}
