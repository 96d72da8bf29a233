package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// The endpoint may be another server, such as the HTTP API itself, or a proxy with a page of its own.
func TestRun_SaysThatAnEndpointIsNotDynamoDB(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
	}{
		{http.StatusOK, "<html>"},
		{http.StatusNotFound, `{"message":"Not Found"}`},
		{http.StatusForbidden, "<html>"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			io.WriteString(w, c.body)
		}))
		defer server.Close()
		var out strings.Builder
		exit := run(t.Context(), []string{"rollups", "devices/a", "--endpoint", server.URL}, nil, &out, &out)
		want := "tidemark: " + server.URL + "/ did not respond as DynamoDB does (status "
		got := out.String()
		if exit != exitFailed || !strings.HasPrefix(got, want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%d: exit status %d, %s; want one line: %s", c.status, exit, got, want)
		}
	}
}
