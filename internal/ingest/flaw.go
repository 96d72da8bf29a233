package ingest

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// The codes of what can be wrong with an observation. They are stable: callers may
// branch on them.
const (
	CodeNotJSON          = "not-json"          // the text is not JSON
	CodeNotAnObject      = "not-an-object"     // JSON, but not an object
	CodeInvalidUTF8      = "invalid-utf8"      // bytes that are not UTF-8
	CodeLoneSurrogate    = "lone-surrogate"    // half of a \u pair
	CodeDuplicateName    = "duplicate-name"    // one name twice in an object
	CodeMissing          = "missing"           // a field that must be there
	CodeWrongType        = "wrong-type"        // a value of another type than declared
	CodeNested           = "nested"            // an object or array as a value
	CodeControlCharacter = "control-character" // in a name, subject id, stream or event id
	CodeTooLong          = "too-long"          // a name or a text beyond its limit
	CodeKeyTooLong       = "key-too-long"      // ids that fit alone, but not together in a key
	CodeTooLarge         = "too-large"         // the event as a whole
	CodeTooManyFields    = "too-many-fields"   // in one observation
	CodeTooManyMeasures  = "too-many-measures" // in one observation
	CodeTooMany          = "too-many"          // observations in one request
	CodeSubjectMismatch  = "subject-mismatch"  // the payload names another subject than its door
	CodeUnknownKind      = "unknown-kind"      // no kind of that name
	CodeTimeForm         = "time-form"         // not a time
	CodeTimeFiner        = "time-finer"        // digits below the millisecond
	CodeTimeRange        = "time-range"        // a year no stored time can hold
	CodeTimeAhead        = "time-ahead"        // too far ahead of the door's clock
	CodeIDNotAllowed     = "id-not-allowed"    // the kind's ids are minted at the door
	CodeNameEmpty        = "name-empty"        // a field without a name
	CodeNameReserved     = "name-reserved"     // a name that is the table's own
	CodeEnrichment       = "enrichment"        // a field that ingest can never write
	CodeNumberForm       = "number-form"       // not a decimal number
	CodeNumberRange      = "number-range"      // more digits or a larger exponent than the table holds
	CodeNumberTooLarge   = "number-too-large"  // 10^15 or beyond
)

// clipBytes is how much of a name or value an error repeats.
const clipBytes = 64

// report gathers what is wrong with one observation. The first error of a field
// stands: what follows from it is not said again.
type report struct{ errors []model.FieldError }

func (r *report) wrong(field, code, format string, args ...any) {
	field = clip(field)
	if slices.ContainsFunc(r.errors, func(e model.FieldError) bool { return e.Field == field }) {
		return
	}
	r.errors = append(r.errors, model.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

func flaw(field, code, format string, args ...any) *model.FieldError {
	var r report
	r.wrong(field, code, format, args...)
	return &r.errors[0]
}

// clip keeps errors short and printable whatever the input was.
func clip(s string) string {
	if len(s) <= clipBytes {
		return toValid(s)
	}
	return toValid(s[:clipBytes]) + "…"
}
