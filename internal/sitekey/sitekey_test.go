package sitekey_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/sitekey"
)

func TestOpen_AcceptsOnlyKeysThatASecretSigned(t *testing.T) {
	old, fresh := []byte("an old secret of the stage"), []byte("a fresh secret of the stage")
	key := sitekey.New(old, "my site/ä")
	for _, secrets := range [][][]byte{{old}, {fresh, old}} {
		if site, err := sitekey.Open(key, secrets...); err != nil || site != "my site/ä" {
			t.Errorf("%q, %v; want my site/ä", site, err)
		}
	}
	name, signature, _ := strings.Cut(key, ".")
	other, _, _ := strings.Cut(sitekey.New(old, "other"), ".")
	for what, bad := range map[string]string{
		"another site's name": other + "." + signature, "no signature": name, "an empty signature": name + ".",
		"half of it": name + "." + signature[:10], "nothing": "", "a dot": ".", "not base64": "!." + signature,
		"an empty site": sitekey.New(old, ""), "a signature with padding": key + "=",
	} {
		if site, err := sitekey.Open(bad, old); !errors.Is(err, sitekey.ErrInvalid) {
			t.Errorf("%s: Open returned %q, want ErrInvalid", what, site)
		}
	}
	if _, err := sitekey.Open(key, fresh); err == nil {
		t.Error("a key of the old secret is accepted after the secret was removed")
	}
}
