package timeseries

import (
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// Code identifies one kind of configuration mistake. Codes are never reused.
type Code string

// The codes. docs/use/CONFIG-ERRORS.md has a section for each.
const (
	OrderMissing     Code = "TM-001" // no field has the role time
	OrderIsKey       Code = "TM-002" // the time is part of the key
	Versioned        Code = "TM-003" // a field has the role version
	AppendLacksKey   Code = "TM-004" // the time or a part of the key is missing, or never written
	OrderIsReference Code = "TM-005" // the time is a pointer or interface, so it may be nil
	SoftDeleted      Code = "TM-006" // a field has the role deleted
	AppendMissing    Code = "TM-007" // no field is tagged
	RowDiffers       Code = "TM-008" // a tag contradicts the kind
	TagUnreadable    Code = "TM-009" // a tag is invalid
	TypeUnfit        Code = "TM-010" // the Go type does not fit the role
	KindUnusable     Code = "TM-011" // the kind itself is invalid
)

// errorsPage explains each code.
const errorsPage = "docs/use/CONFIG-ERRORS.md"

// Error is one configuration mistake that Open found. Open joins all of them; errors.As finds the first.
type Error struct {
	Code    Code
	Model   string // the Go type
	Field   string // its field; "" if the mistake is not about one field
	Message string // what is wrong, why, and what to do
}

func (e *Error) Error() string {
	subject := e.Model
	if e.Field != "" {
		subject += "." + e.Field
	}
	return fmt.Sprintf("timeseries: %s: %s: %s (%s)", e.Code, subject, e.Message, errorsPage)
}

// batchError joins the errors of a batch. Its text names the first few of them.
type batchError struct {
	values int
	errs   []error
}

// maxNamed is the number of values that the text of a batchError names.
const maxNamed = 3

// joined returns the error of all results; nil if each has an outcome.
func joined[T any](results []Result[T]) error {
	b := batchError{values: len(results)}
	for i := range results {
		if err := results[i].Err; err != nil {
			b.errs = append(b.errs, fmt.Errorf("value %d: %w", i, err))
		}
	}
	if len(b.errs) == 0 {
		return nil
	}
	return &b
}

// Error says how many values were not stored, and why the first ones were not.
func (b *batchError) Error() string {
	named := lists.Map(b.errs[:min(maxNamed, len(b.errs))], error.Error)
	if more := len(b.errs) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("append: %d of %d values were not stored, or may not be: %s", len(b.errs), b.values,
		strings.Join(named, "; "))
}

// Unwrap returns the error of each value.
func (b *batchError) Unwrap() []error { return b.errs }
