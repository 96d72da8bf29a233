package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/base/clock"
	"github.com/tidemark-db/tidemark/internal/base/config"
)

func TestShare_PrintsALinkOfOneSubject(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(config.EnvSiteSecret, "")
	var out, errs bytes.Buffer
	if status := run(t.Context(), []string{"access", "link", "devices/sensor 01", "--for", "2d", "--url",
		"http://127.0.0.1:8080/"}, nil, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	token, ok := strings.CutPrefix(strings.TrimSpace(out.String()), "http://127.0.0.1:8080/ui/#/shared/")
	if !ok || !strings.Contains(errs.String(), "the figures of devices/sensor 01 until ") {
		t.Fatalf("printed %q and %q", out.String(), errs.String())
	}
	for after, want := range map[time.Duration]bool{0: true, 47 * time.Hour: true, 49 * time.Hour: false} {
		if _, err := access.CheckLink(token, time.Now().Add(after),
			[]byte(access.LocalSiteSecret)); (err == nil) != want {
			t.Errorf("after %v: %v, want valid: %v", after, err, want)
		}
	}
}

// A link of a dev ends by the dev's clock: the machine's would make it expire at once, or months later.
func TestShare_ALinkEndsByTheClockOfTheDev(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(config.EnvSiteSecret, "")
	path := filepath.Join(t.TempDir(), "clock")
	now := time.Date(2031, 3, 1, 0, 0, 0, 0, time.UTC)
	if err := clock.At(path).Set(now); err != nil {
		t.Fatal(err)
	}
	t.Setenv(clock.Env, path)
	var out, errs bytes.Buffer
	args := []string{"access", "link", "devices/a", "--for", "2d", "--url", "http://127.0.0.1:8080"}
	if status := run(t.Context(), args, nil, &out, &errs); status != 0 ||
		!strings.Contains(errs.String(), "until 2031-03-03T00:00:") {
		t.Errorf("status %d: %s", status, errs.String())
	}
}

func TestShare_RefusesWhatCannotBeALink(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv(config.EnvSiteSecret, "")
	for want, args := range map[string][]string{
		"is not a subject":                {"planets/mars", "--url", "http://127.0.0.1:8080"},
		"of at most 366 days":             {"devices/a", "--for", "2y", "--url", "http://127.0.0.1:8080"},
		"of more than 0, and":             {"devices/a", "--for", "0s", "--url", "http://127.0.0.1:8080"},
		"no secret to sign with":          {"devices/a", "--url", "https://abc.execute-api.eu-west-1.amazonaws.com"},
		"no HTTP API: no":                 {"devices/a", "--table", "t"},
		"the argument SUBJECT is missing": {"--url", "http://127.0.0.1:8080"},
		"not a duration: write 3":         {"devices/a", "--for", "long", "--url", "http://127.0.0.1:8080"},
	} {
		var out, errs bytes.Buffer
		if status := run(t.Context(), append([]string{"access", "link"}, args...), nil, &out,
			&errs); status != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("%v: status %d, %q, %q; want %q", args, status, out.String(), errs.String(), want)
		}
	}
}
