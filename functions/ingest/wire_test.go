package main

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
)

func TestReport_SaysWhatAnInvocationDid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := w.handle(asked(t, "42"), sample(t, "iot-array")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"request_id":"42"`, `"kind":"READING"`, `"door":"iot"`, `"outcome":{"applied":2,"rejected":1}`,
		`"ObservationsApplied":2`, `"ObservationsRejected":1`, `"Quarantined":1`} {
		if !strings.Contains(w.out.String(), want) {
			t.Errorf("log and metrics lack %s:\n%s", want, w.out)
		}
	}
}

func TestWire_SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	env := map[string]string{"TIDEMARK_ENDPOINT": "http://127.0.0.1:1", "TIDEMARK_CONFIG": filepath.Join(t.TempDir(), "none.yaml")}
	if _, err := wire(t.Context(), func(name string) string { return env[name] }, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("error: got %v, want one that names the file", err)
	}
	delete(env, "TIDEMARK_CONFIG")
	if h, err := wire(t.Context(), func(name string) string { return env[name] }, slog.New(slog.DiscardHandler)); err != nil || h.kind != "READING" {
		t.Errorf("by the defaults: got %+v, error %v", h, err)
	}
}
