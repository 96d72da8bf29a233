package envelope

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Profile is a profile, a tombstone or a version as callers read it. What is not known
// is left out.
type Profile struct {
	Subject   string              `json:"subject,omitempty"` // its id
	Version   int64               `json:"version,omitempty"`
	Change    model.ProfileChange `json:"change,omitempty"` // of a version: what it came of
	Fields    Fields              `json:"fields"`
	CreatedAt *model.Time         `json:"createdAt,omitempty"`
	UpdatedAt *model.Time         `json:"updatedAt,omitempty"`
	DeletedAt *model.Time         `json:"deletedAt,omitempty"`
	ExpiresAt *model.Time         `json:"expiresAt,omitempty"`
	// LastSeenAt is the time of the subject's newest event, where it was asked for.
	LastSeenAt *model.Time `json:"lastSeenAt,omitempty"`
}

// ProfileOf is p as callers read it.
func ProfileOf(p *model.Profile) Profile {
	return Profile{
		Subject: p.Subject.ID, Version: p.Version, Fields: Fields(p.Attrs),
		CreatedAt: known(p.CreatedAt), UpdatedAt: known(p.UpdatedAt), DeletedAt: known(p.DeletedAt),
		ExpiresAt: known(model.Time(p.ExpiresAt * 1000)),
	}
}

// VersionOf is v as callers read it.
func VersionOf(v *model.ProfileVersion) Profile {
	p := ProfileOf(&v.Profile)
	p.Change = v.Change
	return p
}

func known(t model.Time) *model.Time {
	if t == 0 {
		return nil
	}
	return &t
}

// Changed is what became of a change of a subject, as callers read it.
type Changed struct {
	Verdict lifecycle.Verdict `json:"verdict"`
	Profile *Profile          `json:"profile,omitempty"`
}

// The problem types of a subject's life.
var (
	ProblemExists    = ProblemType{"/problems/exists", "There is such a subject already", http.StatusConflict}
	ProblemInBin     = ProblemType{"/problems/deleted", "The subject was deleted", http.StatusConflict}
	ProblemNoSubject = ProblemType{"/problems/no-such-subject", "There is no such subject", http.StatusNotFound}
	ProblemVersion   = ProblemType{"/problems/version-conflict", "The subject has another version", http.StatusPreconditionFailed}
	ProblemTaken     = ProblemType{"/problems/taken", "Another subject has a value that must be unique", http.StatusConflict}
	ProblemGone      = ProblemType{"/problems/gone", "The subject is being purged", http.StatusGone}
	ProblemNoPurge   = ProblemType{"/problems/no-purge", "No purge was asked for", http.StatusNotFound}
	ProblemUnderWay  = ProblemType{"/problems/purge-under-way", "The purge has begun", http.StatusConflict}
	ProblemProfile   = ProblemType{"/problems/rejected-profile", "The profile was rejected", http.StatusBadRequest}
)

// ChangeOf is the answer to a change: 200 with what now stands, 201 where it is new,
// else a problem.
func ChangeOf(out lifecycle.Outcome) events.APIGatewayV2HTTPResponse {
	if p := problemOfChange(out); p != nil {
		return p.Response()
	}
	status, body := http.StatusOK, Changed{Verdict: out.Verdict}
	if out.Verdict == lifecycle.Created {
		status = http.StatusCreated
	}
	if out.Profile == nil || out.Verdict == lifecycle.Removed {
		return JSON(status, body)
	}
	p := ProfileOf(out.Profile)
	body.Profile = &p
	response := JSON(status, body)
	response.Headers["ETag"] = fmt.Sprintf("%q", fmt.Sprint(p.Version))
	return response
}

func problemOfChange(out lifecycle.Outcome) *Problem {
	switch out.Verdict {
	case lifecycle.Exists:
		return ProblemExists.New("it has version %d: change it by PATCH", out.Profile.Version)
	case lifecycle.InBin:
		return ProblemInBin.New("at %s: restore it, or delete it for ever", out.Profile.DeletedAt)
	case lifecycle.NotFound:
		return ProblemNoSubject.New("there is nothing to change: create it by PUT; it may have events all the same")
	case lifecycle.Conflict:
		return ProblemVersion.New("it has version %d: read it, and ask again with that in If-Match", out.Profile.Version)
	case lifecycle.Taken:
		return ProblemTaken.New("the constraint is %s; nothing was changed", out.Constraint)
	case lifecycle.Gone:
		return ProblemGone.New("nothing of it is stored until that is done and two days have passed")
	case lifecycle.Unknown:
		return ProblemUnavailable.New("it is not known whether the change was made: ask again").With("Retry-After", RetryAfter)
	case lifecycle.Rejected:
		p := ProblemProfile.New("%d of its fields cannot be taken as they are; nothing was stored", len(out.Errors))
		p.Errors = out.Errors
		return p
	}
	return nil
}

// ProfileFields reads a request's body: one object of the fields of a profile, plain or
// gzip. Null fields are there, as null.
func ProfileFields(r *events.APIGatewayV2HTTPRequest, limits config.Limits) (model.Attrs, *Problem) {
	observations, many, problem := Observations(r, limits)
	switch {
	case problem != nil:
		return nil, problem
	case many || len(observations) != 1:
		return nil, ProblemBody.New("the body holds several objects: send the fields of one profile as one object")
	case observations[0].Flaw != nil:
		return nil, ProblemBody.New("%v; nothing was stored", observations[0].Flaw)
	}
	var attrs model.Attrs
	for _, f := range observations[0].Fields {
		v, err := fieldValue(f)
		if err != nil {
			p := ProblemProfile.New("%s %v; nothing was stored", clip(f.Name), err)
			p.Errors = []model.FieldError{{Field: f.Name, Code: lifecycle.CodeWrongType, Message: err.Error()}}
			return nil, p
		}
		attrs = append(attrs, model.Attr{Name: f.Name, Value: v})
	}
	return attrs, nil
}

var errNested = errors.New("is an object or array, which has no place in a profile: send its parts as fields of their own")

func fieldValue(f ingest.Field) (model.Value, error) {
	switch f.Form {
	case ingest.TextForm:
		return model.TextValue(f.Text), nil
	case ingest.BoolForm:
		return model.BoolValue(f.Text == "true"), nil
	case ingest.NestedForm:
		return model.Value{}, errNested
	case ingest.NumberForm:
		d, err := model.ParseDecimal(f.Text)
		return model.NumberValue(d), err
	}
	return model.Value{}, nil
}

// Expected is the version that a caller expects, out of If-Match; 0 where it expects
// none. The tag of a change is the bare version, that of a read has a hash behind it.
func Expected(r *events.APIGatewayV2HTTPRequest) (int64, *Problem) {
	text := strings.Trim(strings.TrimSpace(Header(r, "If-Match")), `"`)
	if text == "" || text == "*" {
		return 0, nil
	}
	text, _, _ = strings.Cut(text, "-")
	var n int64
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil || n < 1 || fmt.Sprint(n) != text {
		return 0, ProblemVersion.New("If-Match is %q: want the number of a version, as the ETag of an answer has it", clip(text))
	}
	return n, nil
}
