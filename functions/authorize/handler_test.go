package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/sharelink"
	"github.com/tidemark-db/tidemark/internal/sitekey"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const samples = "../../events/authorize"

// Every sample in events/authorize, and the site that it is authorized for.
func TestHandle_Samples(t *testing.T) {
	want := map[string]string{"site-key.json": "my-site", "forged.json": "", "nonsense.json": ""}
	files, err := os.ReadDir(samples)
	if err != nil || len(files) != len(want) {
		t.Fatalf("%d samples, %v; want %d", len(files), err, len(want))
	}
	for _, f := range files {
		payload, err := os.ReadFile(filepath.Join(samples, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		var r events.APIGatewayV2CustomAuthorizerV2Request
		if err := json.Unmarshal(payload, &r); err != nil {
			t.Fatal(err)
		}
		var log bytes.Buffer
		h := &handler{secrets: [][]byte{[]byte(sitekey.LocalSecret)}, log: slog.New(slog.NewJSONHandler(&log, nil))}
		response, err := h.handle(t.Context(), r)
		site, _ := response.Context[sitekey.ContextSite].(string)
		if err != nil || response.IsAuthorized != (want[f.Name()] != "") || site != want[f.Name()] {
			t.Errorf("%s: %+v, %v; want %q", f.Name(), response, err, want[f.Name()])
		}
		if text := log.String(); strings.Contains(text, "192.0.2") || strings.Contains(text, r.PathParameters[sitekey.PathParam]) || strings.Contains(text, "Firefox") {
			t.Errorf("%s: the log contains personal data: %s", f.Name(), text)
		}
	}
}

func TestSiteSecrets_HasADefaultOnlyForALocalStack(t *testing.T) {
	for name, c := range map[string]struct {
		secret, endpoint string
		want             []string // nil for an error
	}{
		"deployed":             {"a-long-secret-of-the-stage", "", []string{"a-long-secret-of-the-stage"}},
		"during rotation":      {"a-fresh-secret-of-the-stage\n a-long-secret-of-the-stage", "", []string{"a-fresh-secret-of-the-stage", "a-long-secret-of-the-stage"}},
		"empty":                {" ", "", nil},
		"too short":            {"short", "", nil},
		"one of two too short": {"a-long-secret-of-the-stage short", "", nil},
		"local stack":          {"", "http://127.0.0.1:8000", []string{sitekey.LocalSecret}},
	} {
		env := map[string]string{config.EnvEndpoint: c.endpoint}
		if c.secret != "" {
			env[config.EnvSiteSecret] = "arn:of:the:secret"
		}
		read := func(context.Context, string) (string, error) { return c.secret, nil }
		secrets, err := siteSecrets(t.Context(), func(name string) string { return env[name] }, read)
		var got []string
		for _, s := range secrets {
			got = append(got, string(s))
		}
		if strings.Join(got, "|") != strings.Join(c.want, "|") || (err != nil) != (c.want == nil) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
	if secrets, err := siteSecrets(t.Context(), func(string) string { return "" }, nil); secrets != nil || err != nil {
		t.Errorf("a stage without page views: %q, %v; want no secrets", secrets, err)
	}
	failing := func(context.Context, string) (string, error) { return "", errors.New("no permission") }
	if _, err := siteSecrets(t.Context(), func(string) string { return "arn" }, failing); err == nil {
		t.Error("no error for a secret that cannot be read")
	}
}

func TestHandle_ChecksSharedLinks(t *testing.T) {
	secret, now := []byte("a-long-secret-of-the-stage"), model.TimeOf(time.Unix(1_776_000_000, 0))
	var log bytes.Buffer
	h := &handler{secrets: [][]byte{secret}, now: func() model.Time { return now }, log: slog.New(slog.NewJSONHandler(&log, nil))}
	token := sharelink.New(secret, "sites/my-site", now.Time().Add(time.Hour))
	for _, c := range []struct {
		path, header string
		want         bool
	}{
		{"/shared/v1/sites/my-site/pageviews", "Bearer " + token, true},
		{"/shared/v1/sites/other/pageviews", "Bearer " + token, true}, // query compares the subjects
		{"/shared/v1/sites/my-site/pageviews", "Bearer " + sharelink.New(secret, "sites/my-site", now.Time()), false},
		{"/shared/v1/sites/my-site/pageviews", "Bearer tm_ABCDEFGHIJ_SECRET", false},
		{"/shared/v1/sites/my-site/pageviews", "", false},
	} {
		r := events.APIGatewayV2CustomAuthorizerV2Request{RawPath: c.path, Headers: map[string]string{"authorization": c.header}}
		response, err := h.handle(t.Context(), r)
		if err != nil || response.IsAuthorized != c.want || (sharelink.Allows(response.Context, "sites/my-site") == nil) != c.want {
			t.Errorf("%s %q: %+v, %v; want %v", c.path, c.header, response, err, c.want)
		}
	}
	if strings.Contains(log.String(), token) {
		t.Errorf("the log contains a token: %s", log.String())
	}
}
