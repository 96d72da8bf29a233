package messages

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/tidemark-db/tidemark/internal/base/columns"
	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/senders/points"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// isForm reports whether a body of the type of forms is one: curl names that type for any body.
func isForm(body []byte) bool {
	name, _, ok := bytes.Cut(body, []byte("="))
	return ok && len(name) > 0 && !bytes.ContainsAny(name, "{[\"")
}

// form returns the object of a form, name=value&name=value. Each value is read as a cell that is alone in its
// column. A pair that cannot be read is one of Dropped.
func form(body string) ingest.Observation {
	var members [][]byte
	var wrong []model.FieldError
	drop := func(name, code, why string) {
		wrong = append(wrong, model.FieldError{Field: strings.ToValidUTF8(name, "\uFFFD"), Code: code,
			Message: why})
	}
	for pair := range strings.SplitSeq(body, "&") {
		name, value, _ := strings.Cut(pair, "=")
		plainName, errName := url.QueryUnescape(name)
		plain, err := url.QueryUnescape(value)
		switch {
		case pair == "":
		case errName != nil || err != nil:
			drop(name, points.CodeSyntax, "is not escaped as a form: write % as %25")
		case !utf8.ValidString(plainName + plain):
			drop(name, ingest.CodeInvalidUTF8, "contains bytes that are not UTF-8: encode the text as UTF-8")
		default:
			quoted, _ := json.Marshal(plainName) // a string cannot fail
			members = append(members, append(append(quoted, ':'), columns.Alone(plainName, plain)...))
		}
	}
	o := ingest.DecodeObject([]byte("{" + string(bytes.Join(members, []byte(","))) + "}"))
	o.Dropped = append(o.Dropped, wrong...)
	return o
}
