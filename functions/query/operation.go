package main

import (
	"cmp"
	"maps"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// operation describes one action of the API, for every kind or subject. The OpenAPI description is
// made from these, which include the routes that other functions serve.
type operation struct {
	Like        httpapi.Action // the action that this one equals, but for its summary
	Summary     string
	Description string   // in sentences
	Parameters  []string // of the query string, by name: openapi.json describes them
	Result      string   // schema of the response
	List        bool     // NDJSON and CSV are available too
	// The problems that this action has, in addition to readProblems if it is a read.
	ProblemGroups [][]httpapi.ProblemType
	Problems      []httpapi.ProblemType
	// ExampleState is the suffix of the id of the example subject, by the state that it must have:
	// new (not created), 02 (it has a profile), deleted, leaving (a purge is requested and has not
	// begun) or alerting (it has alerts, and its own rule).
	ExampleState string

	// For writes.
	Status      int    // of a success; 0 means 200
	Body        string // schema of the body; "" means no body
	Conditional bool   // accepts If-Match
	RepeatNote  string // appended to Description if repeating the request creates no second event
}

func (o operation) success() int { return cmp.Or(o.Status, http.StatusOK) }

// operations has the row of every action.
var operations = merged(readOperations, changeOperations, alertOperations, serviceOperations)

func merged(all ...map[httpapi.Action]operation) map[httpapi.Action]operation {
	rows := map[httpapi.Action]operation{}
	for _, some := range all {
		maps.Copy(rows, some)
	}
	return rows
}

// findOperation returns the row of an action. Every action has one.
func findOperation(a httpapi.Action) operation {
	row := operations[a]
	if row.Like == "" {
		return row
	}
	like := findOperation(row.Like)
	like.Summary = cmp.Or(row.Summary, like.Summary)
	return like
}

// problems returns the problem types of the action, with the ones of every read if it is a read.
func (o operation) problems(read bool) (all []httpapi.ProblemType) {
	if read {
		all = append(all, readProblems...)
	}
	for _, group := range o.ProblemGroups {
		all = append(all, group...)
	}
	return append(all, o.Problems...)
}
