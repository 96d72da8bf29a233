package keys_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Entries of one partition lie in the order of their fields, then of subject and
// stream; none leaves its values, and each says whose it is.
func TestCurrentEntry_OrderIsThatOfItsParts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entry := func(name string) ([]string, model.Series, keys.Key) {
			sort := []string{hostile(0).Draw(t, name+" sort"), hostile(0).Draw(t, name+" then")}
			s := model.Series{Subject: model.Subject{Type: "T", ID: hostile(1).Draw(t, name+" id")}, Kind: "K", Stream: hostile(0).Draw(t, name+" stream")}
			return sort, s, keys.CurrentEntry(s, []string{"open"}, sort)
		}
		sortA, a, keyA := entry("a")
		sortB, b, keyB := entry("b")
		partsA, partsB := append(sortA, a.Subject.ID, a.Stream), append(sortB, b.Subject.ID, b.Stream)
		if slices.Compare(partsA, partsB) != strings.Compare(keyA.SK, keyB.SK) || keyA.PK != keyB.PK {
			t.Fatalf("%q and %q have %v and %v", partsA, partsB, keyA, keyB)
		}
		if id, stream, err := keys.ParseCurrentEntry(keyA.SK, 2); id != a.Subject.ID || stream != a.Stream || err != nil {
			t.Fatalf("%q is of %q %q, %v; want %q %q", keyA.SK, id, stream, err, a.Subject.ID, a.Stream)
		}
		if below, same := strings.HasPrefix(keyB.SK, keys.CurrentsPrefix(sortA[:1])), sortA[0] == sortB[0]; below != same {
			t.Fatalf("%q lies below %q: %v", keyB.SK, sortA[0], below)
		}
	})
}

func TestParseCurrentEntry_RefusesWhatNoEntryIs(t *testing.T) {
	t.Parallel()
	for _, sk := range []string{"", "a", "a#b", "a#b#c#d", "a##stream", "a#b%41#c"} {
		if id, _, err := keys.ParseCurrentEntry(sk, 1); !errors.Is(err, keys.ErrForeign) {
			t.Errorf("%q: %q, %v; want %v", sk, id, err, keys.ErrForeign)
		}
	}
}
