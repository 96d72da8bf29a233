package ingest

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// The codes of field errors. They are stable: callers may branch on them.
const (
	CodeNotJSON          = "not-json"          // the text is not JSON
	CodeNotAnObject      = "not-an-object"     // JSON, but not an object
	CodeInvalidUTF8      = "invalid-utf8"      // bytes that are not UTF-8
	CodeLoneSurrogate    = "lone-surrogate"    // half of a \u pair
	CodeDuplicateName    = "duplicate-name"    // one name twice in an object
	CodeMissing          = "missing"           // a required field is not present
	CodeWrongType        = "wrong-type"        // a value of another type than declared
	CodeNested           = "nested"            // an object or array as a value
	CodeControlCharacter = "control-character" // in a name, subject id, stream or event id
	CodeTooLong          = "too-long"          // a name or a text beyond its limit
	CodeKeyTooLong       = "key-too-long"      // ids that fit alone, but not together in a key
	CodeTooLarge         = "too-large"         // the event as a whole
	CodeLatestTooLarge   = "latest-too-large"  // the latest item with the fields of the event
	CodeCollision        = "collision"         // the identity is stored with other fields
	CodeTooManyFields    = "too-many-fields"   // in one observation
	CodeTooManyMeasures  = "too-many-measures" // in one observation
	CodeTooMany          = "too-many"          // observations in one request
	CodeSubjectMismatch  = "subject-mismatch"  // the payload names another subject than its source
	CodeUnmarked         = "unmarked"          // a device's message without the mark of its rule
	CodeUnmapped         = "unmapped"          // a message that a row of sources must map
	CodeUnknownKind      = "unknown-kind"      // no kind of that name
	CodeTimeForm         = "time-form"         // not a time
	CodeTimeFiner        = "time-finer"        // digits below the millisecond
	CodeTimeRange        = "time-range"        // a year no stored time can hold
	CodeTimeAhead        = "time-ahead"        // too far ahead of the clock
	CodeTimeUnset        = "time-unset"        // of 1970: a clock that is not set, or a wrong unit
	CodeIDNotAllowed     = "id-not-allowed"    // the kind's ids are made by Tidemark
	CodeNameEmpty        = "name-empty"        // a field without a name
	CodeNameReserved     = "name-reserved"     // a name that the table uses itself
	CodeUndeclared       = "undeclared"        // a field that the kind does not declare and does not take
	CodeEnrichment       = "enrichment"        // an enrichment field, which only other writers may set
	CodeNumberForm       = "number-form"       // not a decimal number
	CodeNumberRange      = "number-range"      // more digits or a larger exponent than the table holds
	CodeNumberTooLarge   = "number-too-large"  // 10^15 or beyond
)

// clipBytes is the part of a name or value that an error repeats.
const clipBytes = 64

// problems collects the field errors of one observation. It keeps the first error of each
// field, because later ones often follow from it.
type problems struct{ errors []model.FieldError }

func (p *problems) add(field, code, format string, args ...any) {
	field = clip(field)
	if slices.ContainsFunc(p.errors, func(e model.FieldError) bool { return e.Field == field }) {
		return
	}
	p.errors = append(p.errors,
		model.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

func fieldError(field, code, format string, args ...any) *model.FieldError {
	var p problems
	p.add(field, code, format, args...)
	return &p.errors[0]
}

// ShownName returns the name of a field as a FieldError has it: a long one is shortened.
func ShownName(name string) string { return clip(name) }

// clip returns at most clipBytes of s, as valid UTF-8.
func clip(s string) string {
	if len(s) <= clipBytes {
		return toValid(s)
	}
	return toValid(s[:clipBytes]) + "…"
}
