package replay

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// A server that is not Tidemark may return a list as long as the request. Nothing of it is stored.
func TestReadResponse_RefusesOutcomesOfAnotherServer(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`[{},{}]`, `[null,null]`, `[{"outcome":"applied"},{"outcome":"ok"}]`,
		`[{"outcome":"applied"},{"outcome":"stored"}]`, `{"items":[]}`, `null`, `[]`, `<html>`, ``,
		`[{"outcome":1},{"outcome":1}]`} {
		got, err := readResponse("http://api", httpResponse(http.StatusOK, nil), []byte(body), 2)
		if err == nil {
			t.Errorf("%s: got %v, want an error", body, got)
		}
	}
	ok := `[{"outcome":"applied"},{"outcome":"unknown"}]`
	got, err := readResponse("http://api", httpResponse(http.StatusServiceUnavailable, nil), []byte(ok), 2)
	if err != nil || len(got) != 2 || got[1].Outcome != model.Unknown {
		t.Errorf("got %v, %v; want both outcomes", got, err)
	}
}

func TestRefusal_SaysWhatTheServerSent(t *testing.T) {
	t.Parallel()
	redirect := http.Header{"Location": {"https://login.example.com"}}
	for _, c := range []struct {
		status int
		header http.Header
		body   string
		want   string
	}{
		{http.StatusFound, redirect, "<a>", "302 Found, to https://login.example.com: "},
		{http.StatusForbidden, nil, `{"message":"Forbidden"}`, `403 Forbidden: {"message":"Forbidden"}`},
		{http.StatusBadGateway, nil, "<html>\n<b>", "502 Bad Gateway: <html>"},
		{http.StatusNoContent, nil, "", "204 No Content without a body: is this the URL"},
	} {
		err := Refusal("http://api", httpResponse(c.status, c.header), []byte(c.body))
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// A request is sent again after the pause that the response asks for.
func TestSend_WaitsAsLongAsTheResponseSays(t *testing.T) {
	t.Parallel()
	var times []time.Time
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if times = append(times, time.Now()); len(times) == 1 {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Write([]byte(`[{"outcome":"applied"}]`))
	}))
	defer server.Close()
	s := &Sender{URL: server.URL, Batch: 10, Lanes: 1, Client: server.Client()}
	err := s.sendAll(t.Context(), numbered(1, 1))
	if err != nil || len(times) != 2 || times[1].Sub(times[0]) < time.Second {
		t.Errorf("%v, requests at %v; want the second a second later", err, times)
	}
	for given, want := range map[string]time.Duration{"7": 7 * time.Second, "99999999999": time.Minute} {
		header := http.Header{"Retry-After": {given}}
		err := refused("http://api", httpResponse(http.StatusTooManyRequests, header), nil)
		if busy := new(busyError); !errors.As(err, &busy) || busy.after != want {
			t.Errorf("Retry-After %s: got %v, want %s", given, err, want)
		}
	}
}

func httpResponse(status int, header http.Header) *http.Response {
	return &http.Response{StatusCode: status, Header: header,
		Status: fmt.Sprint(status, " ", http.StatusText(status))}
}
