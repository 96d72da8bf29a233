package tablekeys_test

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestLifecycleKeys_RoundTripAndHaveOneSpelling(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySubject().Draw(t, "subject")
		n := rapid.Int64Range(1, tablekeys.MaxVersion).Draw(t, "version")
		if got, err := tablekeys.ParseTombstone(tablekeys.Tombstone(s)); err != nil || got != s {
			t.Fatalf("tombstone: got %q, %v; want %q", got, err, s)
		}
		if got, v, err := tablekeys.ParseVersion(tablekeys.Version(s, n)); err != nil || got != s || v != n {
			t.Fatalf("version: got %d of %q, %v; want %d of %q", v, got, err, n, s)
		}
		if got, err := tablekeys.ParsePurge(tablekeys.Purge(s)); err != nil || got != s {
			t.Fatalf("purge: got %q, %v; want %q", got, err, s)
		}
		if got, err := tablekeys.ParsePurgeLock(tablekeys.PurgeLock(s)); err != nil || got != s {
			t.Fatalf("purge lock: got %q, %v; want %q", got, err, s)
		}
	})
	for _, k := range []keys.Key{
		{PK: "DEVICE#a", SK: "VERSION#1"}, {PK: "DEVICE#a", SK: "VERSION#0000000000"}, {PK: "DEVICE#a", SK: "VERSION#00000000011"},
		{PK: "DEVICE#a", SK: "VERSION#+000000001"}, {PK: "DEVICE#a#1", SK: "VERSION#0000000001"}, {PK: "DEVICE#a", SK: "METADATA"},
	} {
		if s, n, err := tablekeys.ParseVersion(k); !errors.Is(err, keys.ErrKeyForm) {
			t.Errorf("%v was parsed as version %d of %s, %v; want ErrKeyForm", k, n, s, err)
		}
	}
}

func TestVersion_SortsAsNumbers(t *testing.T) {
	s := model.Subject{Type: "DEVICE", ID: "a"}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Int64Range(1, 10_000_001).Draw(t, "a"), rapid.Int64Range(1, tablekeys.MaxVersion).Draw(t, "b")
		if got, want := strings.Compare(tablekeys.Version(s, a).SK, tablekeys.Version(s, b).SK),
			cmp.Compare(a, b); got != want {
			t.Fatalf("versions %d and %d sort as %d, want %d", a, b, got, want)
		}
	})
}

func TestUnique_DifferentValuesHaveDifferentKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(hostile(0), 3, 4)
		a, b := parts.Draw(t, "a"), parts.Draw(t, "b")
		one, other := tablekeys.Unique(a[0], a[1], a[2:]...), tablekeys.Unique(b[0], b[1], b[2:]...)
		if (one == other) != slices.Equal(a, b) {
			t.Fatalf("%q and %q have the keys %v and %v", a, b, one, other)
		}
		if !tablekeys.IsUnique(one.PK) {
			t.Fatalf("IsUnique(%q) = false, want true", one.PK)
		}
	})
}
