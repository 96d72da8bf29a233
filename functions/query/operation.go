package main

import (
	"cmp"
	_ "embed"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/embedded"
	"github.com/tidemark-db/tidemark/internal/httpapi"
)

// operation describes one action of the API, for every kind or subject. The OpenAPI description is
// made from operations.json, which includes the routes that other functions serve.
type operation struct {
	Like        httpapi.Action // the action that this one equals, but for its summary
	Summary     string
	Description string   // in sentences
	Parameters  []string // of the query string, by name: openapi.json describes them
	Result      string   // schema of the response
	List        bool     // NDJSON and CSV are available too
	// Problems are those of this action, in addition to "+read" for reads: the last part of a
	// URI, or a group of them, which begins with a plus sign.
	Problems []string
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

// operations is operations.json.
type operations struct {
	Operations      map[httpapi.Action]operation
	ProblemGroups   map[string][]string
	PathParameters  map[string]schema
	IfMatch         schema
	ResponseHeaders schema
}

//go:embed operations.json
var operationsText []byte

// rows returns operations.json, which is decoded at first use.
var rows = sync.OnceValue(func() operations { return embedded.JSON[operations](operationsText) })

// operationOf returns the row of an action. Every action has one.
func operationOf(a httpapi.Action) operation {
	row := rows().Operations[a]
	if row.Like == "" {
		return row
	}
	like := operationOf(row.Like)
	like.Summary = cmp.Or(row.Summary, like.Summary)
	return like
}

// problemsOf returns the problem types of the names in a row.
func problemsOf(names []string) (all []httpapi.ProblemType) {
	for _, name := range names {
		if group, ok := rows().ProblemGroups[name]; ok {
			all = append(all, problemsOf(group)...)
			continue
		}
		all = append(all, problemNamed(name))
	}
	return all
}

// problemNamed returns the problem type with the last part of its URI. Every name in the program has one.
func problemNamed(name string) httpapi.ProblemType {
	return problemTypes[slices.IndexFunc(problemTypes, func(p httpapi.ProblemType) bool { return strings.TrimPrefix(p.URI, "/problems/") == name })]
}

// problemTypes are all problem types of the API.
var problemTypes = append([]httpapi.ProblemType{
	httpapi.ProblemBody, httpapi.ProblemBoolean, httpapi.ProblemDeleted, httpapi.ProblemEventChanged, httpapi.ProblemExists,
	httpapi.ProblemForeign, httpapi.ProblemGone, httpapi.ProblemInternal, httpapi.ProblemMediaType, httpapi.ProblemMethod,
	httpapi.ProblemNoAlert, httpapi.ProblemNoEvent, httpapi.ProblemNoPurge, httpapi.ProblemNoRule, httpapi.ProblemNoSubject,
	httpapi.ProblemNotAcceptable, httpapi.ProblemNotFound, httpapi.ProblemNotUnique, httpapi.ProblemProfile, httpapi.ProblemPurgeStarted,
	httpapi.ProblemQuery, httpapi.ProblemRejected, httpapi.ProblemRepeatedParameter, httpapi.ProblemRule, httpapi.ProblemTooLarge,
	httpapi.ProblemUnavailable, httpapi.ProblemUnknownParameter, httpapi.ProblemVersion,
}, readProblems...)
