package item_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestSalt_RoundTripsUnderItsDay(t *testing.T) {
	salt := model.Salt{Day: 86_400_000, Secret: []byte{1, 0, 255}, ExpiresAt: 300_000}
	it := item.FromSalt(&salt)
	if it.Key() != (keys.Key{PK: "SALT", SK: "1970-01-02"}) {
		t.Errorf("it stands under %v", it.Key())
	}
	back, err := item.Salt(it)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(salt, back); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSalt_RefusesWhatItCannotRead(t *testing.T) {
	for name, c := range map[string]struct {
		attr  string
		value item.Value
		want  error
	}{
		"another class":    {keys.AttrPK, item.Value{Type: item.S, S: "SITE#a"}, keys.ErrForeign},
		"no day":           {keys.AttrSK, item.Value{Type: item.S, S: "today"}, keys.ErrForeign},
		"a secret as text": {keys.AttrSalt, item.Value{Type: item.S, S: "x"}, item.ErrDamaged},
		"a newer version":  {keys.AttrVersion, item.Value{Type: item.N, S: "99"}, item.ErrNewer},
	} {
		it := item.FromSalt(&model.Salt{Secret: []byte{1}, ExpiresAt: 1})
		it[c.attr] = c.value
		if _, err := item.Salt(it); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
