package httpapi

import (
	"net/http"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The actions on one stored event. An event is named by its time, and by its id if it has one.
const (
	ReadEvent        Action = "event"
	CorrectEvent     Action = "correct-event"
	DeleteEvent      Action = "delete-event"
	ReadEventByID    Action = "event-by-id"
	CorrectEventByID Action = "correct-event-by-id"
	DeleteEventByID  Action = "delete-event-by-id"
)

// The problem types of edits.
var (
	ProblemNoEvent = ProblemType{
		URI: "/problems/no-such-event", Title: "The event does not exist", Status: http.StatusNotFound,
	}
	ProblemEventChanged = ProblemType{
		URI: "/problems/event-changed", Title: "The event has other fields than expected",
		Status: http.StatusPreconditionFailed,
	}
)

// EditResult is the outcome of a correction or deletion as JSON.
type EditResult struct {
	Outcome ingest.EditOutcome `json:"outcome"`
	Event   *views.Event       `json:"event,omitempty"`
}

// ExpectedHash returns the hash in If-Match; nil if the change is unconditional. The entity tag of
// an edit is the hash of the event; the tag of a read has another hash after it.
func (r *Request) ExpectedHash() (*model.Hash, *Problem) {
	text := strings.Trim(strings.TrimSpace(r.Header("If-Match")), `"`)
	if text == "" || text == "*" {
		return nil, nil
	}
	text, _, _ = strings.Cut(text, "-")
	hash, err := model.ParseHash(text)
	if err != nil {
		return nil, ProblemEventChanged.New("If-Match is %q: want the ETag of a response that has the event",
			clip(text))
	}
	return &hash, nil
}

// EditResponse returns the response to an edit of the event k: 200, or a Problem.
func EditResponse(k model.EventKey, edit ingest.Edit) Response {
	switch edit.Outcome {
	case ingest.NotFound:
		return ProblemNoEvent.New(
			"%s has no event at %s with the id %q in this stream, or it is about to expire: "+
				"POST /v1/{kinds} appends events", k.Series.Subject.ID, k.At, k.ID).Response()
	case ingest.Changed:
		return ProblemEventChanged.New(
			"nothing was changed: read the event again, and retry with its ETag in If-Match").
			With("ETag", `"`+edit.Event.Hash.String()+`"`).Response()
	}
	body := EditResult{Outcome: edit.Outcome}
	if edit.Event == nil {
		return JSON(http.StatusOK, body)
	}
	event := views.NewEvent(edit.Event)
	body.Event = &event
	response := JSON(http.StatusOK, body)
	response.Headers["ETag"] = `"` + edit.Event.Hash.String() + `"`
	return response
}
