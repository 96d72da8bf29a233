package access_test

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const start = model.Time(1776693600000)

// fixture is a service on a table in memory, with a clock.
type fixture struct {
	access.APIKeys
	table *memory.Table
	now   model.Time
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{now: start}
	f.table = memory.New(func() model.Time { return f.now })
	f.APIKeys = access.APIKeys{Store: f.table, Now: func() model.Time { return f.now }, Rand: rand.Reader}
	return f
}

func (f *fixture) create(t testing.TB, draft storage.APIKey) (storage.APIKey, string) {
	t.Helper()
	token, err := f.Create(t.Context(), draft)
	if err != nil {
		t.Fatal(err)
	}
	draft.ID = strings.Split(token, "_")[1]
	return draft, token
}

func (f *fixture) check(token string) error {
	_, err := access.CheckWriteKey(context.Background(), f.table, token, f.now)
	return err
}

func TestKey_AllowsItsSubjectsAndKinds(t *testing.T) {
	f := newFixture(t)
	_, token := f.create(t, storage.APIKey{Name: "telegraf", Subjects: "acme:", Kinds: []string{"METRIC"}})
	scope, err := access.CheckWriteKey(t.Context(), f.table, token, f.now)
	if err != nil {
		t.Fatal(err)
	}
	passed, ok := access.ContextScope(scope.Context()) // as the authorizer passes it on
	if !ok || passed.Key != scope.Key || passed.String() != `subjects that begin with "acme:" and kinds METRIC` {
		t.Errorf("got %+v, %t: want the scope of the key", passed, ok)
	}
	metric, reading := &catalog.Kind{Name: "METRIC"}, &catalog.Kind{Name: "READING"}
	if !passed.Allows(metric, "acme:1") || passed.Allows(metric, "other:1") || passed.Allows(reading, "acme:1") {
		t.Errorf("%+v allows something else", passed)
	}
	if all := (access.Scope{Key: "k"}); !all.Allows(reading, "x") || all.String() != "every subject" {
		t.Errorf("a key without limits: %s", all)
	}
	if _, ok := access.ContextScope(nil); ok {
		t.Error("a request that no authorizer checked has a scope")
	}
}

// A key reads, or it writes: each token is refused by the routes of the other.
func TestKey_OfReadingWritesNothing(t *testing.T) {
	f := newFixture(t)
	_, reads := f.create(t, storage.APIKey{Name: "dashboard", Sites: []string{"example.com", "shop"}})
	_, writes := f.create(t, storage.APIKey{Name: "telegraf"})
	scope, err := access.CheckReadKey(t.Context(), f.table, reads, f.now)
	if err != nil || scope.String() != "reads sites example.com, shop" {
		t.Fatalf("%v, %v; want the sites of the key", scope, err)
	}
	sites, ok := access.ReadSites(scope.Context()) // as the authorizer passes it on
	_, mayWrite := access.ContextScope(scope.Context())
	if !ok || mayWrite || strings.Join(sites, " ") != "example.com shop" {
		t.Errorf("passed on: %q, %t; may write: %t", sites, ok, mayWrite)
	}
	if err := f.check(reads); !errors.Is(err, access.ErrInvalidAPIKey) {
		t.Errorf("a read key at a route of writes: %v", err)
	}
	_, err = access.CheckReadKey(t.Context(), f.table, writes, f.now)
	if !errors.Is(err, access.ErrInvalidAPIKey) {
		t.Errorf("a write key at a route of reads: %v", err)
	}
	if _, ok := access.ReadSites(access.Scope{Key: "k"}.Context()); ok {
		t.Error("the scope of a write key reads")
	}
}

// Who reads the table learns no token.
func TestKey_IsStoredAsAHash(t *testing.T) {
	f := newFixture(t)
	k, token := f.create(t, storage.APIKey{Name: "telegraf"})
	it, err := f.table.GetItem(t.Context(), tablekeys.WriteKey(k.ID))
	if err != nil {
		t.Fatal(err)
	}
	secret := token[strings.LastIndex(token, "_")+1:]
	if text := it[tablekeys.AttrWriteKey].S; len(secret) < 26 || strings.Contains(text, secret) ||
		strings.Contains(text, base64.StdEncoding.EncodeToString([]byte(secret))) {
		t.Errorf("the item has the secret %s: %s", secret, text)
	}
}

