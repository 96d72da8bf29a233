package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

func TestHandle_ServesThePagesThroughAPIGateway(t *testing.T) {
	env := map[string]string{config.EnvSignIn: `{"issuer":"https://login.example.com","client":"pages","scope":"openid"}`}
	f, err := wire(t.Context(), func(name string) string { return env[name] }, nil)
	if err != nil || f.pages.SignIn.Client != "pages" {
		t.Fatalf("%+v, %v", f, err)
	}
	for path, want := range map[string]int{"/ui/app.css": 200, "/ui/other": 404} {
		payload := `{"version":"2.0","rawPath":"` + path +
			`","requestContext":{"stage":"$default","http":{"method":"GET"}}}`
		got, err := f.handle(t.Context(), json.RawMessage(payload))
		if response, ok := got.(events.APIGatewayV2HTTPResponse); err != nil || !ok || response.StatusCode != want {
			t.Errorf("%s: %+v, %v; want status %d", path, got, err, want)
		}
	}
	if _, err := f.handle(t.Context(), json.RawMessage(`[]`)); err == nil {
		t.Error("a payload that is no request was served")
	}
	if _, err := wire(t.Context(), func(string) string { return "" }, nil); err == nil ||
		!strings.Contains(err.Error(), config.EnvSignIn) {
		t.Errorf("without settings: %v", err)
	}
}
