package main

import (
	"context"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/httpapi"
)

// operation describes one action of the API, for every kind or subject. The OpenAPI
// description is made from the rows of reads and writes, including the routes that other
// functions serve.
type operation struct {
	summary     string
	description string   // in sentences
	params      []string // of the query string, see parameters
	// read performs the action; nil if another function serves it.
	read   func(h *Handler, ctx context.Context, res resource, args params) (any, error)
	result string // schema of the response
	list   bool   // NDJSON and CSV are available too
	// problems are those of this action, in addition to readProblems.
	problems []httpapi.ProblemType
	// example is a query string, if the action requires one.
	example string
	// exampleState selects the subject of the example, by the state that it must have.
	exampleState string

	// For writes.
	status     int    // of a success; 0 means 200
	body       string // schema of the body; "" means no body
	repeatNote string // appended to description if repeating the request creates no second event
}

func (o operation) success() int {
	if o.status != 0 {
		return o.status
	}
	return http.StatusOK
}

// The states of example subjects, the suffixes of their ids.
const (
	stateNew        = "new"      // not created
	stateRegistered = "02"       // it has a profile
	stateDeleted    = "deleted"  // deleted
	statePurging    = "leaving"  // a purge is requested and has not begun
	stateAlerting   = "alerting" // it has alerts, and its own rule
)

// readProblems are the problems of every read.
var readProblems = []httpapi.ProblemType{
	httpapi.ProblemQuery, httpapi.ProblemUnknownParameter, httpapi.ProblemRepeatedParameter, httpapi.ProblemForeign, httpapi.ProblemNotAcceptable,
	problemResponseSize, httpapi.ProblemUnavailable,
}

// Problems that several reads share.
var (
	seriesProblems = []httpapi.ProblemType{problemSeries, httpapi.ProblemBoolean}
	pageProblems   = with([]httpapi.ProblemType{problemTime, problemLast, problemRange, problemLimit, problemOrder, problemCursor, problemForeignCursor}, seriesProblems...)
	totalProblems  = with(seriesProblems, problemLast, problemTime, problemRange, problemUnreadableItem, problemTooManyBuckets, problemTooManySeries)
	bucketProblems = with([]httpapi.ProblemType{problemTier, problemUnreadableItem}, pageProblems...)
	chartProblems  = with(seriesProblems, problemTier, problemLast, problemUnreadableItem, problemTime, problemRange, problemLimit, problemOrder, problemRangeTooLong, problemTooManySeries)
)

// changeProblems are the problems of every change of a subject.
var changeProblems = []httpapi.ProblemType{
	httpapi.ProblemQuery, httpapi.ProblemUnknownParameter, httpapi.ProblemRepeatedParameter, httpapi.ProblemBoolean,
	httpapi.ProblemForeign, httpapi.ProblemGone, httpapi.ProblemUnavailable,
}

// purgeProblems are the problems of every change of a purge.
var purgeProblems = []httpapi.ProblemType{
	httpapi.ProblemQuery, httpapi.ProblemUnknownParameter, httpapi.ProblemRepeatedParameter, httpapi.ProblemBoolean,
	httpapi.ProblemForeign, httpapi.ProblemUnavailable,
}

// bodyProblems are the problems of every request with a body.
var bodyProblems = []httpapi.ProblemType{
	httpapi.ProblemBody, httpapi.ProblemTooLarge, httpapi.ProblemMediaType,
}

var pagingParams = []string{"from", "to", "last", "order", "limit", "cursor", "stream", "consistent"}

// with returns a new list: list and more.
func with[T any](list []T, more ...T) []T {
	return append(append([]T(nil), list...), more...)
}

// operationOf returns the row of an action. Every action has one.
func operationOf(a httpapi.Action) operation {
	if o, ok := reads[a]; ok {
		return o
	}
	return writes[a]
}
