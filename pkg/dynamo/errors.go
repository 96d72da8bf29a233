package dynamo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// answers is what a failure of these codes says of a write. All other failures of
// the caller's making are errors; all of the server's making are Uncertain.
var answers = map[string]model.Answer{
	"ConditionalCheckFailedException":        model.Refused,
	"ThrottlingException":                    model.Throttled,
	"Throttling":                             model.Throttled,
	"ProvisionedThroughputExceededException": model.Throttled,
	"RequestLimitExceeded":                   model.Throttled,
	"TransactionConflictException":           model.Conflicting,
	"ReplicatedWriteConflictException":       model.Conflicting,
	// The same token is at work: that very request may be stored yet.
	"TransactionInProgressException": model.Uncertain,
	"InternalServerError":            model.Uncertain,
	"ServiceUnavailable":             model.Uncertain,
}

// Codes of the reasons for which a transaction is cancelled.
const (
	conditionFailed = "ConditionalCheckFailed"
	noReason        = "None"
)

// reasonAnswers is what a reason says of its action; any other is an error.
var reasonAnswers = map[string]model.Answer{
	noReason:                        model.Written,
	conditionFailed:                 model.Refused,
	"TransactionConflict":           model.Conflicting,
	"ThrottlingError":               model.Throttled,
	"ProvisionedThroughputExceeded": model.Throttled,
}

// advice is what to do about a failure that no retry mends.
var advice = map[string]string{
	"ResourceNotFoundException":           "check the table's name and region; create it first (tidemark dev does, and so does cdk deploy)",
	"AccessDeniedException":               "grant the caller this action on the table",
	"AccessDenied":                        "grant the caller this action on the table",
	"UnrecognizedClientException":         "check the credentials and the region",
	"InvalidSignatureException":           "check the secret key and this machine's clock",
	"MissingAuthenticationTokenException": "give the client credentials",
	"ExpiredTokenException":               "log in again: the session's credentials have expired",
	"IdempotentParameterMismatchException": "give a changed transaction a new token: " +
		"this one was stored with other contents within the last ten minutes",
	"ValidationException":             "the request is malformed: an item over 400 KB, a transaction over 100 items or 4 MB, or one that names an item twice",
	"ValidationError":                 "the action is malformed: an item over 400 KB, or a key past its limit",
	"ItemCollectionSizeLimitExceeded": "the table has a local secondary index, which ours never has: recreate it by its definition",
	"DuplicateItem":                   "the transaction names an item twice",
}

// translate turns the failure of a write into what the server said, nil being
// Written. Its error is for what no retry can mend, and says what to do.
func (t *Table) translate(operation string, failure error) (model.Answer, error) {
	if failure == nil {
		return model.Written, nil
	}
	answer, err := answerOf(failure)
	if err != nil {
		return model.Uncertain, fmt.Errorf("%s %s: %w", operation, t.name, err)
	}
	return answer, nil
}

func answerOf(failure error) (model.Answer, error) {
	var cancelled *types.TransactionCanceledException
	if errors.As(failure, &cancelled) {
		return cancelledAnswer(cancelled)
	}
	var said smithy.APIError
	if errors.As(failure, &said) {
		if answer, known := answers[said.ErrorCode()]; known {
			return answer, nil
		}
	}
	if ambiguous(failure) {
		return model.Uncertain, nil
	}
	return model.Uncertain, advise(failure)
}

// cancelledAnswer reads every reason. One that no retry mends comes before all; then
// the passing ones, for where an action was throttled or in conflict its condition
// was not looked at, and nothing may be concluded from the others.
func cancelledAnswer(cancelled *types.TransactionCanceledException) (model.Answer, error) {
	seen := map[model.Answer]bool{}
	for i, reason := range cancelled.CancellationReasons {
		code := codeOf(reason)
		answer, known := reasonAnswers[code]
		if !known {
			return model.Uncertain, fmt.Errorf("item %d of the transaction: %s: %s%s", i, code, deref(reason.Message), adviceFor(code))
		}
		seen[answer] = true
	}
	for _, answer := range []model.Answer{model.Throttled, model.Conflicting, model.Refused} {
		if seen[answer] {
			return answer, nil
		}
	}
	return model.Uncertain, fmt.Errorf("the transaction was cancelled and no reason given: %w", cancelled)
}

func codeOf(reason types.CancellationReason) string {
	if reason.Code == nil {
		return noReason
	}
	return *reason.Code
}

// ambiguous reports whether the request may have reached the server and been carried
// out: the server failed, or its answer did not come, or could not be read.
func ambiguous(failure error) bool {
	var response *smithyhttp.ResponseError
	if errors.As(failure, &response) && response.HTTPStatusCode() >= http.StatusInternalServerError {
		return true
	}
	var said smithy.APIError
	if errors.As(failure, &said) {
		return said.ErrorFault() == smithy.FaultServer
	}
	var unsent *smithyhttp.RequestSendError
	var unread *smithy.DeserializationError
	var network net.Error
	return errors.As(failure, &unsent) || errors.As(failure, &unread) || errors.As(failure, &network) ||
		errors.Is(failure, context.Canceled) || errors.Is(failure, context.DeadlineExceeded) ||
		errors.Is(failure, io.ErrUnexpectedEOF) || errors.Is(failure, io.EOF)
}

// advise adds what to do to a failure that no retry mends.
func advise(failure error) error {
	var said smithy.APIError
	if !errors.As(failure, &said) {
		return failure
	}
	return fmt.Errorf("%w%s", failure, adviceFor(said.ErrorCode()))
}

func adviceFor(code string) string {
	if advice[code] == "" {
		return ""
	}
	return "; " + advice[code]
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}
