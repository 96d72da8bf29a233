package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/cli/target"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// sendTo runs a command line against an API that returns status and body, and returns the exit status, what
// was printed and what was sent.
func sendTo(t *testing.T, status int, body any,
	line ...string) (exit int, printed string, sent map[string]any) {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/readings" { // whether the URL is a dev is asked too
			w.WriteHeader(http.StatusNotFound)
			return
		}
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(body); err != nil {
			t.Error(err)
		}
	}))
	defer server.Close()
	var out strings.Builder
	exit = run(t.Context(), append([]string{"send", "--url", server.URL}, line...), nil, &out, io.Writer(&out))
	return exit, out.String(), sent
}

func TestSend_PrintsTheOutcome(t *testing.T) {
	temperature := model.Attr{Name: "temperature", Value: model.NumberValue(model.MustDecimal("22.4"))}
	result := func(outcome model.Outcome) views.AppendResult {
		latest := &model.Latest{}
		latest.Attrs = model.Attrs{temperature}
		return views.NewAppendResult(model.AppendResult{Outcome: outcome, Latest: latest})
	}
	for _, c := range []struct {
		name   string
		status int
		body   any
		exit   int
		want   string
	}{
		{"stored", http.StatusOK, result(model.Applied), exitDone, " applied\n"},
		{"late", http.StatusOK, result(model.Late), exitDone, " late\n"},
		{"collision", http.StatusOK, result(model.Collision), exitNo, "not stored: "},
		{"collision of one", http.StatusConflict, map[string]any{
			"detail": "another event is stored", "outcome": "collision",
			"latest": map[string]any{"at": "2026-11-01T14:00:00Z"},
		}, exitNo, "tidemark event correct devices/a "},
		{"rejected", http.StatusBadRequest, httpapi.Problem{Title: "x", Detail: "temperature: too large"}, exitUsage, "temperature: too large"},
		{"unavailable", http.StatusServiceUnavailable, httpapi.Problem{Title: "x", Detail: "the table is busy"}, exitFailed, "503"},
		{"another program", http.StatusOK, map[string]any{"a": 1}, exitFailed, "is this the URL of Tidemark's HTTP API?"},
	} {
		exit, printed, _ := sendTo(t, c.status, c.body, "devices/a", "temperature=22.4")
		if exit != c.exit || !strings.Contains(printed, c.want) {
			t.Errorf("%s: exit status %d, %s; want %d and %q", c.name, exit, printed, c.exit, c.want)
		}
	}
}

func TestSend_SendsWhatWasTyped(t *testing.T) {
	_, printed, sent := sendTo(t, http.StatusOK, map[string]any{"outcome": "applied"},
		"devices/a", "temperature=22.4", "note=a \"b\"", "zip=0042", "temp=3", "--stream", "s", "--at", "2026-11-01T14:00:00Z")
	got, err := json.Marshal(sent)
	want := `{"deviceId":"a","note":"a \"b\"","stream":"s","temp":3,"temperature":22.4,"timestamp":"2026-11-01T14:00:00.000Z","zip":"0042"}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if !strings.Contains(printed, "the declared measure is temperature") {
		t.Errorf("temp is sent without a word: %s", printed)
	}
	_, printed, _ = sendTo(t, http.StatusOK, map[string]any{"outcome": "applied"}, "devices/a/readings",
		"temperature=22.4")
	if !strings.Contains(printed, "another one is a\n") {
		t.Errorf("a route of the API is taken for a subject without a word: %s", printed)
	}
}

// A response that does not come whole leaves open whether the event is stored. With its time it is stored
// once.
func TestSend_ABrokenResponseSaysHowToSendItAgain(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, `{"outcome":`)
	}))
	defer server.Close()
	var out strings.Builder
	exit := run(t.Context(), []string{"send", "--url", server.URL, "devices/a", "temperature=1", "--at",
		"2026-11-01T14:00:00Z"}, nil, &out, &out)
	if exit != exitFailed || !strings.Contains(out.String(), "may be stored") ||
		!strings.Contains(out.String(), "add --at 2026-11-01T14:00:00.000Z") {
		t.Errorf("exit status %d, %s; want how to send it again", exit, out.String())
	}
}

// The API of a deployment refuses requests without a token or a signature.
func TestImport_SendsTheToken(t *testing.T) {
	t.Setenv(target.EnvToken, "secret")
	t.Chdir(t.TempDir())
	row := `{"deviceId":"a","timestamp":"2026-11-01T14:00:00Z","temperature":1}`
	if err := os.WriteFile("a.ndjson", []byte(row+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var sent []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/readings" {
			sent = append(sent, r.Header.Get("Authorization"))
			io.WriteString(w, `[{"outcome":"applied"}]`)
		}
	}))
	defer server.Close()
	for _, args := range [][]string{{"import", "a.ndjson"}, {"import", "-"}} {
		var out strings.Builder
		exit := run(t.Context(), append(args, "--url", server.URL), strings.NewReader(row), &out, &out)
		if exit != exitDone {
			t.Errorf("%q: exit status %d, %s", args, exit, out.String())
		}
	}
	if !slices.Equal(sent, []string{"Bearer secret", "Bearer secret"}) {
		t.Errorf("sent %q, want the token with each request", sent)
	}
}
