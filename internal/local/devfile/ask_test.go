package devfile

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/usererr"
)

// A page, or an object of another program, is no state of a dev: {} would be a mapping that is disabled.
func TestAsk_RefusesAnotherProgram(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{}`, `<html>`, ``, `[]`} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			io.WriteString(w, body)
		}))
		defer server.Close()
		var state struct{ Enabled bool }
		err := Ask(t.Context(), server.URL, &state)
		if !usererr.Is(err) || !strings.Contains(err.Error(), server.URL) {
			t.Errorf("%s: %v, want a usage error with the URL", body, err)
		}
		if err := Change(t.Context(), server.URL, state, &state); !usererr.Is(err) || asked != 2 {
			t.Errorf("%s: %v after %d requests, want a usage error before the change", body, err, asked)
		}
	}
}

func TestAsk_DecodesTheStateOfADev(t *testing.T) {
	t.Parallel()
	status, body := http.StatusOK, `{"enabled":true}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(IDHeader, "dev")
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	defer server.Close()
	var state struct{ Enabled bool }
	if err := Change(t.Context(), server.URL, state, &state); err != nil || !state.Enabled {
		t.Errorf("%v, %v; want the state", state, err)
	}
	body = `{"enabled":`
	if err := Ask(t.Context(), server.URL, &state); err == nil {
		t.Error("a response that is cut off is accepted")
	}
	status, body = http.StatusBadRequest, "the clock does not go back"
	if err := Ask(t.Context(), server.URL, &state); err == nil || !strings.Contains(err.Error(), body) {
		t.Errorf("%v, want the text of the dev", err)
	}
}
