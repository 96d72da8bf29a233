package httpapi

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ChangeResult is the outcome of a change of a subject as JSON.
type ChangeResult struct {
	Outcome lifecycle.Outcome `json:"outcome"`
	Profile *views.Profile    `json:"profile,omitempty"`
}

// The problem types of the lifecycle of subjects.
var (
	ProblemExists = ProblemType{
		URI: "/problems/exists", Title: "The subject already exists", Status: http.StatusConflict,
	}
	ProblemDeleted = ProblemType{
		URI: "/problems/deleted", Title: "The subject was deleted", Status: http.StatusConflict,
	}
	ProblemNoSubject = ProblemType{URI: "/problems/no-such-subject", Title: "The subject does not exist",
		Status: http.StatusNotFound}
	ProblemVersion = ProblemType{URI: "/problems/version-conflict", Title: "The subject has another version",
		Status: http.StatusPreconditionFailed}
	ProblemNotUnique = ProblemType{URI: "/problems/taken", Title: "Another subject has the same unique value",
		Status: http.StatusConflict}
	ProblemGone = ProblemType{
		URI: "/problems/gone", Title: "The subject is being purged", Status: http.StatusGone,
	}
	ProblemNoPurge = ProblemType{
		URI: "/problems/no-purge", Title: "The subject has no purge", Status: http.StatusNotFound,
	}
	ProblemPurgeStarted = ProblemType{
		URI: "/problems/purge-under-way", Title: "The purge has begun", Status: http.StatusConflict,
	}
	ProblemValueStored = ProblemType{
		URI: "/problems/value-stored", Title: "Stored events have the value", Status: http.StatusConflict,
	}
	ProblemProfile = ProblemType{
		URI: "/problems/rejected-profile", Title: "The profile was rejected", Status: http.StatusBadRequest,
	}
)

// ChangeResponse returns the response to a change: 200 with the stored profile, 201 if the
// subject is new, else a Problem.
func ChangeResponse(out lifecycle.Result) Response {
	if p := changeProblem(out); p != nil {
		return p.Response()
	}
	status, body := http.StatusOK, ChangeResult{Outcome: out.Outcome}
	if out.Outcome == lifecycle.Created {
		status = http.StatusCreated
	}
	if out.Profile == nil || out.Outcome == lifecycle.Removed {
		return JSON(status, body)
	}
	p := views.NewProfile(out.Profile)
	body.Profile = &p
	response := JSON(status, body)
	response.Headers["ETag"] = fmt.Sprintf("%q", fmt.Sprint(p.Version))
	return response
}

// changeProblem returns the problem of an outcome, nil for a success.
func changeProblem(out lifecycle.Result) *Problem {
	switch out.Outcome {
	case lifecycle.Exists:
		return ProblemExists.New("it has version %d: change it with PATCH", out.Profile.Version)
	case lifecycle.Restorable:
		return ProblemDeleted.New("at %s: restore it, or delete it permanently", out.Profile.DeletedAt)
	case lifecycle.NotFound:
		return ProblemNoSubject.New(
			"there is no profile to change: create it with PUT; the subject may still have events")
	case lifecycle.Conflict:
		return ProblemVersion.New("it has version %d: read it again, and retry with the new version in If-Match",
			out.Profile.Version)
	case lifecycle.Taken:
		return ProblemNotUnique.New("it violates the constraint %s; nothing was changed", out.Constraint)
	case lifecycle.Gone:
		return ProblemGone.New("no data of it is stored until its purge lock ends: its purge says when")
	}
	return nil
}

// ChangeError returns the problem of a change that has no outcome; nil if the error is none
// that the sender can act on.
func ChangeError(err error) *Problem {
	var fields model.FieldErrors
	switch {
	case errors.As(err, &fields):
		p := ProblemProfile.New("%d fields are invalid; nothing was stored", len(fields))
		p.Errors = fields
		return p
	case errors.Is(err, model.ErrUndecided):
		return ProblemUnavailable.New("it is not known whether the change was made: retry").With("Retry-After",
			RetryAfter)
	}
	return nil
}
