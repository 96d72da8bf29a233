package access_test

import (
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
)

var (
	secret = []byte("a secret of the stage, which is long")
	until  = time.Date(2026, 4, 27, 12, 0, 0, 0, time.UTC)
)

func TestCheck_NamesTheSubjectUntilTheEnd(t *testing.T) {
	t.Parallel()
	token := access.NewLink(secret, access.Link{Subject: "devices/a b/c", Until: until})
	context, err := access.CheckLink(token, until.Add(-time.Second), secret)
	if err != nil || access.LinkAllows(context, "devices/a b/c", "devices/a b/c") != nil {
		t.Fatalf("got %v, %v", context, err)
	}
	for _, other := range []string{"devices/yard", "devices/a b", "devices/a b/c/d", "sites/a b/c", ""} {
		if err := access.LinkAllows(context, "devices/a b/c", other); !errors.Is(err, access.ErrInvalidLink) {
			t.Errorf("%q: %v, want ErrInvalidLink", other, err)
		}
	}
	if _, err := access.CheckLink(token, until, secret); !errors.Is(err, access.ErrInvalidLink) {
		t.Errorf("at its end: %v, want ErrInvalidLink", err)
	}
	if _, err := access.CheckLink(token, until.Add(-time.Hour), []byte("a fresh secret"), secret); err != nil {
		t.Errorf("while the secret is rotated: %v", err)
	}
}

func TestCheck_RefusesForgedTokens(t *testing.T) {
	t.Parallel()
	token := access.NewLink(secret, access.Link{Subject: "devices/sensor_01", Until: until})
	text, signature, _ := strings.Cut(token, ".")
	encode := base64.RawURLEncoding.EncodeToString
	longer, other := encode([]byte("1900000000 devices/sensor_01")), encode([]byte("1777291200 devices/yard"))
	for name, forged := range map[string]string{
		"a longer validity":       longer + "." + signature,
		"another subject":         other + "." + signature,
		"every subject":           encode([]byte("1777291200 ")) + "." + signature,
		"no signature":            text,
		"an empty signature":      text + ".",
		"a part of the signature": text + "." + signature[:8],
		"a changed signature":     text + "." + strings.ToUpper(signature),
		"padding":                 token + "=",
		"another secret": access.NewLink([]byte("another secret, of another stage"),
			access.Link{Subject: "devices/sensor_01", Until: until}),
		"a key of a website": access.NewSiteKey(secret, "1900000000 devices/sensor_01"),
		"a text without a time, signed": access.NewLink(secret, access.Link{Subject: "devices/sensor_01",
			Until: time.Time{}}),
		"events of a link without": encode([]byte("1777291200+events devices/sensor_01")) + "." + signature,
		"nothing":                  "",
	} {
		if _, err := access.CheckLink(forged, until.Add(-time.Hour), secret); !errors.Is(err,
			access.ErrInvalidLink) {
			t.Errorf("%s was allowed (%v)", name, err)
		}
	}
	if _, err := access.CheckLink(token, until.Add(-time.Hour)); err == nil {
		t.Error("a stage without a secret accepted a link")
	}
}

func TestLinkShowsEvents_OnlyIfItWasMadeWithThem(t *testing.T) {
	t.Parallel()
	for _, want := range []bool{true, false} {
		context, err := access.CheckLink(access.NewLink(secret, access.Link{Subject: "devices/a",
			Until: until, Events: want}), until.Add(-1), secret)
		if err != nil || access.LinkAllows(context, "devices/a") != nil ||
			access.LinkShowsEvents(context) != want {
			t.Errorf("%v, %v: want events: %v", context, err, want)
		}
	}
	if access.LinkShowsEvents(nil) {
		t.Error("events are shown without an authorizer")
	}
}

func TestAllows_NothingWithoutTheAuthorizer(t *testing.T) {
	t.Parallel()
	for _, context := range []map[string]any{nil, {}, {"sharedSubject": ""}, {"sharedSubject": 7},
		{"site": "devices/sensor_01"}} {
		for _, subjects := range [][]string{nil, {""}, {"devices/sensor_01"}} {
			if access.LinkAllows(context, subjects...) == nil {
				t.Errorf("%v allowed %q", context, subjects)
			}
		}
	}
}

// A text is accepted as a link only if it is, byte by byte, the token of what it shows; and so are site keys.
func FuzzCheckLink(f *testing.F) {
	link := access.Link{Subject: "devices/sensor_01", Until: until, Events: true}
	token := access.NewLink(secret, link)
	for _, text := range []string{
		token, token + "=", " " + token, token[:len(token)-1], strings.ReplaceAll(token, ".", ".."), "", ".",
		strings.ReplaceAll(token, ".", ".\r"), token + "\n",
		access.NewSiteKey(secret, "my-site"), access.NewLink([]byte("another"), link), token + "." + token,
	} {
		f.Add(text, int64(0))
		f.Add(text, until.Unix())
	}
	f.Fuzz(func(t *testing.T, text string, now int64) {
		context, err := access.CheckLink(text, time.Unix(now, 0), secret)
		if valid := text == token && now < until.Unix(); (err == nil) != valid {
			t.Errorf("%q at %d: %v, %v; want it accepted: %v", text, now, context, err, valid)
		}
		site, err := access.OpenSiteKey(text, secret)
		if err == nil && text != access.NewSiteKey(secret, site) {
			t.Errorf("%q is a key of site %q", text, site)
		}
	})
}
