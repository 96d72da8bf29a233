package stack

import (
	"context"
	"net/http"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/clock"
)

// A page of another website in a browser on this machine sent a purge.
func TestFront_RefusesPagesOfOtherWebsites(t *testing.T) {
	function := &seen{answer: `{"statusCode":200,"body":"done"}`}
	front, err := StartFront("0", "run-1", clock.Clock{}, []Route{
		{Method: "POST", Path: "/v1/in/{key}", To: function, AnyOrigin: true},
		{Method: "POST", Path: "/v1/{proxy+}", To: function},
	}, http.NotFoundHandler())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { front.Stop(context.Background()) })
	for _, c := range []struct {
		path, host, origin string
		want               int
	}{
		{"/v1/devices/a/purge", "", "", 200},
		{"/v1/devices/a/purge", "localhost:8080", "http://localhost:3000", 200},
		{"/v1/devices/a/purge", "[::1]:8080", "http://[::1]:3000", 200},
		{"/v1/devices/a/purge", "", "https://example.com", 403},
		{"/v1/devices/a/purge", "", "http://127.0.0.1.example.com", 403},
		{"/v1/devices/a/purge", "", "null", 403},
		{"/v1/devices/a/purge", "example.com", "", 421},
		{"/local/status", "example.com", "", 421},
		{"/v1/in/key", "", "https://example.com", 200},
		{"/v1/devices/%ff/purge", "", "", 400},
	} {
		req, err := http.NewRequestWithContext(t.Context(), "POST", front.URL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if req.Host = c.host; c.origin != "" {
			req.Header.Set("Origin", c.origin)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != c.want || resp.Header.Get(IDHeader) != "run-1" {
			t.Errorf("%s of host %q, origin %q: status %d, id %q, want %d and run-1", c.path, c.host, c.origin,
				resp.StatusCode, resp.Header.Get(IDHeader), c.want)
		}
	}
}

func TestFront_PassesABodyThatIsNotUTF8Unchanged(t *testing.T) {
	post := &seen{answer: `{"statusCode":200}`}
	send(t, "POST", startFront(t, post, nil)+"/v1/readings", "application/json",
		[]byte("{\"deviceId\":\"\xff\"}"))
	if !post.request.IsBase64Encoded {
		t.Errorf("the body is %q: the id was changed", post.request.Body)
	}
}
