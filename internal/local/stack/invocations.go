package stack

import (
	"io"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/selfinvoke"
	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

// invocationsPath is the route of Lambda's API by which a function invokes another one, or itself.
const invocationsPath = "POST /2015-03-31/functions/{name}/invocations"

// maxEvent is the largest payload of an asynchronous invocation.
const maxEvent = 1 << 20

// startInvocations starts the endpoint of Lambda through which aggregate invokes itself.
func (s *Stack) startInvocations() (err error) {
	routes := http.NewServeMux()
	routes.HandleFunc(invocationsPath, s.invokeEvent)
	s.invocations, err = StartFront("", "", clock.Clock{}, nil, routes)
	return err
}

// invokeEvent accepts an invocation and carries it out later, as Lambda does. Errors are in the log of the
// function.
func (s *Stack) invokeEvent(w http.ResponseWriter, r *http.Request) {
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxEvent))
	switch {
	case err != nil:
		writeMessage(w, http.StatusRequestEntityTooLarge, "RequestTooLargeException")
	case r.PathValue("name") != deployedName(aggregate):
		writeMessage(w, http.StatusNotFound, "ResourceNotFoundException")
	case r.Header.Get("X-Amz-Invocation-Type") != "Event":
		writeMessage(w, http.StatusBadRequest, "InvalidParameterValueException: only events")
	case s.ctx.Err() != nil:
		writeMessage(w, http.StatusServiceUnavailable, "ServiceException: the stack stops")
	default:
		s.running.Go(func() { _ = s.functions[aggregate].InvokeEvent(s.ctx, payload) })
		w.WriteHeader(http.StatusAccepted)
	}
}

// deployedName returns the name of a function of the stack.
func deployedName(function string) string { return "tidemark-" + function }

// ownInvocations returns the environment variables by which aggregate invokes itself.
func (s *Stack) ownInvocations() []string {
	return []string{
		selfinvoke.EnvEndpoint + "=" + s.invocations.URL,
		config.EnvSelf + "=arn:aws:lambda:" + Region + ":000000000000:function:" + deployedName(aggregate),
	}
}