func TestCheck_RefusesEverythingElse(t *testing.T) {
	f := newFixture(t)
	k, token := f.create(t, storage.APIKey{Name: "telegraf"})
	for _, wrong := range []string{"", "x", "tm_", "tm_" + k.ID, "tm_" + k.ID + "_", token + "A",
		token[:len(token)-1], "tm_unknown_" + token[14:], strings.ToLower(token)} {
		if err := f.check(wrong); !errors.Is(err, access.ErrInvalidAPIKey) {
			t.Errorf("%s: %v, want %v", wrong, err, access.ErrInvalidAPIKey)
		}
	}
	if err := f.check(token); err != nil {
		t.Errorf("the token itself: %v", err)
	}
}

func TestRotate_AcceptsTheFormerTokenForAWhile(t *testing.T) {
	f := newFixture(t)
	k, first := f.create(t, storage.APIKey{Name: "telegraf"})
	second, err := f.Rotate(t.Context(), k.ID, time.Hour)
	if err != nil || f.check(first) != nil || f.check(second) != nil {
		t.Fatalf("after the rotation: %v, %v, %v; want both valid", err, f.check(first), f.check(second))
	}
	third, err := f.Rotate(t.Context(), k.ID, time.Hour)
	if err != nil || f.check(first) == nil || f.check(second) != nil || f.check(third) != nil {
		t.Fatalf("after two: %v, %v, %v, %v; want the last two valid", err, f.check(first), f.check(second),
			f.check(third))
	}
	f.now = f.now.Add(time.Hour)
	if f.check(second) == nil || f.check(third) != nil {
		t.Errorf("after the overlap: %v, %v; want the last one valid", f.check(second), f.check(third))
	}
}

func TestRevoke_EndsAKeyForEver(t *testing.T) {
	f := newFixture(t)
	k, token := f.create(t, storage.APIKey{Name: "telegraf"})
	if err := f.Revoke(t.Context(), k.ID); err != nil || f.check(token) == nil {
		t.Fatalf("%v, %v; want the token refused", err, f.check(token))
	}
	for name, err := range map[string]error{
		"revoke again":      func() error { f.now++; return f.Revoke(t.Context(), k.ID) }(),
		"revoke an unknown": f.Revoke(t.Context(), "unknown"),
		"rotate":            func() error { _, err := f.Rotate(t.Context(), k.ID, 0); return err }(),
	} {
		if !errors.Is(err, access.ErrNoKey) {
			t.Errorf("%s: %v, want %v", name, err, access.ErrNoKey)
		}
	}
	if all, err := f.List(t.Context()); err != nil || len(all) != 1 || all[0].RevokedAt == 0 ||
		all[0].ID != k.ID {
		t.Errorf("list: %+v, %v; want the revoked key", all, err)
	}
}

func TestListed_ShowsWhatAKeyAllows(t *testing.T) {
	f := newFixture(t)
	if text, err := f.Listed(t.Context()); err != nil || text != "no keys" {
		t.Errorf("%q, %v; want no keys", text, err)
	}
	k, token := f.create(t, storage.APIKey{Name: "plant7", Subjects: "p7:", CreatedBy: "ann"})
	f.create(t, storage.APIKey{Name: "telegraf", Kinds: []string{"METRIC"}})
	if err := f.Revoke(t.Context(), k.ID); err != nil {
		t.Fatal(err)
	}
	text, err := f.Listed(t.Context())
	for _, want := range []string{k.ID, `subjects that begin with "p7:"`, "ann",
		"revoked 2026-04-20T14:00:00.000Z", "every subject and kinds METRIC", "valid"} {
		if !strings.Contains(text, want) {
			t.Errorf("%v; the list lacks %s:\n%s", err, want, text)
		}
	}
	if strings.Contains(text, token) {
		t.Error("the list has a token")
	}
}

