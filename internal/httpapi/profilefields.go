package httpapi

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ProfileFields decodes the body: one JSON object with fields of a profile. Null fields
// are included.
func (r *Request) ProfileFields(limits config.Limits) (model.Attrs, *Problem) {
	return r.fields(limits, ProblemProfile)
}

// EventFields decodes the body: one JSON object with all fields of an event but its
// identity.
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
		v, err := fieldValue(f)
		if err != nil {
			p := invalid.New("%s %v; nothing was stored", clip(f.Name), err)
			p.Errors = []model.FieldError{{Field: f.Name, Code: ingest.CodeWrongType, Message: err.Error()}}
			return nil, p
		}
		attrs = append(attrs, model.Attr{Name: f.Name, Value: v})
	}
	return attrs, nil
}

var errNested = errors.New("is an object or array, which cannot be stored: send its parts as separate fields")

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

// ExpectedVersion returns the version in If-Match, 0 if the change is unconditional. The
// entity tag of a change is the version; that of a read has a hash after it.
func (r *Request) ExpectedVersion() (int64, *Problem) {
	text := strings.Trim(strings.TrimSpace(r.Header("If-Match")), `"`)
	if text == "" || text == "*" {
		return 0, nil
	}
	text, _, _ = strings.Cut(text, "-")
	var n int64
	if _, err := fmt.Sscanf(text, "%d", &n); err != nil || n < 1 || fmt.Sprint(n) != text {
		return 0, ProblemVersion.New("If-Match is %q: want the number of a version, or the ETag of a response", clip(text))
	}
	return n, nil
}
