package secret_test

import (
	"context"
	"errors"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/secret"
)

func TestSiteKey_IsSignedWithTheFirstSecret(t *testing.T) {
	read := func(context.Context, string) (string, error) { return "the-fresh-secret the-old-secret", nil }
	signing, err := secret.SiteKeys(t.Context(), "arn", read)
	if err != nil || string(signing) != "the-fresh-secret" {
		t.Errorf("signed with %q, %v; want the first", signing, err)
	}
	if signing, err := secret.SiteKeys(t.Context(), "", read); err != nil ||
		string(signing) != access.LocalSiteSecret {
		t.Errorf("without a secret signed with %q, %v", signing, err)
	}
	for _, read := range []func(context.Context, string) (string, error){
		func(context.Context, string) (string, error) { return " ", nil },
		func(context.Context, string) (string, error) { return "", errors.New("no permission") },
	} {
		if signing, err := secret.SiteKeys(t.Context(), "arn", read); err == nil {
			t.Errorf("signed with %q, want an error", signing)
		}
	}
}