func TestCheckKinds_NamesAnUnknownKind(t *testing.T) {
	kinds, err := catalog.New(catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := access.CheckKinds(kinds, []string{"READING"}); err != nil {
		t.Errorf("a known kind: %v", err)
	}
	if err := access.CheckKinds(kinds, []string{"READINGS"}); err == nil ||
		!strings.Contains(err.Error(), `"READINGS"`) {
		t.Errorf("an unknown kind: %v, want its name", err)
	}
}

// unsure is a table whose writes report a failure, of which some are stored.
type unsure struct {
	*memory.Table
	lost   int // failures left that are not stored
	stored int // failures left that are stored
}

func (u *unsure) PutAll(ctx context.Context, puts []itemop.Put) (storage.WriteResult, error) {
	switch {
	case u.lost > 0:
		u.lost--
		return storage.Unknown, nil
	case u.stored > 0:
		u.stored--
		if result, err := u.Table.PutAll(ctx, puts); err != nil || result != storage.Written {
			return result, err
		}
		return storage.Unknown, nil
	}
	return u.Table.PutAll(ctx, puts)
}

func TestWrites_SurviveLostRequestsAndLostResponses(t *testing.T) {
	for _, faults := range []unsure{{lost: 2}, {stored: 1}, {lost: 1, stored: 1}} {
		f := newFixture(t)
		again := func() { u := faults; u.Table = f.table; f.Store = &u }
		again()
		k, token := f.create(t, storage.APIKey{Name: "telegraf"})
		again()
		next, err := f.Rotate(t.Context(), k.ID, time.Hour)
		if err != nil || f.check(next) != nil || f.check(token) != nil {
			t.Errorf("%+v: rotate: %v, %v, %v; want both tokens valid", faults, err, f.check(next), f.check(token))
		}
		again()
		if err := f.Revoke(t.Context(), k.ID); err != nil || f.check(next) == nil {
			t.Errorf("%+v: revoke: %v, %v; want the key revoked", faults, err, f.check(next))
		}
		if all, err := f.List(t.Context()); err != nil || len(all) != 1 || len(all[0].Secrets) != 2 {
			t.Errorf("%+v: %+v, %v; want one key, rotated once", faults, all, err)
		}
	}
}

// down is a table that does not respond.
type down struct{ err error }

func (d down) GetItem(context.Context, keys.Key) (item.Item, error) { return nil, d.err }

func TestCheck_ReportsATableThatDoesNotRespond(t *testing.T) {
	cause := errors.New("throttled")
	if _, err := access.CheckWriteKey(t.Context(), down{cause}, "tm_a_b", start); !errors.Is(err, cause) ||
		errors.Is(err, access.ErrInvalidAPIKey) {
		t.Errorf("%v, want %v", err, cause)
	}
}

func TestTokenOf_ReadsEveryForm(t *testing.T) {
	for header, want := range map[string]string{
		"Token abc":          "abc",
		"Bearer  abc ":       "abc",
		"bearer abc":         "abc",
		"Basic dXNlcjphYmM=": "abc", // user:abc
		"Basic dXNlcg==":     "",
		"Basic %%":           "",
		"Digest abc":         "",
		"abc":                "",
		"":                   "",
	} {
		if got := access.Token(header); got != want {
			t.Errorf("%q: %q, want %q", header, got, want)
		}
	}
}

// A request passes only with the header of a valid key's token.
func FuzzCheck(f *testing.F) {
	fixture := newFixture(f)
	_, token := fixture.create(f, storage.APIKey{Name: "telegraf"})
	for _, header := range []string{"Token " + token, "Bearer " + token, "Basic dXNlcjphYmM=", "Token tm_known_",
		"Token tm_", token, "token\ttm_known_x"} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		got := access.Token(header)
		if err := fixture.check(got); (err == nil) != (got == token) {
			t.Errorf("%q, with the token %q: %v", header, got, err)
		}
	})
}
