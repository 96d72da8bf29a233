package dynamo

import (
	"errors"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"

	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// The codes are tested on errors without an HTTP response, as other clients than the SDK's return them:
// no status code can decide in their place.
func TestWriteResults_EachCodeHasItsResult(t *testing.T) {
	t.Parallel()
	want := map[string]storage.WriteResult{
		"ConditionalCheckFailedException":        storage.ConditionFailed,
		"ThrottlingException":                    storage.Throttled,
		"Throttling":                             storage.Throttled,
		"ProvisionedThroughputExceededException": storage.Throttled,
		"RequestLimitExceeded":                   storage.Throttled,
		"TransactionConflictException":           storage.Conflicted,
		"ReplicatedWriteConflictException":       storage.Conflicted,
		"TransactionInProgressException":         storage.Unknown,
		"InternalServerError":                    storage.Unknown,
		"ServiceUnavailable":                     storage.Unknown,
	}
	table := New(nil, "telemetry")
	for code, result := range want {
		got, err := table.translate("Put", &smithy.GenericAPIError{Code: code})
		if err != nil || got != result {
			t.Errorf("%s: %v, %v; want %v", code, got, err, result)
		}
	}
	requireTested(t, writeResults, want)
}

func TestActionResults_EachReasonHasItsResult(t *testing.T) {
	t.Parallel()
	want := map[string]storage.WriteResult{
		"None":                          storage.Written,
		"ConditionalCheckFailed":        storage.ConditionFailed,
		"TransactionConflict":           storage.Conflicted,
		"ThrottlingError":               storage.Throttled,
		"ProvisionedThroughputExceeded": storage.Throttled,
	}
	failed := types.CancellationReason{Code: new("ConditionalCheckFailed")}
	for code, result := range want {
		got, err := writeResult(&types.TransactionCanceledException{
			CancellationReasons: []types.CancellationReason{{Code: &code}, failed}})
		if result == storage.Written {
			result = storage.ConditionFailed // by the other action
		}
		if err != nil || got != result {
			t.Errorf("%s beside a failed condition: %v, %v; want %v", code, got, err, result)
		}
	}
	requireTested(t, actionResults, want)
}

func TestAdvice_EachCodeOfAPermanentErrorHasIts(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"ResourceNotFoundException":            "name and region",
		"AccessDeniedException":                "grant",
		"AccessDenied":                         "grant",
		"UnrecognizedClientException":          "credentials",
		"InvalidSignatureException":            "clock",
		"MissingAuthenticationTokenException":  "configure credentials",
		"ExpiredTokenException":                "log in again",
		"IdempotentParameterMismatchException": "new token",
		"ValidationException":                  "400 KB",
		"ValidationError":                      "400 KB",
		"ItemCollectionSizeLimitExceeded":      "local secondary index",
		"DuplicateItem":                        "two actions on one item",
	}
	table := New(nil, "telemetry")
	for code, words := range want {
		got, err := table.translate("Put", &smithy.GenericAPIError{Code: code, Message: "the server's message"})
		if err == nil || got != storage.Unknown || !strings.Contains(err.Error(), words) ||
			!errors.As(err, new(smithy.APIError)) || !strings.Contains(err.Error(), "telemetry") {
			t.Errorf("%s: %v, %v; want an error that names the table and says %q", code, got, err, words)
		}
	}
	requireTested(t, advice, want)
}

// requireTested fails for each row that the test has no expectation for.
func requireTested[V, W any](t *testing.T, rows map[string]V, want map[string]W) {
	t.Helper()
	for code := range rows {
		if _, tested := want[code]; !tested {
			t.Errorf("%s is in the table, but not in this test", code)
		}
	}
}
