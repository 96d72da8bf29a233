package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// The exit statuses.
const (
	exitDone   = 0
	exitNo     = 1 // the check found a problem, or nothing has that name or id
	exitUsage  = 2 // a flag, an argument, an input file or the configuration is wrong
	exitFailed = 3 // the command could not finish
)

// failure is an error with its own exit status. Without a message nothing is printed: the
// command has printed it already.
type failure struct {
	status  int
	message error
}

func (f *failure) Error() string {
	if f.message == nil {
		return fmt.Sprintf("exit status %d", f.status)
	}
	return f.message.Error()
}

func (f *failure) Unwrap() error { return f.message }

// usagef returns an error that ends the command with exitUsage.
func usagef(format string, args ...any) error { return usererr.Errorf(format, args...) }

// checkFailed ends the command with exitNo and prints nothing: the report says why.
var checkFailed error = &failure{status: exitNo}

// no prints a line and ends the command with exitNo.
func no(w io.Writer, format string, args ...any) error {
	fmt.Fprintf(w, "tidemark: "+format+"\n", args...)
	return checkFailed
}

// exitStatus returns the exit status of a command that returned err.
func exitStatus(err error) int {
	var f *failure
	switch {
	case err == nil:
		return exitDone
	case errors.As(err, &f):
		return f.status
	case usererr.Is(err):
		return exitUsage
	default:
		return exitFailed
	}
}

// describe returns the message to print for err, or "".
func describe(err error) string {
	var f *failure
	switch {
	case err == nil, errors.As(err, &f) && f.message == nil:
		return ""
	case errors.Is(err, context.Canceled):
		return "stopped"
	default:
		return cmp.Or(unreachable(err), notDynamoDB(err), err.Error())
	}
}

// unreachable returns the message for a request that AWS's client library could not send, "" for another
// error. The text of the library has a dozen parts, of which the last says why.
func unreachable(err error) string {
	var unsent *smithyhttp.RequestSendError
	var request *url.Error
	if !errors.As(err, &unsent) || !errors.As(unsent, &request) {
		return ""
	}
	why := request.Err.Error()
	if request.Timeout() {
		why = "no response in time"
	}
	return fmt.Sprintf("%s cannot be reached: %s: check --endpoint, --region and the network", request.URL,
		why)
}

// notDynamoDB returns the message for a response that DynamoDB does not send, such as a page of another
// server or of a proxy, "" for another error.
func notDynamoDB(err error) string {
	var response *smithyhttp.ResponseError
	var unreadable *smithy.DeserializationError
	var problem smithy.APIError
	if !errors.As(err, &response) || !errors.As(err, &unreadable) &&
		(!errors.As(err, &problem) || problem.ErrorCode() != unnamedError) {
		return ""
	}
	return fmt.Sprintf(
		"%s did not respond as DynamoDB does (status %d): check --endpoint, and proxies on the way",
		response.Response.Request.URL, response.HTTPStatusCode())
}

// unnamedError is the code that AWS's client library gives to an error whose response names none.
const unnamedError = "UnknownError"
