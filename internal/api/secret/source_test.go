package secret_test

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/secret"
)

// A process that lives on follows the secret: after five minutes, or when a text is refused.
func TestSource_ReadsTheSecretAgain(t *testing.T) {
	now := time.Unix(1_776_000_000, 0)
	stored := "old"
	readings := 0
	var failure error
	load := func(context.Context) ([][]byte, error) { readings++; return [][]byte{[]byte(stored)}, failure }
	source, err := secret.Open(t.Context(), load, func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		name    string
		after   time.Duration
		stored  string
		failure error
		refused bool
		want    string
		read    int // readings of this step
	}{
		{name: "the first", stored: "old", want: "old"},
		{name: "within five minutes", after: 4 * time.Minute, stored: "new", want: "old"},
		{name: "after five minutes", after: time.Minute, stored: "new", want: "new", read: 1},
		{name: "refused at once", after: time.Second, stored: "newer", refused: true, want: "new"},
		{name: "refused later", after: time.Minute, stored: "newer", refused: true, want: "newer", read: 1},
		{name: "refused again", after: time.Second, stored: "newest", refused: true, want: "newer"},
		{name: "unreadable", after: secret.FreshFor, failure: errors.New("throttled"), want: "newer", read: 1},
		{name: "readable again", after: secret.FreshFor, stored: "newest", want: "newest", read: 1},
	} {
		now = now.Add(step.after)
		stored = step.stored
		failure = step.failure
		readings = 0
		changed := step.refused && source.Again(t.Context())
		got := string(bytes.Join(source.Texts(t.Context()), []byte(" ")))
		if got != step.want || readings != step.read || changed != (step.refused && step.read > 0) {
			t.Errorf("%s: %q by %d readings, changed %v; want %q by %d",
				step.name, got, readings, changed, step.want, step.read)
		}
	}
}

func TestSource_WithoutASecretHasNoTexts(t *testing.T) {
	var none *secret.Source
	if none.Again(t.Context()) || none.Texts(t.Context()) != nil {
		t.Error("a missing source has texts")
	}
	if fixed := secret.Fixed([]byte("text")); fixed.Again(t.Context()) || len(fixed.Texts(t.Context())) != 1 {
		t.Error("a fixed text changed")
	}
	failing := func(context.Context) ([][]byte, error) { return nil, errors.New("no permission") }
	if _, err := secret.Open(t.Context(), failing, time.Now); err == nil {
		t.Error("no error for a secret that cannot be read")
	}
}
