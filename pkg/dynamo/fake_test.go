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

// server plays the service over HTTP: what the SDK makes of a failure is part of
// what is tested. Faults that DynamoDB Local never has come from here.
type server struct {
	mu       sync.Mutex
	requests []map[string]any // bodies; guarded by mu
	answer   func(n int, req *http.Request) (*http.Response, error)
}

func (s *server) Do(req *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(req.Body)
	var request map[string]any
	_ = json.Unmarshal(body, &request)
	s.mu.Lock()
	n := len(s.requests)
	s.requests = append(s.requests, request)
	s.mu.Unlock()
	return s.answer(n, req)
}

// table is a table on the server.
func (s *server) table(options ...dynamo.Option) *dynamo.Table {
	return dynamo.New(dynamodb.New(dynamodb.Options{
		Region: "us-east-1", HTTPClient: s, Credentials: anonymous{},
	}), "tidemark", options...)
}

// says is a server that answers every request alike.
func says(status int, body string) *server {
	return &server{answer: func(int, *http.Request) (*http.Response, error) { return response(status, body), nil }}
}

// fails is a server whose connection fails.
func fails(err error) *server {
	return &server{answer: func(int, *http.Request) (*http.Response, error) { return nil, err }}
}

func response(status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, ContentLength: int64(len(body)),
		Header: http.Header{"Content-Type": {"application/x-amz-json-1.0"}},
		Body:   io.NopCloser(strings.NewReader(body)),
	}
}

// exception is the body of an error of the service.
func exception(code string) string {
	return fmt.Sprintf(`{"__type":"com.amazonaws.dynamodb.v20120810#%s","message":"the server's words"}`, code)
}

// cancelled is the body of a cancelled transaction; each reason is a code, or a code
// and an item.
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

// sent is the one request that was sent.
func (s *server) sent(t *testing.T) map[string]any {
	t.Helper()
	if len(s.requests) != 1 {
		t.Fatalf("%d requests were sent, want 1", len(s.requests))
	}
	return s.requests[0]
}
