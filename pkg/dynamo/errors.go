package dynamo

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/tidemark-db/tidemark/internal/embedded"
	"github.com/tidemark-db/tidemark/internal/storage"
)

// errorCodes is errors.json, by the codes of DynamoDB.
var errorCodes = embedded.JSON[struct {
	// Results are those of a write that failed. Other errors are permanent if the request caused
	// them, and Unknown if the server did. TransactionInProgressException is Unknown because the
	// first attempt with this token is still in progress.
	Results map[string]storage.WriteResult
	Reasons map[string]storage.WriteResult // of an action, by its cancellation reason; others are permanent errors
	Advice  map[string]string              // what to do about a permanent error
}](errorsText)

//go:embed errors.json
var errorsText []byte

// Codes of cancellation reasons.
const (
	conditionFailed = "ConditionalCheckFailed"
	noReason        = "None"
)

// translate returns the result of a write that failed with failure; nil means Written.
// The error is permanent and says what to do.
func (t *Table) translate(operation string, failure error) (storage.WriteResult, error) {
	if failure == nil {
		return storage.Written, nil
	}
	result, err := resultOf(failure)
	if err != nil {
		return storage.Unknown, fmt.Errorf("%s in %s: %w", operation, t.name, err)
	}
	return result, nil
}

func resultOf(failure error) (storage.WriteResult, error) {
	var cancelled *types.TransactionCanceledException
	if errors.As(failure, &cancelled) {
		return cancelledResult(cancelled)
	}
	var apiError smithy.APIError
	if errors.As(failure, &apiError) {
		if result, known := errorCodes.Results[apiError.ErrorCode()]; known {
			return result, nil
		}
	}
	if ambiguous(failure) {
		return storage.Unknown, nil
	}
	return storage.Unknown, advise(failure)
}

// cancelledResult combines all cancellation reasons. A permanent error comes first, then
// throttling and conflicts: DynamoDB did not evaluate the conditions of those actions, so
// the other reasons do not decide the outcome.
func cancelledResult(cancelled *types.TransactionCanceledException) (storage.WriteResult, error) {
	seen := map[storage.WriteResult]bool{}
	for i, reason := range cancelled.CancellationReasons {
		code := codeOf(reason)
		result, known := errorCodes.Reasons[code]
		if !known {
			return storage.Unknown, fmt.Errorf("item %d of the transaction: %s: %w%s", i, code, causeOf(aws.ToString(reason.Message)), adviceFor(code))
		}
		seen[result] = true
	}
	for _, result := range []storage.WriteResult{storage.Throttled, storage.Conflicted, storage.ConditionFailed} {
		if seen[result] {
			return result, nil
		}
	}
	return storage.Unknown, fmt.Errorf("the transaction was cancelled without a reason: %w", cancelled)
}

func codeOf(reason types.CancellationReason) string {
	if reason.Code == nil {
		return noReason
	}
	return *reason.Code
}

// ambiguous reports whether the request may have been carried out: the server failed, or
// the response was lost or unreadable.
func ambiguous(failure error) bool {
	var response *smithyhttp.ResponseError
	if errors.As(failure, &response) && response.HTTPStatusCode() >= http.StatusInternalServerError {
		return true
	}
	var apiError smithy.APIError
	if errors.As(failure, &apiError) {
		return apiError.ErrorFault() == smithy.FaultServer
	}
	var unsent *smithyhttp.RequestSendError
	var unread *smithy.DeserializationError
	var network net.Error
	return errors.As(failure, &unsent) || errors.As(failure, &unread) || errors.As(failure, &network) ||
		errors.Is(failure, context.Canceled) || errors.Is(failure, context.DeadlineExceeded) ||
		errors.Is(failure, io.ErrUnexpectedEOF) || errors.Is(failure, io.EOF)
}

// advise adds advice to a permanent error.
func advise(failure error) error {
	var apiError smithy.APIError
	if !errors.As(failure, &apiError) {
		return failure
	}
	if cause := causeOf(apiError.ErrorMessage()); errors.Is(cause, storage.ErrTooLarge) {
		failure = fmt.Errorf("%w: %w", cause, failure)
	}
	return fmt.Errorf("%w%s", failure, adviceFor(apiError.ErrorCode()))
}

// causeOf returns the service's message as an error: storage.ErrTooLarge for an item over
// its size limit, which the service names only in the text.
func causeOf(message string) error {
	if strings.Contains(strings.ToLower(message), "item size") {
		return fmt.Errorf("%w: %s", storage.ErrTooLarge, message)
	}
	return errors.New(message)
}

func adviceFor(code string) string {
	if errorCodes.Advice[code] == "" {
		return ""
	}
	return "; " + errorCodes.Advice[code]
}
