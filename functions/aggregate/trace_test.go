package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/xray"
)

func TestInvoke_SendsASegmentOfTheTraceInARecord(t *testing.T) {
	t.Parallel()
	f, sent := newFixture(t), new(bytes.Buffer)
	f.tracer = &xray.Tracer{Function: "aggregate", Now: time.Now, Daemon: sent}
	plain := sample(t, "insert")
	f.apply(t, plain)
	if failed := f.invoke(t, plain); len(failed) > 0 || sent.Len() > 0 {
		t.Fatalf("without a trace: failed %v, sent %q", failed, sent)
	}
	trace := `"NewImage": {"_trace": {"S": "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8"}, `
	traced := bytes.Replace(plain, []byte(`"NewImage": {`), []byte(trace), 1)
	if bytes.Equal(traced, plain) {
		t.Fatal("the sample has another form")
	}
	if failed := f.invoke(t, traced); len(failed) > 0 {
		t.Errorf("with a trace: failed %v", failed)
	}
	if !strings.Contains(sent.String(), `"fault":false`) ||
		!strings.Contains(sent.String(), `"parent_id":"53995c3f42cd8ad8"`) {
		t.Errorf("sent %q", sent)
	}
}
