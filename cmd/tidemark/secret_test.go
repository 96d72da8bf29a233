package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const siteSecretARN = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:SiteSecret-a1b2c3"

// secretServer is Secrets Manager with one secret, for one request at a time.
type secretServer struct{ value string }

func (s *secretServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/x-amz-json-1.1")
	var in struct{ SecretId, SecretString string }
	err := json.NewDecoder(r.Body).Decode(&in)
	signed := r.Header.Get("Authorization")
	if err != nil || in.SecretId != siteSecretARN || !strings.Contains(signed, "/eu-west-1/") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	out := map[string]string{"ARN": in.SecretId}
	switch r.Header.Get("X-Amz-Target") {
	case "secretsmanager.GetSecretValue":
		out["SecretString"] = s.value
	case "secretsmanager.PutSecretValue":
		s.value = in.SecretString
	}
	json.NewEncoder(w).Encode(out)
}

// A rotation that is stopped while it waits has stored both texts, and is ended by another run.
func TestSecretRotate_IsStoppedAndEnded(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	manager := &secretServer{value: "the-old-text"}
	server := httptest.NewServer(manager)
	t.Cleanup(server.Close)
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_SECRETS_MANAGER": server.URL,
		"AWS_ACCESS_KEY_ID":                "AKID", "AWS_SECRET_ACCESS_KEY": "secret",
		"AWS_REGION": "us-east-1", "AWS_CONFIG_FILE": "/dev/null", "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
	} {
		t.Setenv(name, value)
	}
	rotate := func(ctx context.Context, flags string, status int, want string) {
		t.Helper()
		var out bytes.Buffer
		got := run(ctx, words("access secret rotate "+flags), strings.NewReader(""), &out, &out)
		if got != status || !strings.Contains(out.String(), want) {
			t.Errorf("rotate %s: exit status %d, want %d; output %q, want %q", flags, got, status, &out, want)
		}
		for text := range strings.FieldsSeq(manager.value) {
			if strings.Contains(out.String(), text) {
				t.Errorf("rotate %s prints a text of the secret: %q", flags, &out)
			}
		}
	}
	rotate(t.Context(), siteSecretARN+" --end", 1, "no rotation has begun")

	output := &signalWriter{text: "waiting", found: stop}
	status := run(ctx, words("access secret rotate "+siteSecretARN), strings.NewReader(""), output, output)
	if status != 3 {
		t.Errorf("a stopped rotation has the exit status %d, want 3", status)
	}
	fresh, old, _ := strings.Cut(manager.value, " ")
	if old != "the-old-text" || len(fresh) < 40 {
		t.Fatalf("the secret is %q, want a long new text before the former", manager.value)
	}
	rotate(t.Context(), siteSecretARN, 1, "a rotation has begun")
	rotate(t.Context(), siteSecretARN+" --end", 0, "ended: the former text is refused by")
	if manager.value != fresh {
		t.Errorf("the secret is %q, want the new text alone", manager.value)
	}
	rotate(t.Context(), siteSecretARN+" --leaked", 0, "ended: the former text is refused by")
	if manager.value == fresh || strings.Contains(manager.value, " ") {
		t.Errorf("the secret is %q, want another text", manager.value)
	}
	rotate(t.Context(), "SiteSecret", 2, "want the ARN of a secret")
	rotate(t.Context(), siteSecretARN+" --leaked --end", 2, "pass one of them")
}

// signalWriter calls found when a text is written.
type signalWriter struct {
	text  string
	found func()
}

func (w *signalWriter) Write(p []byte) (int, error) {
	if strings.Contains(string(p), w.text) {
		w.found()
	}
	return len(p), nil
}
