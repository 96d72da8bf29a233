package timeseries

import "fmt"

// Code names one mistake of configuration, for good: codes are never reused.
type Code string

// The codes, each with its page in docs/CONFIG-ERRORS.md.
const (
	OrderMissing     Code = "TM-001" // the order field is not in the model: no field is tagged time
	OrderIsKey       Code = "TM-002" // the order field is part of the key
	Versioned        Code = "TM-003" // a time series is ordered by event time, not by version
	AppendLacksKey   Code = "TM-004" // the append input lacks the order field or a part of the key
	OrderIsReference Code = "TM-005" // the order field is a reference, so it may be missing
	SoftDeleted      Code = "TM-006" // a time series and soft delete on the same item
	AppendMissing    Code = "TM-007" // there is no append input: nothing is tagged
	RowDiffers       Code = "TM-008" // the tags and the kind's row say different things
	TagUnreadable    Code = "TM-009" // a tag that cannot be read
	TypeUnfit        Code = "TM-010" // a Go type that cannot hold what its tag says
	KindUnusable     Code = "TM-011" // the kind's row itself is wrong
)

// document explains each code.
const document = "docs/CONFIG-ERRORS.md"

// Error is one mistake of configuration, found by Open. Open joins all it finds;
// errors.As answers the first.
type Error struct {
	Code    Code
	Model   string // the Go type
	Field   string // its field; "" where the mistake is of the whole
	Message string // what, why and what to do
}

func (e *Error) Error() string {
	subject := e.Model
	if e.Field != "" {
		subject += "." + e.Field
	}
	return fmt.Sprintf("timeseries: %s: %s: %s (%s)", e.Code, subject, e.Message, document)
}
