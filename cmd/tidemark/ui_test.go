package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/target"
)

// The pages of an API elsewhere are served here, and their reads passed to it, with a token.
func TestUI_ServesPagesAndPassesReads(t *testing.T) {
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, r.URL.Path+" "+r.Header.Get("Authorization"))
	}))
	defer api.Close()
	t.Setenv(target.EnvToken, "a-token")
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		root := rootCommand()
		root.SetArgs([]string{"ui", "--url", api.URL})
		root.SetOut(in)
		ended <- root.ExecuteContext(ctx)
		in.Close()
	}()
	var pages string
	for lines := bufio.NewScanner(out); pages == "" && lines.Scan(); {
		if text := strings.TrimSpace(lines.Text()); strings.HasPrefix(text, "http://127.0.0.1:") {
			pages = text
		}
	}
	for path, want := range map[string]string{"": "<html", "../v1/devices": "/v1/devices Bearer a-token"} {
		res, err := http.Get(pages + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s%s: %.100s, %v; want %q", pages, path, body, err, want)
		}
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("stopped: %v", err)
	}
}
