package telemetry

import (
	"io"
	"log/slog"
)

// The names of the fields in logs. Doors log with these and no others for the same
// things, so that one query finds them in every function.
const (
	FieldFunction  = "function"
	FieldKind      = "kind"
	FieldSeries    = "series"
	FieldOutcome   = "outcome"
	FieldCount     = "count"
	FieldLag       = "lag_ms"
	FieldRequestID = "request_id"
	FieldError     = "error"
)

// NewLogger writes one JSON object a line to w, from level on. Values that change
// from line to line belong in fields, so that messages can be searched for as they
// stand in the code.
func NewLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
}
