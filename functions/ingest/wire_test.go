package main

import (
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
)

func TestReporter_LogsAndCountsAnInvocation(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if _, err := f.handle(invocation(t, "42"), sample(t, "iot-array")); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"request_id":"42"`, `"kind":"READING"`, `"source":"iot"`, `"outcome":{"applied":2,"rejected":1}`,
		`"ObservationsApplied":2`, `"ObservationsRejected":1`, `"Quarantined":1`} {
		if !strings.Contains(f.out.String(), want) {
			t.Errorf("log and metrics lack %s:\n%s", want, f.out)
		}
	}
}

func TestWire_NamesTheMissingFile(t *testing.T) {
	t.Parallel()
	env := map[string]string{"TIDEMARK_ENDPOINT": "http://127.0.0.1:1", "TIDEMARK_CONFIG": filepath.Join(t.TempDir(), "none.yaml")}
	if _, err := wire(t.Context(), func(name string) string { return env[name] }, slog.New(slog.DiscardHandler)); err == nil || !strings.Contains(err.Error(), "none.yaml") {
		t.Errorf("error: got %v, want one that names the file", err)
	}
	delete(env, "TIDEMARK_CONFIG")
	if h, err := wire(t.Context(), func(name string) string { return env[name] }, slog.New(slog.DiscardHandler)); err != nil || h.defaultKind != "READING" {
		t.Errorf("with the defaults: got %+v, error %v", h, err)
	}
}
