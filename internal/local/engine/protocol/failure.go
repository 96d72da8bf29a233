package protocol

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// The names of errors.
const (
	validation       = "com.amazon.coral.validate#ValidationException"
	serialization    = "com.amazon.coral.service#SerializationException"
	unknownOperation = "com.amazon.coral.service#UnknownOperationException"
	version          = "com.amazonaws.dynamodb.v20120810#"
	conditionFailed  = version + "ConditionalCheckFailedException"
	notFound         = version + "ResourceNotFoundException"
	inUse            = version + "ResourceInUseException"
	tokenReused      = version + "IdempotentParameterMismatchException"
	cancelled        = version + "TransactionCanceledException"
	throughput       = version + "ProvisionedThroughputExceededException"
	trimmedData      = version + "TrimmedDataAccessException"
	expiredIterator  = version + "ExpiredIteratorException"
	internal         = version + "InternalServerError"
)

// failure is an error in a response.
type failure struct{ typ, message string }

func (f *failure) Error() string { return f.message }

func invalid(message string) error { return &failure{validation, message} }

func invalidf(format string, args ...any) error { return invalid(fmt.Sprintf(format, args...)) }

// invalidAt refuses the value of a parameter, in the form of DynamoDB's own checks.
func invalidAt(parameter, value, constraint string) error {
	return invalidf("1 validation error detected: Value '%s' at '%s' failed to satisfy constraint: %s",
		value, parameter, constraint)
}

// itemError is why an action cannot be carried out, whatever its expressions are. In a transaction it is a
// cancellation reason.
type itemError struct{ error }

func (e itemError) Unwrap() error { return e.error }

// unknown refuses by its name what the engine does not do.
func unknown(what string) error {
	return invalid(what + " is not known to Tidemark's engine, which does what Tidemark sends: " +
		"run `tidemark dev --engine dynamodb-local` for all of DynamoDB")
}

// conditionError is the error of a write of one item whose condition failed.
type conditionError struct {
	failure
	old item.Item // nil if there is none or it was not requested
}

// reason is why one action of a transaction was not carried out.
type reason struct {
	Code    string
	Message string     `json:",omitempty"`
	Item    attributes `json:",omitempty"`
}

// cancelledError is the error of a transaction that stored nothing.
type cancelledError struct{ reasons []reason }

func (c *cancelledError) Error() string {
	codes := make([]string, len(c.reasons))
	for i, r := range c.reasons {
		codes[i] = r.Code
	}
	return "Transaction cancelled, please refer cancellation reasons for specific reasons [" +
		strings.Join(codes, ", ") + "]"
}

// body returns the response of an error and its status.
func body(err error) (response any, status int) {
	var failed *conditionError
	var stopped *cancelledError
	var known *failure
	switch {
	case errors.As(err, &stopped):
		return struct {
			Type    string `json:"__type"`
			Message string
			Reasons []reason `json:"CancellationReasons"`
		}{cancelled, stopped.Error(), stopped.reasons}, http.StatusBadRequest
	case errors.As(err, &failed):
		return struct {
			Type    string     `json:"__type"`
			Message string     `json:"message"`
			Item    attributes `json:",omitempty"`
		}{failed.typ, failed.message, attributes(failed.old)}, http.StatusBadRequest
	}
	status = http.StatusBadRequest
	if !errors.As(err, &known) {
		known = translate(err)
	}
	if known.typ == internal {
		status = http.StatusInternalServerError
	}
	return struct {
		Type    string `json:"__type"`
		Message string `json:"message"`
	}{known.typ, known.message}, status
}

// translate returns the response of an error of the engine.
func translate(err error) *failure {
	switch {
	case errors.Is(err, engine.ErrTokenReused):
		return &failure{tokenReused, err.Error()}
	case errors.Is(err, engine.ErrMalformed):
		return &failure{validation, strings.TrimPrefix(err.Error(), engine.ErrMalformed.Error()+": ")}
	case errors.Is(err, storage.ErrTooLarge):
		return &failure{validation, "Item size has exceeded the maximum allowed size"}
	default:
		return &failure{internal, err.Error()}
	}
}
