package keys_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestCheck_EnforcesTheLimitsOfTheTable(t *testing.T) {
	for name, c := range map[string]struct {
		pk, sk string
		want   error
	}{
		"least":                   {"p", "s", nil},
		"longest":                 {strings.Repeat("p", 2048), strings.Repeat("s", 1024), nil},
		"partition key too long":  {strings.Repeat("p", 2049), "s", keys.ErrKeyLong},
		"sort key too long":       {"p", strings.Repeat("s", 1025), keys.ErrKeyLong},
		"longest in bytes":        {strings.Repeat("🌊", 512), strings.Repeat("🌊", 256), nil},
		"too long in bytes only":  {"p", strings.Repeat("🌊", 256) + "s", keys.ErrKeyLong},
		"no partition key":        {"", "s", keys.ErrKeyEmpty},
		"no sort key":             {"p", "", keys.ErrKeyEmpty},
		"partition key not UTF-8": {"p\xff", "s", keys.ErrKeyText},
		"half a rune":             {"p", "🌊"[:3], keys.ErrKeyText},
		"a surrogate":             {"p", "\xed\xa0\x80", keys.ErrKeyText},
	} {
		if err := (keys.Key{PK: c.pk, SK: c.sk}).Check(); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}
}

func TestCheck_CountsBytesAfterEscaping(t *testing.T) {
	id := strings.Repeat("#", 256)
	stream := strings.Repeat("%", 128)
	k := keys.Event(model.EventKey{Series: reading("d", stream), Order: model.Order{ID: id}})
	err := k.Check()
	if !errors.Is(err, keys.ErrKeyLong) || !strings.Contains(err.Error(), "1192 bytes") {
		t.Errorf("256 separators and 128 percent signs in a sort key: %v, want ErrKeyLong at 1192 bytes", err)
	}
	if err := keys.Event(model.EventKey{Series: reading(strings.Repeat("#", 512), ""),
		Order: model.Order{ID: strings.Repeat("x", 256)}}).Check(); err != nil {
		t.Errorf("a subject id of 512 separators: %v", err)
	}
}

func TestCheck_RefusesInvalidUTF8InEveryPart(t *testing.T) {
	const bad = "a\xc3"
	for name, e := range map[string]model.EventKey{
		"subject": {Series: reading(bad, "")},
		"stream":  {Series: reading("d", bad)},
		"id":      {Series: reading("d", ""), Order: model.Order{ID: bad}},
		// Without the separator, these two bytes would be a valid rune.
		"halves": {Series: reading("d", "\xc3"), Order: model.Order{ID: "\xa9"}},
	} {
		if err := keys.Event(e).Check(); !errors.Is(err, keys.ErrKeyText) {
			t.Errorf("%s: got %v, want ErrKeyText", name, err)
		}
	}
}
