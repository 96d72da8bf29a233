package access_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/access"
)

func TestOpen_AcceptsOnlyKeysThatASecretSigned(t *testing.T) {
	old, fresh := []byte("an old secret of the stage"), []byte("a fresh secret of the stage")
	key := access.NewSiteKey(old, "my site/ä")
	for _, secrets := range [][][]byte{{old}, {fresh, old}} {
		if site, err := access.OpenSiteKey(key, secrets...); err != nil || site != "my site/ä" {
			t.Errorf("%q, %v; want my site/ä", site, err)
		}
	}
	name, signature, _ := strings.Cut(key, ".")
	other, _, _ := strings.Cut(access.NewSiteKey(old, "other"), ".")
	for what, bad := range map[string]string{
		"another site's name": other + "." + signature, "no signature": name, "an empty signature": name + ".",
		"half of it": name + "." + signature[:10], "nothing": "", "a dot": ".", "not base64": "!." + signature,
		"an empty site": access.NewSiteKey(old, ""), "a signature with padding": key + "=",
	} {
		if site, err := access.OpenSiteKey(bad, old); !errors.Is(err, access.ErrInvalidSiteKey) {
			t.Errorf("%s: OpenSiteKey returned %q, want ErrInvalidSiteKey", what, site)
		}
	}
	if _, err := access.OpenSiteKey(key, fresh); err == nil {
		t.Error("a key of the old secret is accepted after the secret was removed")
	}
}
