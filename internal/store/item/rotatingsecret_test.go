package item_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestRotatingSecret_RoundTripsUnderTheKeyOfItsDay(t *testing.T) {
	secret := storage.RotatingSecret{Day: 86_400_000, Secret: []byte{1, 0, 255}, ExpiresAt: 300_000}
	it := item.FromRotatingSecret(&secret)
	if it.Key() != (keys.Key{PK: "SALT", SK: "1970-01-02"}) {
		t.Errorf("the key is %v", it.Key())
	}
	back, err := item.RotatingSecret(it)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(secret, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRotatingSecret_RejectsItemsThatCannotBeDecoded(t *testing.T) {
	for name, c := range map[string]struct {
		attr  string
		value item.Value
		want  error
	}{
		"another class":    {keys.AttrPK, item.Value{Type: item.S, S: "SITE#a"}, keys.ErrKeyForm},
		"no day":           {keys.AttrSK, item.Value{Type: item.S, S: "today"}, keys.ErrKeyForm},
		"a secret as text": {tablekeys.AttrSecret, item.Value{Type: item.S, S: "x"}, item.ErrDamaged},
		"a newer version":  {keys.AttrVersion, item.Value{Type: item.N, S: "99"}, item.ErrNewer},
	} {
		it := item.FromRotatingSecret(&storage.RotatingSecret{Secret: []byte{1}, ExpiresAt: 1})
		it[c.attr] = c.value
		if _, err := item.RotatingSecret(it); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
