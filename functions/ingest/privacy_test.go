package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/pkg/memory"
)

// The marks of a visitor: no response, item, log line or metric has them.
const (
	markedAddress = "203.0.113.77"
	markedAgent   = "MarkedAgent/7.7 (MarkedSystem 9)"
)

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
		f.collector.OriginSecrets = [][]byte{[]byte(originSecret)}
		for _, sample := range samples {
			for _, secret := range []string{"", originSecret} {
				response, err := f.handle(invocation(t, sample.Name()+secret), withHeader(t, marked(t, sample.Name()), "X-Tidemark-Origin", secret))
				text, errJSON := json.Marshal(response)
				if err != nil || errJSON != nil {
					t.Fatalf("%s: %v, %v", sample.Name(), err, errJSON)
				}
				for _, mark := range []string{markedAddress, "MarkedAgent", "MarkedSystem"} {
					if strings.Contains(string(text), mark) {
						t.Errorf("%s: the response has %q: %s", sample.Name(), mark, text)
					}
				}
			}
		}
		f.requireNone(t, markedAddress, "MarkedAgent", "MarkedSystem")
		stored += len(f.views(t))
		if f.out.Len() == 0 {
			t.Error("nothing was logged, so the logs prove nothing")
		}
	}
	if stored < 10 {
		t.Errorf("%d events are stored, too few to prove anything", stored)
	}
}
