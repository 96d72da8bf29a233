package main

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/xray"
)

func TestHandle_SendsAPartOfASampledTrace(t *testing.T) {
	t.Parallel()
	f, sent := newFixture(t), new(bytes.Buffer)
	f.tracer = &xray.Tracer{Function: "ingest", Now: time.Now, Daemon: sent}
	header := "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
	//lint:ignore SA1029 it is the key of aws-lambda-go
	ctx := context.WithValue(t.Context(), "x-amzn-trace-id", header)
	if _, err := f.handle(ctx, []byte(
		`{"deviceId": "a", "temperature": 1, "tidemark_kind": "READING", "tidemark_subject": "a"}`)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(sent.String(), `"parent_id":"53995c3f42cd8ad8"`) {
		t.Errorf("sent %q", sent)
	}
}
