package httpapi

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ProfileFields decodes the body: one JSON object with fields of a profile, which may be lists
// and maps. Null fields are included.
func (r *Request) ProfileFields(limits config.Limits) (model.Attrs, *Problem) {
	return r.fields(limits, ProblemProfile)
}

// EventFields decodes the body: one JSON object with all fields of an event but its identity.
func (r *Request) EventFields(limits config.Limits) (model.Attrs, *Problem) {
	return r.fields(limits, ProblemRejected)
}

// fields decodes one JSON object. A value that cannot be stored is a problem of type invalid.
func (r *Request) fields(limits config.Limits, invalid ProblemType) (model.Attrs, *Problem) {
	observations, many, problem := r.Observations(limits)
	switch {
	case problem != nil:
		return nil, problem
	case many || len(observations) != 1:
		return nil, ProblemBody.New("the body has several objects: send the fields as one object")
	case observations[0].DecodeError != nil:
		return nil, ProblemBody.New("%v; nothing was stored", observations[0].DecodeError)
	}
	var attrs model.Attrs
	for _, f := range observations[0].Fields {
		v, err := f.Value()
		if err != nil {
			p := invalid.New("%s %v; nothing was stored", clip(f.Name), err)
			p.Errors = []model.FieldError{{Field: f.Name, Code: ingest.CodeWrongType, Message: err.Error()}}
			return nil, p
		}
		attrs = append(attrs, model.Attr{Name: f.Name, Value: v})
	}
	attrs.Sort()
	return attrs, nil
}

// ExpectedVersion returns the version in If-Match, 0 if the change is unconditional. The entity tag
// of a change is the version; the tag of a read has a hash after it.
func (r *Request) ExpectedVersion() (int64, *Problem) {
	text := strings.Trim(strings.TrimSpace(r.Header("If-Match")), `"`)
	if text == "" || text == "*" {
		return 0, nil
	}
	text, _, _ = strings.Cut(text, "-")
	var n int64
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil || n < 1 || fmt.Sprint(n) != text {
		return 0, ProblemVersion.New("If-Match is %q: want the number of a version, or the ETag of a response",
			clip(text))
	}
	return n, nil
}
