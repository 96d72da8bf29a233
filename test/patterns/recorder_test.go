package patterns

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// request is one request that DynamoDB receives.
type request struct {
	Operation string
	input
	TransactItems []map[string]input
}

// input has the parameters of all operations; each request sets some of them.
type input struct {
	IndexName                 string
	Key, Item                 map[string]value
	KeyConditionExpression    string
	ConditionExpression       string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]value
}

// value is a stored value by its type.
type value map[string]any

func (v value) String() string {
	for kind, x := range v {
		if kind == "S" {
			return fmt.Sprintf("%q", x)
		}
		return fmt.Sprint(x)
	}
	return ""
}

// recorder is a server with an empty table. It accepts and records every request.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request // guarded by mu
}

func newRecorder() *recorder {
	r := &recorder{}
	r.Server = httptest.NewServer(r)
	return r
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, sent *http.Request) {
	body, err := io.ReadAll(sent.Body)
	var received request
	if err == nil {
		err = json.Unmarshal(body, &received)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, received.Operation, _ = strings.Cut(sent.Header.Get("X-Amz-Target"), ".")
	r.mu.Lock()
	r.requests = append(r.requests, received)
	r.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_, _ = io.WriteString(w, `{}`)
}

// of returns the requests of a pattern, sorted, since the order of concurrent requests to
// several shards varies.
func (r *recorder) of(ctx context.Context, p pattern) ([]request, error) {
	client, err := dynamo.NewClient(ctx, "local", r.URL)
	if err != nil {
		return nil, err
	}
	w, err := newWorld(dynamo.New(client, "tidemark"))
	if err != nil {
		return nil, err
	}
	r.requests = nil
	if _, err = p.run(ctx, w); errors.Is(err, lifecycle.ErrNoPurge) {
		err = nil // the table is empty
	}
	// A process reads the table's configuration every few minutes, and the state of the table stream every
	// few seconds, not with each pattern.
	r.requests = slices.DeleteFunc(r.requests, func(q request) bool {
		return strings.Contains(q.text(), tablekeys.KindConfigs) ||
			strings.Contains(q.text(), tablekeys.JobAggregate)
	})
	slices.SortFunc(r.requests, func(a, b request) int { return cmp.Compare(a.text(), b.text()) })
	return r.requests, err
}

// text returns the request as text: operation, keys and condition.
func (r request) text() string {
	if len(r.TransactItems) > 0 {
		var parts []string
		for _, item := range r.TransactItems {
			for verb, in := range item {
				parts = append(parts, verb+" "+in.text())
			}
		}
		return r.Operation + ": " + strings.Join(parts, "; ")
	}
	return r.Operation + " " + r.input.text()
}

func (in input) text() string {
	switch {
	case in.KeyConditionExpression != "":
		return in.filled(in.KeyConditionExpression)
	case in.ConditionExpression != "":
		return in.key() + " if " + in.filled(in.ConditionExpression)
	}
	return in.key()
}

// key returns the key of the request as text.
func (in input) key() string {
	at := in.Key
	if at == nil {
		at = in.Item
	}
	return fmt.Sprintf("pk = %s AND sk = %s", at["pk"], at["sk"])
}

var placeholder = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)

// filled returns an expression with its placeholders replaced.
func (in input) filled(expression string) string {
	return placeholder.ReplaceAllStringFunc(expression, func(p string) string {
		if name, ok := in.ExpressionAttributeNames[p]; ok {
			return name
		}
		if v, ok := in.ExpressionAttributeValues[p]; ok {
			return v.String()
		}
		return p
	})
}

// index returns the name of the index that the request reads.
func (r request) index() string { return cmp.Or(r.IndexName, "the table") }
