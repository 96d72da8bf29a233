package httpapi

import (
	"cmp"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// AppendOptions are the settings that DecodeAppend depends on.
type AppendOptions struct {
	Catalog    *catalog.Catalog
	Limits     config.Limits
	OwnerClaim string // see Request.Owner
}

// AppendRequest is a decoded request to append observations.
type AppendRequest struct {
	Kind         *catalog.Kind
	Observations []ingest.Observation
	Many         bool // the body is a list, and the response is one too
}

// codeForeign is the error code of an observation whose subject has another owner.
const codeForeign = "foreign-subject"

// DecodeAppend decodes POST /v1/{kinds}. An observation that cannot be decoded, or whose subject has another
// owner, has a DecodeError. A Problem is for the request as a whole: nothing of it may be appended.
func DecodeAppend(r *Request, o AppendOptions) (AppendRequest, *Problem) {
	kind, problem := appendKind(r, o.Catalog)
	if problem != nil {
		return AppendRequest{}, problem
	}
	owner, badOwner := r.Owner(o.OwnerClaim)
	strict, badFlag := r.strict()
	if problem := cmp.Or(r.checkBound(), badOwner, badFlag); problem != nil {
		return AppendRequest{}, problem
	}
	observations, many, problem := r.Observations(o.Limits)
	if problem != nil {
		return AppendRequest{}, problem
	}
	for i := range observations {
		observations[i].Strict = strict
	}
	flagForeign(observations, kind.Subject.Field, owner)
	return AppendRequest{Kind: kind, Observations: observations, Many: many}, nil
}

// AppendParameters are the parameters of the query string of an append.
var AppendParameters = []string{"strict"}

// strict returns the parameter of this name: whether values of measures that are not numbers are rejected.
func (r *Request) strict() (bool, *Problem) {
	given, problem := ParseParameters(r.RawQuery, AppendParameters, nil)
	if problem != nil {
		return false, problem
	}
	return given.Boolean("strict")
}

// appendKind returns the kind that the path names.
func appendKind(r *Request, kinds *catalog.Catalog) (*catalog.Kind, *Problem) {
	name, ok := strings.CutPrefix(r.Path, "/v1/")
	kind, known := kinds.ByPath(name)
	switch {
	case !ok || !known || !kind.HasEvents() || r.Method == "POST" && !r.Route.Allows(r.Method, r.Path):
		return nil, ProblemNotFound.New("no kind has the path %.200q: send to one of %s%s", r.Path,
			strings.Join(appendPaths(kinds), ", "), names.DidYouMean(r.Path, appendPaths(kinds)))
	case r.Method != "POST":
		return nil, ProblemMethod.New("%s only accepts POST", r.Path).With("Allow", "POST")
	}
	return kind, nil
}

func appendPaths(kinds *catalog.Catalog) []string {
	var paths []string
	for _, k := range kinds.Kinds {
		if k.HasEvents() {
			paths = append(paths, "/v1/"+k.Path)
		}
	}
	return paths
}

// flagForeign sets the DecodeError of each observation whose subject, named in field, has another owner. A
// subject of any form but null counts, because an integer is stored as its digits. Validation rejects an
// observation without a subject.
func flagForeign(observations []ingest.Observation, field string, owner Owner) {
	for i := range observations {
		for _, f := range observations[i].Fields {
			if f.Name == field && f.Form != ingest.NullForm && !owner.Owns(f.Text) {
				observations[i].DecodeError = &model.FieldError{Field: field, Code: codeForeign,
					Message: owner.ForeignDetail(f.Text)}
			}
		}
	}
}
