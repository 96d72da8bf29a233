package tablekeys_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The entries of a partition are ordered by their fields, then by subject and stream. Each
// has the prefix of its first fields, and is parsed as its subject and stream.
func TestLatestEntry_SortsByItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := func(name string) ([]string, model.Series, keys.Key) {
			sort := []string{hostile(0).Draw(t, name+" sort"), hostile(0).Draw(t, name+" then")}
			s := model.Series{Subject: model.Subject{Type: "T", ID: hostile(1).Draw(t, name+" id")}, Kind: "K",
				Stream: hostile(0).Draw(t, name+" stream")}
			return sort, s, tablekeys.LatestEntry(s, []string{"open"}, sort)
		}
		sortA, a, keyA := entry("a")
		sortB, b, keyB := entry("b")
		partsA, partsB := append(sortA, a.Subject.ID, a.Stream), append(sortB, b.Subject.ID, b.Stream)
		if slices.Compare(partsA, partsB) != strings.Compare(keyA.SK, keyB.SK) || keyA.PK != keyB.PK {
			t.Fatalf("%q and %q have keys %v and %v in another order", partsA, partsB, keyA, keyB)
		}
		if id, stream, err := tablekeys.ParseLatestEntry(keyA.SK, 2); id != a.Subject.ID || stream != a.Stream ||
			err != nil {
			t.Fatalf("%q is parsed as %q %q, %v; want %q %q", keyA.SK, id, stream, err, a.Subject.ID, a.Stream)
		}
		if below, same := strings.HasPrefix(keyB.SK, tablekeys.LatestEntryPrefix(sortA[:1])),
			sortA[0] == sortB[0]; below != same {
			t.Fatalf("%q has the prefix of %q: %v", keyB.SK, sortA[0], below)
		}
	})
}

func TestParseLatestEntry_RefusesOtherKeys(t *testing.T) {
	t.Parallel()
	for _, sk := range []string{"", "a", "a#b", "a#b#c#d", "a##stream", "a#b%41#c"} {
		if id, _, err := tablekeys.ParseLatestEntry(sk, 1); !errors.Is(err, keys.ErrKeyForm) {
			t.Errorf("%q: %q, %v; want %v", sk, id, err, keys.ErrKeyForm)
		}
	}
}
