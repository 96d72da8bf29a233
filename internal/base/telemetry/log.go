package telemetry

import (
	"io"
	"log/slog"
)

// The names of log fields. Every function uses the same names, so that one query finds a field in all logs.
const (
	FieldFunction  = "function"
	FieldSource    = "source"
	FieldKind      = "kind"
	FieldSeries    = "series"
	FieldOutcome   = "outcome"
	FieldCount     = "count"
	FieldLag       = "lag_ms"
	FieldRequestID = "request_id"
	FieldError     = "error"
	FieldAges      = "ages" // of the low watermarks, in seconds, by queue shard
)

// LowWatermarks is the message of the log line that the dashboard draws, one each minute, with FieldAges.
const LowWatermarks = "low watermarks"

// LoggedAges is how many low watermarks the line has at most: the oldest ones.
const LoggedAges = 4

// NewLogger returns a logger that writes one JSON object a line to w, for records at level or above. Put
// values that vary into fields, so that a message can be searched for by the text in the code.
func NewLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
}
