package stack

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/base/clock"
)

// seen is a function that records its request and returns a fixed response.
type seen struct {
	request events.APIGatewayV2HTTPRequest
	answer  string
	err     error
}

func (s *seen) Invoke(_ context.Context, payload []byte) ([]byte, error) {
	if err := json.Unmarshal(payload, &s.request); err != nil {
		return nil, err
	}
	return []byte(s.answer), s.err
}

func startFront(t *testing.T, post, get Invoker) string {
	t.Helper()
	f, err := StartFront("0", "run-1", clock.Clock{}, []Route{{Method: "POST", Path: "/v1/{proxy+}", To: post},
		{Method: "GET", Path: "/v1/{proxy+}", To: get}}, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Stop(context.Background()) })
	return f.URL
}

func send(t *testing.T, method, url, contentType string, body []byte) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Add("X-Twice", "a")
	req.Header.Add("X-Twice", "b")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(text)
}

func TestFront_ConvertsARequestAsAPIGatewayDoes(t *testing.T) {
	get := &seen{answer: `{"statusCode":200}`}
	url := startFront(t, nil, get)
	send(t, "GET", url+"/v1/devices/a%2Fb%20c/readings?from=2026&x=1&x=2", "", nil)
	r := get.request
	for what, pair := range map[string][2]string{
		"version":     {r.Version, "2.0"},
		"path":        {r.RawPath, "/v1/devices/a/b c/readings"},
		"raw query":   {r.RawQueryString, "from=2026&x=1&x=2"},
		"query":       {r.QueryStringParameters["x"], "1,2"},
		"method":      {r.RequestContext.HTTP.Method, "GET"},
		"header":      {r.Headers["x-twice"], "a,b"},
		"stage":       {r.RequestContext.Stage, "$default"},
		"source":      {r.RequestContext.HTTP.SourceIP, "127.0.0.1"},
		"host":        {r.RequestContext.DomainName, "127.0.0.1"},
		"body":        {r.Body, ""},
		"proxy":       {r.PathParameters["proxy"], "devices/a/b c/readings"},
		"request key": {r.RouteKey, "GET /v1/{proxy+}"},
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s is %q, want %q", what, pair[0], pair[1])
		}
	}
}

func TestFront_EncodesBodiesThatAreNotText(t *testing.T) {
	body := []byte("{\"a\":1}\n")
	for contentType, encoded := range map[string]bool{
		"application/json": false, "application/json; charset=utf-8": false, "text/plain": false,
		"application/x-ndjson": true, "application/octet-stream": true, "": true,
	} {
		post := &seen{answer: `{"statusCode":200}`}
		send(t, "POST", startFront(t, post, nil)+"/v1/readings", contentType, body)
		got := []byte(post.request.Body)
		if encoded {
			got, _ = base64.StdEncoding.DecodeString(post.request.Body)
		}
		if post.request.IsBase64Encoded != encoded || !bytes.Equal(got, body) {
			t.Errorf("%q: the body is %q, in base64: %t, want %t", contentType, post.request.Body,
				post.request.IsBase64Encoded, encoded)
		}
	}
}

func TestFront_ReturnsTheResponseOfTheFunction(t *testing.T) {
	post := &seen{answer: `{"statusCode":503,"headers":{"Retry-After":"1","content-type":"application/problem+json"},"cookies":["a=1"],"body":"eyJ4IjoxfQ==","isBase64Encoded":true}`}
	resp, body := send(t, "POST", startFront(t, post, nil)+"/v1/readings", "application/json", []byte("{}"))
	if resp.StatusCode != 503 || body != `{"x":1}` || resp.Header.Get("Retry-After") != "1" ||
		resp.Header.Get("Content-Type") != "application/problem+json" || resp.Header.Get("Set-Cookie") != "a=1" {
		t.Errorf("got %d %s with %v", resp.StatusCode, body, resp.Header)
	}
}

func TestFront_ResponseWithoutStatusIsTheBody(t *testing.T) {
	get := &seen{answer: `{"rollups":[]}`}
	resp, body := send(t, "GET", startFront(t, nil, get)+"/v1/x", "", nil)
	if resp.StatusCode != 200 || body != get.answer {
		t.Errorf("got %d %s, want 200 %s", resp.StatusCode, body, get.answer)
	}
}

func TestFront_HidesTheErrorOfTheFunction(t *testing.T) {
	for _, c := range []struct {
		err    error
		status int
	}{
		{errors.New("secret"), http.StatusInternalServerError},
		{ErrTimedOut, http.StatusServiceUnavailable},
	} {
		resp, body := send(t, "GET", startFront(t, nil, &seen{err: c.err})+"/v1/x", "", nil)
		if resp.StatusCode != c.status || strings.Contains(body, c.err.Error()) {
			t.Errorf("%v: got %d %s, want %d", c.err, resp.StatusCode, body, c.status)
		}
	}
}

func TestFront_RejectsTooLargeRequests(t *testing.T) {
	post := &seen{answer: `{"statusCode":200}`}
	resp, _ := send(t, "POST", startFront(t, post, nil)+"/v1/readings", "application/json",
		make([]byte, maxRequest+1))
	if resp.StatusCode != http.StatusRequestEntityTooLarge || post.request.Version != "" {
		t.Errorf("got %d, the function was invoked: %t", resp.StatusCode, post.request.Version != "")
	}
}

func TestFront_OtherPathsInvokeNoFunction(t *testing.T) {
	url := startFront(t, &seen{}, &seen{})
	for _, path := range []string{"/", "/v2/readings", "/v1"} {
		if resp, _ := send(t, "POST", url+path, "", nil); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s returned %d", path, resp.StatusCode)
		}
	}
	if resp, _ := send(t, "DELETE", url+"/v1/readings", "", nil); resp.StatusCode != http.StatusNotFound {
		t.Errorf("DELETE returned %d", resp.StatusCode)
	}
}
