package main

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// A key for acme would write to acme-evil too. The text must end after the name, or say that this is meant.
func TestCheckSubjects_WantsTheEndOfTheName(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", "acme:": "acme:", "plant7-": "plant7-", "acme*": "acme", "*": "", "a/b/": "a/b/", "é:": "é:",
	} {
		draft := storage.APIKey{Subjects: text}
		if err := checkSubjects(&draft); err != nil || draft.Subjects != want {
			t.Errorf("--subjects %s: %q, %v; want %q", text, draft.Subjects, err, want)
		}
	}
	for _, text := range []string{"acme", "plant7", "é", "acme:a"} {
		err := checkSubjects(&storage.APIKey{Subjects: text})
		if err == nil || !strings.Contains(err.Error(), text+"x too") || !strings.Contains(err.Error(), "*") {
			t.Errorf("--subjects %s: %v, want what else it allows, and how to mean it", text, err)
		}
	}
}
