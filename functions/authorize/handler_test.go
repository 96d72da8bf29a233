package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/secret"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
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
		local := secret.Fixed([]byte(access.LocalSiteSecret))
		h := &handler{secrets: local, log: slog.New(slog.NewJSONHandler(&log, nil))}
		response, err := h.handle(t.Context(), r)
		site, _ := response.Context[access.ContextSite].(string)
		if err != nil || response.IsAuthorized != (want[f.Name()] != "") || site != want[f.Name()] {
			t.Errorf("%s: %+v, %v; want %q", f.Name(), response, err, want[f.Name()])
		}
		if text := log.String(); strings.Contains(text, "192.0.2") ||
			strings.Contains(text, r.PathParameters[access.SiteKeyPathParam]) || strings.Contains(text, "Firefox") {
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
		"local stack":          {"", "http://127.0.0.1:8000", []string{access.LocalSiteSecret}},
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
	if secrets, err := siteSecrets(t.Context(), func(string) string { return "" }, nil); secrets != nil ||
		err != nil {
		t.Errorf("a stage without page views: %q, %v; want no secrets", secrets, err)
	}
	failing := func(context.Context, string) (string, error) { return "", errors.New("no permission") }
	if _, err := siteSecrets(t.Context(), func(string) string { return "arn" }, failing); err == nil {
		t.Error("no error for a secret that cannot be read")
	}
}

func TestHandle_ChecksSharedLinks(t *testing.T) {
	text, now := []byte("a-long-secret-of-the-stage"), model.NewTime(time.Unix(1_776_000_000, 0))
	var log bytes.Buffer
	h := &handler{
		secrets: secret.Fixed(text), now: func() model.Time { return now }, log: slog.New(slog.NewJSONHandler(&log, nil)),
	}
	token := access.NewLink(text, access.Link{Subject: "sites/my-site", Until: now.Time().Add(time.Hour)})
	for _, c := range []struct {
		path, header string
		want         bool
	}{
		{"/shared/v1/sites/my-site/pageviews", "Bearer " + token, true},
		{"/shared/v1/sites/other/pageviews", "Bearer " + token, true}, // query compares the subjects
		{"/shared/v1/sites/my-site/pageviews", "Bearer " + access.NewLink(text,
			access.Link{Subject: "sites/my-site", Until: now.Time()}), false},
		{"/shared/v1/sites/my-site/pageviews", "Bearer tm_ABCDEFGHIJ_SECRET", false},
		{"/shared/v1/sites/my-site/pageviews", "", false},
	} {
		r := events.APIGatewayV2CustomAuthorizerV2Request{RawPath: c.path,
			Headers: map[string]string{"authorization": c.header}}
		response, err := h.handle(t.Context(), r)
		if err != nil || response.IsAuthorized != c.want ||
			(access.LinkAllows(response.Context, "sites/my-site") == nil) != c.want {
			t.Errorf("%s %q: %+v, %v; want %v", c.path, c.header, response, err, c.want)
		}
	}
	for _, key := range []string{"ANY /{proxy+}", "GET /{proxy+}", "$default"} {
		for path, want := range map[string]bool{"/shared/v1/sites/my-site": true,
			"/prod/shared/v1": true, "/v1/sites/my-site": false, "/query": false, "/sharedv1": false} {
			r := events.APIGatewayV2CustomAuthorizerV2Request{RouteKey: key, RawPath: path,
				Headers: map[string]string{"authorization": "Bearer " + token}}
			r.RequestContext.Stage = "prod"
			if response, err := h.handle(t.Context(), r); err != nil || response.IsAuthorized != want {
				t.Errorf("route %s, path %s: %+v, %v; want %v", key, path, response, err, want)
			}
		}
	}
	if strings.Contains(log.String(), token) {
		t.Errorf("the log contains a token: %s", log.String())
	}
}

// A read key opens the routes of queries of websites and no other, and no other key opens these. A gateway
// without routes passes the path alone.
func TestHandle_ChecksReadKeys(t *testing.T) {
	now := func() model.Time { return 1_776_693_600_000 }
	table := memory.New(now)
	keys := &access.APIKeys{Store: table, Now: now, Rand: rand.Reader}
	create := func(draft storage.APIKey) string {
		token, err := keys.Create(t.Context(), draft)
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	reads := create(storage.APIKey{Sites: []string{"x.org"}})
	writes := create(storage.APIKey{Name: "telegraf"})
	for _, c := range []struct {
		route, path, token string
		local, want        bool
	}{
		{"POST /api/v2/query", "/api/v2/query", reads, false, true},
		{"GET /api/v1/stats/{proxy+}", "/api/v1/stats/aggregate", reads, false, true},
		{"", "/api/v1/stats/aggregate", reads, false, true},
		{"POST /api/v2/query", "/api/v2/query", writes, false, false},
		{"POST /api/v2/query", "/api/v2/query", "", false, false},
		{"POST /api/v2/query", "/api/v2/query", "", true, true},
		{"POST /api/v2/query", "/api/v2/query", writes, true, false},
		{"POST /write", "/write", reads, false, false},
		{"POST /write", "/write", writes, false, true},
		{"", "/write", writes, false, true},
		{"", "/write", reads, false, false},
		{"ANY /{proxy+}", "/write", writes, false, true},
		{"ANY /{proxy+}", "/api/v2/query", reads, false, true},
		{"ANY /{proxy+}", "/v1/devices/a/readings", writes, false, false},
		{"ANY /{proxy+}", "/v1/devices/a/readings", reads, false, false},
		{"$default", "/v1/devices/a", writes, true, false},
		{"GET /v1/{proxy+}", "/v1/devices/a", writes, true, false},
		{"POST /api/{proxy+}", "/api/v1/write", writes, false, true},
		{"POST /api/{proxy+}", "/api/v1/write", reads, false, false},
		{"POST /api/{proxy+}", "/api/v2/query", reads, false, true},
	} {
		h := &handler{keys: table, now: now, local: c.local, log: slog.New(slog.DiscardHandler)}
		r := events.APIGatewayV2CustomAuthorizerV2Request{
			RouteKey: c.route, RawPath: c.path,
			Headers: map[string]string{"authorization": "Bearer " + c.token},
		}
		response, err := h.handle(t.Context(), r)
		if err != nil || response.IsAuthorized != c.want {
			t.Errorf("%+v: %+v, %v", c, response, err)
		}
	}
}
