package dynamo

import "github.com/tidemark-db/tidemark/internal/store/storage"

// writeResults are the results of a failed write, by error code. A code that is missing here is a
// permanent error if the request caused it, and Unknown if the server did.
var writeResults = map[string]storage.WriteResult{
	"ConditionalCheckFailedException":        storage.ConditionFailed,
	"ThrottlingException":                    storage.Throttled,
	"Throttling":                             storage.Throttled,
	"ProvisionedThroughputExceededException": storage.Throttled,
	"RequestLimitExceeded":                   storage.Throttled,
	"TransactionConflictException":           storage.Conflicted,
	"ReplicatedWriteConflictException":       storage.Conflicted,
	// The first attempt with this token is still in progress.
	"TransactionInProgressException": storage.Unknown,
	"InternalServerError":            storage.Unknown,
	"ServiceUnavailable":             storage.Unknown,
}

// Codes of cancellation reasons that the program names.
const (
	conditionFailed = "ConditionalCheckFailed"
	noReason        = "None"
)

// actionResults are the results of one action of a cancelled transaction, by its cancellation
// reason. Other reasons are permanent errors.
var actionResults = map[string]storage.WriteResult{
	noReason:                        storage.Written,
	conditionFailed:                 storage.ConditionFailed,
	"TransactionConflict":           storage.Conflicted,
	"ThrottlingError":               storage.Throttled,
	"ProvisionedThroughputExceeded": storage.Throttled,
}

// advice says what to do about a permanent error, by its code.
var advice = map[string]string{
	"ResourceNotFoundException": "check the table's name and region, or create the table: " +
		"`tidemark dev` and `cdk deploy` do",
	"AccessDeniedException":               "grant the caller this action on the table",
	"AccessDenied":                        "grant the caller this action on the table",
	"UnrecognizedClientException":         "check the credentials and the region",
	"InvalidSignatureException":           "check the secret key and this machine's clock",
	"MissingAuthenticationTokenException": "configure credentials for the client",
	"ExpiredTokenException":               "log in again: the session's credentials have expired",
	"IdempotentParameterMismatchException": "use a new token for a changed transaction: " +
		"this token was used for another transaction within the last ten minutes",
	"ValidationException": "the request is malformed: an item over 400 KB, a transaction over 100 " +
		"items or 4 MB, or a transaction with two actions on one item",
	"ValidationError": "the action is malformed: an item over 400 KB, or a key past its limit",
	"ItemCollectionSizeLimitExceeded": "the table has a local secondary index, which Tidemark never creates: " +
		"recreate the table by its definition",
	"DuplicateItem": "the transaction has two actions on one item",
}
