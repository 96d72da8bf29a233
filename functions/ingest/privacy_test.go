package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/secret"
	"github.com/tidemark-db/tidemark/internal/api/xray"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/memory"
)

// The marks of a visitor: no response, item, change of an item, log line, metric or trace has them.
const (
	markedAddress = "203.0.113.77"
	markedAgent   = "MarkedAgent/7.7 (MarkedSystem 9)"
	sampledTrace  = "Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1"
)

var marks = []string{markedAddress, "MarkedAgent", "MarkedSystem"}

// marked returns a sample whose visitor has the marks.
func marked(t *testing.T, sample string) []byte {
	t.Helper()
	payload, err := os.ReadFile(filepath.Join(collectSamples, sample))
	if err != nil {
		t.Fatal(err)
	}
	var r events.APIGatewayV2HTTPRequest
	if err := json.Unmarshal(payload, &r); err != nil {
		t.Fatal(err)
	}
	r.RequestContext.HTTP.SourceIP, r.RequestContext.HTTP.UserAgent = markedAddress, markedAgent
	r.Headers["user-agent"], r.Headers["x-forwarded-for"] = markedAgent, markedAddress
	r.Headers["cloudfront-viewer-address"] = markedAddress + ":443"
	if payload, err = json.Marshal(r); err != nil {
		t.Fatal(err)
	}
	return payload
}

func requireNoMark(t *testing.T, what, text string) {
	t.Helper()
	for _, mark := range marks {
		if strings.Contains(text, mark) {
			t.Errorf("%s has %q: %s", what, mark, text)
		}
	}
}

// requireNothingKept fails if something behind the collector can have a mark. A quarantined payload and an
// undelivered message are kept as they were received: the collector quarantines nothing, and its requests
// wait in no queue. What is behind the table stream, also its quarantine and undelivered ranges, has only
// images.
func (f fixture) requireNothingKept(t *testing.T) {
	t.Helper()
	if _, quarantined := f.stored(t); len(quarantined) > 0 {
		t.Errorf("the collector quarantined %v", quarantined)
	}
	for _, r := range f.table.Records(0) {
		for _, image := range []item.Item{r.Old, r.New} {
			for name, v := range image {
				requireNoMark(t, "attribute "+name+" of a record of the table stream", v.S+string(v.B))
			}
		}
	}
}

// Every sample with a marked visitor, on a table that stores and on one that fails, from an
// origin that is trusted and from one that is not.
func TestCollector_NothingNamesAVisitor(t *testing.T) {
	samples, err := os.ReadDir(collectSamples)
	if err != nil {
		t.Fatal(err)
	}
	stored := 0
	for _, wrap := range []func(*memory.Table) store{nil, func(m *memory.Table) store { return secretless{m} }} {
		f := newCollector(t, withSite, wrap)
		f.collector.OriginSecrets = secret.Fixed([]byte(originSecret))
		traces := new(bytes.Buffer)
		f.tracer = &xray.Tracer{Function: "ingest", Now: time.Now, Daemon: traces}
		for _, sample := range samples {
			for _, secret := range []string{"", originSecret} {
				//lint:ignore SA1029 it is the key of aws-lambda-go
				ctx := context.WithValue(invocation(t, sample.Name()+secret), "x-amzn-trace-id", sampledTrace)
				response, err := f.handle(ctx, withHeader(t, marked(t, sample.Name()), "X-Tidemark-Origin", secret))
				text, errJSON := json.Marshal(response)
				if err != nil || errJSON != nil {
					t.Fatalf("%s: %v, %v", sample.Name(), err, errJSON)
				}
				requireNoMark(t, sample.Name()+": the response", string(text))
			}
		}
		f.requireNone(t, marks...)
		requireNoMark(t, "a trace", traces.String())
		f.requireNothingKept(t)
		stored += len(f.views(t))
		if f.out.Len() == 0 || traces.Len() == 0 {
			t.Errorf("%d bytes of logs and %d of traces prove nothing", f.out.Len(), traces.Len())
		}
	}
	if stored < 10 {
		t.Errorf("%d events are stored, too few to prove anything", stored)
	}
}
