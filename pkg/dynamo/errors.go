package dynamo

import (
	"context"
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

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// translate returns the result of a write that failed with failure; nil means Written.
// The error is permanent and says what to do.
func (t *Table) translate(operation string, failure error) (storage.WriteResult, error) {
	if failure == nil {
		return storage.Written, nil
	}
	result, err := writeResult(failure)
	if err != nil {
		return storage.Unknown, fmt.Errorf("%s in %s: %w", operation, t.name, permanent(err))
	}
	return result, nil
}

func writeResult(failure error) (storage.WriteResult, error) {
	var cancelled *types.TransactionCanceledException
	if errors.As(failure, &cancelled) {
		return cancelledResult(cancelled)
	}
	var apiError smithy.APIError
	if errors.As(failure, &apiError) {
		if result, known := writeResults[apiError.ErrorCode()]; known {
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
		code := reasonCode(reason)
		result, known := actionResults[code]
		if !known {
			return storage.Unknown, fmt.Errorf("item %d of the transaction: %s: %w%s", i, code,
				refusalCause(aws.ToString(reason.Message)), adviceFor(code))
		}
		seen[result] = true
	}
	for _, result := range []storage.WriteResult{storage.Throttled, storage.Conflicted,
		storage.ConditionFailed} {
		if seen[result] {
			return result, nil
		}
	}
	return storage.Unknown, fmt.Errorf("the transaction was cancelled without a reason: %w", cancelled)
}

func reasonCode(reason types.CancellationReason) string {
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

// permanent adds model.ErrPermanent to an error of a request that would fail again. An item that is too large
// is an error of its value, and of no class: the caller decides what to store instead.
func permanent(err error) error {
	if errors.Is(err, storage.ErrTooLarge) {
		return err
	}
	return fmt.Errorf("%w: %w", model.ErrPermanent, err)
}

// classified adds the class of an error that the client returned: it is undecided if the table was busy, or
// the request or its response was lost, and else permanent. Errors that are not of a request have no class.
func classified(failure error) error {
	var request *smithy.OperationError
	if !errors.As(failure, &request) {
		return failure
	}
	var apiError smithy.APIError
	if errors.As(failure, &apiError) {
		if _, busy := writeResults[apiError.ErrorCode()]; busy {
			return fmt.Errorf("%w: %w", model.ErrUndecided, failure)
		}
	}
	if ambiguous(failure) {
		return fmt.Errorf("%w: %w", model.ErrUndecided, failure)
	}
	return permanent(advise(failure))
}

// advise adds advice to a permanent error.
func advise(failure error) error {
	var apiError smithy.APIError
	if !errors.As(failure, &apiError) {
		return failure
	}
	if cause := refusalCause(apiError.ErrorMessage()); errors.Is(cause, storage.ErrTooLarge) {
		failure = fmt.Errorf("%w: %w", cause, failure)
	}
	return fmt.Errorf("%w%s", failure, adviceFor(apiError.ErrorCode()))
}

// refusalCause returns the service's message as an error: storage.ErrTooLarge for an item over
// its size limit, which the service names only in the text.
func refusalCause(message string) error {
	if strings.Contains(strings.ToLower(message), "item size") {
		return fmt.Errorf("%w: %s", storage.ErrTooLarge, message)
	}
	return errors.New(message)
}

func adviceFor(code string) string {
	if advice[code] == "" {
		return ""
	}
	return "; " + advice[code]
}
