package promapi

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/prometheus/prometheus/promql"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

// failed is a response with an error: its status, type and text.
type failed struct {
	status int
	kind   string
	text   string
}

func (f *failed) Error() string { return f.text }

func badData(format string, args ...any) error {
	return &failed{status: http.StatusBadRequest, kind: "bad_data", text: fmt.Sprintf(format, args...)}
}

// evaluationError is an error of the engine: of the query, if it is not of the storage.
type evaluationError struct{ error }

func (e *evaluationError) Unwrap() error { return e.error }

// storageError is an error of reading the table. The engine reports it like an error of the query.
type storageError struct{ error }

func (e *storageError) Unwrap() error { return e.error }

// failure returns the response to a request that failed.
func (a *API) failure(ctx context.Context, r *httpapi.Request, err error) httpapi.Response {
	f := newFailure(err)
	if f.status == http.StatusInternalServerError {
		a.Log.ErrorContext(ctx, "query failed", "requestId", r.ID, "error", err)
	}
	return httpapi.JSON(f.status, map[string]string{"status": "error", "errorType": f.kind, "error": f.text})
}

// newFailure returns the type of an error, as Prometheus names it.
func newFailure(err error) *failed {
	var (
		known     *failed
		own       limitError
		timeout   promql.ErrQueryTimeout
		canceled  promql.ErrQueryCanceled
		stored    *storageError
		evaluated *evaluationError
	)
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &own):
		return &failed{status: http.StatusUnprocessableEntity, kind: "execution", text: own.text}
	case errors.As(err, &timeout), errors.Is(err, context.DeadlineExceeded):
		return &failed{status: http.StatusServiceUnavailable, kind: "timeout", text: err.Error()}
	case errors.As(err, &canceled), errors.Is(err, context.Canceled):
		return &failed{status: http.StatusServiceUnavailable, kind: "canceled", text: err.Error()}
	case errors.As(err, &evaluated) && !errors.As(err, &stored):
		return &failed{status: http.StatusUnprocessableEntity, kind: "execution", text: err.Error()}
	}
	return &failed{
		status: http.StatusInternalServerError, kind: "internal",
		text: "the table could not be read: repeat the query",
	}
}
