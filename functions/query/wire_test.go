package main

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/config"
)

func TestCursorKeys_AreASecretExceptInALocalStack(t *testing.T) {
	const arn, long, local = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:cursor", "a-fresh-secret-of-the-stage the-secret-before-it", "http://127.0.0.1:8000"
	for name, c := range map[string]struct {
		key, secret, endpoint string
		want                  string // the keys, first the one that signs; "" for an error
	}{
		"deployed":                    {"", arn, "", "a-fresh-secret-of-the-stage|the-secret-before-it"},
		"deployed without one":        {"", "", "", ""},
		"unreadable":                  {"", "arn:of:another", "", ""},
		"unreadable in a local stack": {"", "arn:of:another", local, ""},
		"too short":                   {"short", "", "", ""},
		"an older too short":          {"a-long-secret-of-mine short", "", "", ""},
		"in a local stack":            {"", "", local, localCursorKey},
		"a local stack's own":         {"a-long-secret-of-the-local", "", local, "a-long-secret-of-the-local"},
		"from the environment":        {"a-long-secret-of-mine", arn, "", "a-long-secret-of-mine"},
	} {
		env := map[string]string{envCursorKey: c.key, config.EnvCursorSecret: c.secret, envEndpoint: c.endpoint}
		read := func(_ context.Context, name string) (string, error) {
			if name != arn {
				return "", errors.New("access denied")
			}
			return long, nil
		}
		keys, err := cursorKeys(t.Context(), func(name string) string { return env[name] }, read)
		if got := string(bytes.Join(keys, []byte("|"))); got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
	}
}
