package main

import (
	"context"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// operation is one thing the API does, on whatever kind or subject. The table of them
// says what reads take and who answers them, and is what the API's description is made
// of, that of the other functions' routes included.
type operation struct {
	summary string
	about   string   // what else a caller should know; sentences
	params  []string // the query string's, rows of parameters
	// answer answers a read; nil where another function answers.
	answer func(h *Handler, ctx context.Context, asked target, given params) (any, error)
	result string // the answer's schema
	list   bool   // it has a form as NDJSON and CSV too
	// problems are those of the operation, beside the ones that every operation has.
	problems []envelope.ProblemType
	// example is a query string that the example needs, where none would ask nothing.
	example string
	// stands says which of the example subjects it is of: what the subject has gone
	// through, so that the example can be run.
	stands string

	// Of writes.
	status int    // of the answer that is no problem; 0 is 200
	body   string // the body's schema; "" is no body
	again  string // what else to know, where a repeat makes no second event
}

func (o operation) success() int {
	if o.status != 0 {
		return o.status
	}
	return http.StatusOK
}

// What an example subject has gone through.
const (
	newcomer   = "new"      // nothing
	registered = "02"       // it has a profile
	binned     = "deleted"  // and was deleted
	leaving    = "leaving"  // a purge was asked for, and has not begun
	alerting   = "alerting" // it has alerts, and a rule of its own
)

// readProblems are those of every read.
var readProblems = []envelope.ProblemType{
	envelope.ProblemQuery, envelope.ProblemUnknownParameter, envelope.ProblemRepeated, envelope.ProblemForeign, envelope.ProblemForm,
	problemAnswer, envelope.ProblemUnavailable,
}

// ofSeries, ofPages and ofBuckets are the problems that several reads have in common.
var (
	ofSeries  = []envelope.ProblemType{problemSeries, envelope.ProblemBoolean}
	ofPages   = with([]envelope.ProblemType{problemTime, problemRange, problemLimit, problemOrder, problemCursor, problemForeign}, ofSeries...)
	ofBuckets = with([]envelope.ProblemType{problemTier, problemLast, problemStored}, ofPages...)
	ofCharts  = with(ofSeries, problemTier, problemLast, problemStored, problemTime, problemRange, problemLimit, problemOrder, problemLong, problemWide)
)

// changeProblems are those of every change of a subject.
var changeProblems = []envelope.ProblemType{
	envelope.ProblemQuery, envelope.ProblemUnknownParameter, envelope.ProblemRepeated, envelope.ProblemBoolean,
	envelope.ProblemForeign, envelope.ProblemGone, envelope.ProblemUnavailable,
}

// purgeProblems are those of every change of a purge.
var purgeProblems = []envelope.ProblemType{
	envelope.ProblemQuery, envelope.ProblemUnknownParameter, envelope.ProblemRepeated, envelope.ProblemBoolean,
	envelope.ProblemForeign, envelope.ProblemUnavailable,
}

// takingProblems are those of every body that is taken in.
var takingProblems = []envelope.ProblemType{
	envelope.ProblemBody, envelope.ProblemTooLarge, envelope.ProblemMediaType,
}

var pagingParams = []string{"from", "to", "order", "limit", "cursor", "stream", "consistent"}

// with is a list and more, in a list of its own.
func with[T any](list []T, more ...T) []T {
	return append(append([]T(nil), list...), more...)
}

// operationOf is the row of an action; every action of a catalog has one.
func operationOf(a catalog.Action) operation {
	if o, ok := reads[a]; ok {
		return o
	}
	return writes[a]
}
