package stack

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/rights"
)

// roles returns the addresses at which functions reach the table as their roles let them: a request that is
// denied is refused as AWS refuses it, and fails the test. So every test of a stack tests the roles too.
func roles(t *testing.T) func(function, endpoint string) string {
	return func(function, endpoint string) string {
		table, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(table)
		proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
		role := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				panic(http.ErrAbortHandler)
			}
			_, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
			for _, q := range itemRequests(operation, body) {
				if !rights.Allows(function, "dynamodb:"+q.action, q.partition) {
					t.Errorf("the role of %s denies %s to partition %s", function, q.action, q.partition)
					w.WriteHeader(http.StatusBadRequest)
					const denied = "com.amazon.coral.service#AccessDeniedException"
					io.WriteString(w, `{"__type":"`+denied+`","Message":"denied"}`)
					return
				}
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			proxy.ServeHTTP(w, r)
		}))
		t.Cleanup(role.Close)
		return role.URL
	}
}

// itemRequest is a request to one item or partition, as IAM authorizes it.
type itemRequest struct{ action, partition string }

// parts are the actions of the parts of batches and transactions.
var parts = map[string]string{
	"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem",
}

// itemRequests returns the requests that a request of DynamoDB's protocol consists of.
func itemRequests(operation string, body []byte) (all []itemRequest) {
	var request any
	if json.Unmarshal(body, &request) != nil {
		return nil
	}
	var walk func(value any, action string)
	walk = func(value any, action string) {
		switch v := value.(type) {
		case []any:
			for _, member := range v {
				walk(member, action)
			}
		case map[string]any:
			if pk, ok := v["pk"].(map[string]any); ok {
				text, _ := pk["S"].(string)
				all = append(all, itemRequest{action, text})
				return
			}
			if text, ok := v["S"].(string); ok && operation == "Query" {
				all = append(all, itemRequest{action, text}) // a value of a condition: the partition is one
			}
			for name, member := range v {
				if part, ok := parts[name]; ok {
					walk(member, part)
				} else {
					walk(member, action)
				}
			}
		}
	}
	walk(request, operation)
	return all
}

func TestItemRequests_AreThoseThatIAMAuthorizes(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]itemRequest{
		`{"Key":{"pk":{"S":"a"},"sk":{"S":"b"}}}`:                           {"GetItem", "a"},
		`{"TransactItems":[{"Delete":{"Key":{"pk":{"S":"a"}}}}]}`:           {"DeleteItem", "a"},
		`{"RequestItems":{"t":[{"PutRequest":{"Item":{"pk":{"S":"a"}}}}]}}`: {"GetItem", "a"},
	} {
		if got := itemRequests("GetItem", []byte(body)); len(got) != 1 || got[0] != want {
			t.Errorf("%s: %v, want %v", body, got, want)
		}
	}
	got := itemRequests("Query", []byte(`{"ExpressionAttributeValues":{":0":{"S":"SALT"}}}`))
	if len(got) != 1 || got[0] != (itemRequest{"Query", "SALT"}) {
		t.Errorf("a query: %v", got)
	}
}
