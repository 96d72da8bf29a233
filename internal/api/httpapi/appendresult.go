package httpapi

import (
	"fmt"
	"maps"
	"net/http"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AppendResponse returns the response to a request to append. The status is 200, or 503 if
// an outcome is unknown. many selects a list of results in order; otherwise there is one
// result, and an observation of which nothing is stored is a Problem.
func AppendResponse(results []model.AppendResult, many bool) Response {
	if !many {
		if p := unstored(results[0]); p != nil {
			return counted(p.Response(), results)
		}
	}
	list := lists.Map(results, views.NewAppendResult)
	var body any = list
	if !many {
		body = list[0]
	}
	response := JSON(http.StatusOK, body)
	for _, shorten := range shorter {
		if len(response.Body) <= MaxResponse || !many {
			break
		}
		list = lists.Map(list, shorten)
		response = JSON(http.StatusOK, list)
	}
	if ingest.AnyUnknown(results) {
		response.Status = ProblemUnavailable.Status
		response.Headers["Retry-After"] = RetryAfter
	}
	return counted(response, results)
}

// shorter makes the results of a request shorter, until they are within MaxResponse together. A longer
// response would not arrive, and the sender would repeat what is stored.
var shorter = []func(views.AppendResult) views.AppendResult{
	func(r views.AppendResult) views.AppendResult {
		r.Latest = nil
		return r
	},
	func(r views.AppendResult) views.AppendResult {
		left := len(r.Invalid) + len(r.NotStored) + len(r.Undeclared) + len(r.Errors)
		r.Invalid, r.Undeclared = nil, nil
		r.NotStored, r.Errors = r.NotStored[:min(1, len(r.NotStored))], r.Errors[:min(1, len(r.Errors))]
		if left -= len(r.NotStored) + len(r.Errors); left > 0 {
			r.Detail = fmt.Sprintf(
				"the response has no room for %d further messages: send fewer observations at once", left)
		}
		return r
	},
	func(r views.AppendResult) views.AppendResult {
		return views.AppendResult{Outcome: r.Outcome, Detail: r.Detail}
	},
	func(r views.AppendResult) views.AppendResult { return views.AppendResult{Outcome: r.Outcome} },
}

// The headers with numbers of a request, absent if they are 0.
const (
	// HeaderNotStored counts the values and observations that are not stored as they were sent.
	HeaderNotStored = "Tidemark-Not-Stored"
	// HeaderUndeclared counts the stored values of fields that their kind does not declare.
	HeaderUndeclared = "Tidemark-Undeclared"
)

// counted returns a response with the headers that count its results.
func counted(response Response, results []model.AppendResult) Response {
	maps.Copy(response.Headers, CountHeaders(results))
	return response
}

// CountHeaders returns the headers that count the values of results.
func CountHeaders(results []model.AppendResult) map[string]string {
	headers := map[string]string{}
	notStored, undeclared := 0, 0
	for _, r := range results {
		notStored += len(r.NotStored)
		if _, isUnstored := unstoredProblems[r.Outcome]; isUnstored {
			notStored++
		}
		undeclared += len(r.Undeclared)
	}
	if notStored > 0 {
		headers[HeaderNotStored] = strconv.Itoa(notStored)
	}
	if undeclared > 0 {
		headers[HeaderUndeclared] = strconv.Itoa(undeclared)
	}
	return headers
}
