package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/telemetry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("closed") }

func TestEmitFolded_PublishesTheNumberOfEventsByKind(t *testing.T) {
	var out, logged bytes.Buffer
	log := slog.New(slog.NewTextHandler(&logged, nil))
	emitFolded(&telemetry.Emitter{Out: &out, Now: func() model.Time { return 1 }}, "tidemark-query",
		log)("READING", 59)
	for _, want := range []string{`"LiveFolded":59`, `"Kind":"READING"`, `"Function":"tidemark-query"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the line has not %s: %s", want, out.String())
		}
	}
	if logged.Len() > 0 {
		t.Errorf("logged %s", logged.String())
	}
	emitFolded(&telemetry.Emitter{Out: brokenWriter{}, Now: func() model.Time { return 1 }}, "tidemark-query",
		log)("READING", 59)
	if !strings.Contains(logged.String(), "metrics not written") ||
		!strings.Contains(logged.String(), "closed") {
		t.Errorf("logged %q, want that the metric could not be written", logged.String())
	}
}
