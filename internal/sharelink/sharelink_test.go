package sharelink_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/sharelink"
	"github.com/tidemark-db/tidemark/internal/sitekey"
)

var (
	secret = []byte("a secret of the stage, which is long")
	until  = time.Date(2026, 4, 27, 12, 0, 0, 0, time.UTC)
)

func TestCheck_NamesTheSubjectUntilTheEnd(t *testing.T) {
	t.Parallel()
	token := sharelink.New(secret, "devices/a b/c", until)
	context, err := sharelink.Check(token, until.Add(-time.Second), secret)
	if err != nil || sharelink.Allows(context, "devices/a b/c", "devices/a b/c") != nil {
		t.Fatalf("got %v, %v", context, err)
	}
	for _, other := range []string{"devices/yard", "devices/a b", "devices/a b/c/d", "sites/a b/c", ""} {
		if err := sharelink.Allows(context, "devices/a b/c", other); !errors.Is(err, sharelink.ErrInvalid) {
			t.Errorf("%q: %v, want ErrInvalid", other, err)
		}
	}
	if _, err := sharelink.Check(token, until, secret); !errors.Is(err, sharelink.ErrInvalid) {
		t.Errorf("at its end: %v, want ErrInvalid", err)
	}
	if _, err := sharelink.Check(token, until.Add(-time.Hour), []byte("a fresh secret"), secret); err != nil {
		t.Errorf("while the secret is rotated: %v", err)
	}
}

func TestCheck_RefusesForgedTokens(t *testing.T) {
	t.Parallel()
	token := sharelink.New(secret, "devices/sensor_01", until)
	text, signature, _ := strings.Cut(token, ".")
	encode := base64.RawURLEncoding.EncodeToString
	longer, other := encode([]byte("1900000000 devices/sensor_01")), encode([]byte("1777291200 devices/yard"))
	for name, forged := range map[string]string{
		"a longer validity":             longer + "." + signature,
		"another subject":               other + "." + signature,
		"every subject":                 encode([]byte("1777291200 ")) + "." + signature,
		"no signature":                  text,
		"an empty signature":            text + ".",
		"a part of the signature":       text + "." + signature[:8],
		"a changed signature":           text + "." + strings.ToUpper(signature),
		"padding":                       token + "=",
		"another secret":                sharelink.New([]byte("another secret, of another stage"), "devices/sensor_01", until),
		"a key of a website":            sitekey.New(secret, "1900000000 devices/sensor_01"),
		"a text without a time, signed": sharelink.New(secret, "devices/sensor_01", time.Time{}),
		"nothing":                       "",
	} {
		if _, err := sharelink.Check(forged, until.Add(-time.Hour), secret); !errors.Is(err, sharelink.ErrInvalid) {
			t.Errorf("%s was allowed (%v)", name, err)
		}
	}
	if _, err := sharelink.Check(token, until.Add(-time.Hour)); err == nil {
		t.Error("a stage without a secret accepted a link")
	}
}

func TestAllows_NothingWithoutTheAuthorizer(t *testing.T) {
	t.Parallel()
	for _, context := range []map[string]any{nil, {}, {"sharedSubject": ""}, {"sharedSubject": 7}, {"site": "devices/sensor_01"}} {
		for _, subjects := range [][]string{nil, {""}, {"devices/sensor_01"}} {
			if sharelink.Allows(context, subjects...) == nil {
				t.Errorf("%v allowed %q", context, subjects)
			}
		}
	}
}
