package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/cli/target"
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
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar}
	if res, err := client.Get(pages); err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("opened %s: %v", pages, err)
	}
	pages, _, _ = strings.Cut(pages, "?")
	for path, want := range map[string]string{"": "<html", "../v1/devices": "/v1/devices Bearer a-token"} {
		if res, err := http.Get(pages + path); err != nil || res.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s%s without the key: %v, want status 401", pages, path, err)
		}
		res, err := client.Get(pages + path)
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
