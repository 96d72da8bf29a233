package dynamo_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// fakeServer replaces the service over HTTP, so that the SDK's error handling is tested too. It
// returns faults that DynamoDB Local never has.
type fakeServer struct {
	mu       sync.Mutex
	requests []map[string]any // bodies; guarded by mu
	respond  func(n int, req *http.Request) (*http.Response, error)
}

func (s *fakeServer) Do(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	var request map[string]any
	_ = json.Unmarshal(body, &request)
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	return s.respond(n, req)
}

// table returns a table on the server.
func (s *fakeServer) table(options ...dynamo.Option) *dynamo.Table {
	return dynamo.New(dynamodb.New(dynamodb.Options{
		Region: "us-east-1", HTTPClient: s, Credentials: noCredentials{},
	}), "tidemark", options...)
}

// respondsWith returns a server that responds to every request in the same way.
func respondsWith(status int, body string) *fakeServer {
	return &fakeServer{respond: func(int, *http.Request) (*http.Response, error) {
		return response(status, body), nil
	}}
}

// failsWith returns a server whose connections fail.
func failsWith(err error) *fakeServer {
	return &fakeServer{respond: func(int, *http.Request) (*http.Response, error) { return nil, err }}
}

func response(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, ContentLength: int64(len(body)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(body)),
	}
}

// exception returns the body of a service error.
func exception(code string) string {
	return fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"the server's message"}`, code)
}

// cancelled returns the body of a cancelled transaction. Each reason is a code, or a code and an
// item.
func cancelled(reasons ...string) string {
	list := make([]string, len(reasons))
	for i, r := range reasons {
		code, found, ok := strings.Cut(r, " ")
		list[i] = fmt.Sprintf(`{"Code":%q,"Message":"why"`, code)
		if ok {
			list[i] += `,"Item":` + found
		}
		list[i] += "}"
	}
	return `{"__type":"com.amazonaws.dynamodb.v20120810#TransactionCanceledException","message":"cancelled","CancellationReasons":[` + strings.Join(list, ",") + `]}`
}

// onlyRequest returns the only request that was sent.
func (s *fakeServer) onlyRequest(t *testing.T) map[string]any {
	t.Helper()
	if len(s.requests) != 1 {
		t.Fatalf("%d requests were sent, want 1", len(s.requests))
	}
	return s.requests[0]
}
