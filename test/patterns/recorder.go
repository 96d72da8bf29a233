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

	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
)

// request is one request as the table was sent it.
type request struct {
	Operation string
	input
	TransactItems []map[string]input
}

// input is what the requests of all operations have, each its part.
type input struct {
	IndexName                 string
	Key, Item                 map[string]value
	KeyConditionExpression    string
	ConditionExpression       string
	ExpressionAttributeNames  map[string]string
	ExpressionAttributeValues map[string]value
}

// value is a stored value, by its type.
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

// recorder is a server that takes everything, holds nothing, and writes down what it
// was asked.
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
	var asked request
	if err == nil {
		err = json.Unmarshal(body, &asked)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, asked.Operation, _ = strings.Cut(sent.Header.Get("X-Amz-Target"), ".")
	r.mu.Lock()
	r.requests = append(r.requests, asked)
	r.mu.Unlock()
	w.Header().Set("Content-Type", "application/x-amz-json-1.0")
	_, _ = io.WriteString(w, `{}`)
}

// of are the requests that a pattern sends, in an order that does not depend on which
// shard was faster.
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
	if _, err = p.call(ctx, w); errors.Is(err, lifecycle.ErrNoPurge) {
		err = nil // it holds nothing, and that is an answer
	}
	slices.SortFunc(r.requests, func(a, b request) int { return cmp.Compare(a.said(), b.said()) })
	return r.requests, err
}

// said is the request in words: what is asked, of what, on which condition.
func (r request) said() string {
	if len(r.TransactItems) > 0 {
		var parts []string
		for _, item := range r.TransactItems {
			for verb, in := range item {
				parts = append(parts, verb+" "+in.said())
			}
		}
		return r.Operation + ": " + strings.Join(parts, "; ")
	}
	return r.Operation + " " + r.input.said()
}

func (in input) said() string {
	switch {
	case in.KeyConditionExpression != "":
		return in.filled(in.KeyConditionExpression)
	case in.ConditionExpression != "":
		return in.key() + " if " + in.filled(in.ConditionExpression)
	}
	return in.key()
}

// key is where the request is aimed.
func (in input) key() string {
	at := in.Key
	if at == nil {
		at = in.Item
	}
	return fmt.Sprintf("pk = %s AND sk = %s", at["pk"], at["sk"])
}

var placeholder = regexp.MustCompile(`[#:][A-Za-z0-9_]+`)

// filled is an expression with its names and values in their places.
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

// index is what the request is made on.
func (r request) index() string { return cmp.Or(r.IndexName, "the table") }
