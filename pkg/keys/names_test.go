package keys_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

func TestReserved_TableNamesAndEveryUnderscore(t *testing.T) {
	for name, want := range map[string]bool{
		keys.AttrPK: true, keys.AttrSK: true, keys.AttrGSI1PK: true, keys.AttrGSI1SK: true, keys.AttrGSI2PK: true,
		keys.AttrGSI2SK: true, keys.AttrVersion: true, keys.AttrExpiresAt: true, keys.AttrCreatedAt: true,
		"_at": true, "_": true, "_anything": true,
		"": false, "temperature": false, "PK": false, "expiresat": false, "a_b": false, "pk ": false,
	} {
		if got := keys.Reserved(name); got != want {
			t.Errorf("Reserved(%q) = %v, want %v", name, got, want)
		}
	}
}

func TestEventPrefix_MatchesOnlyEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, r := anyEventKey().Draw(t, "event"), anyRowKey().Draw(t, "row")
		if sk := keys.Event(e).SK; !strings.HasPrefix(sk, tablekeys.EventPrefix) {
			t.Fatalf("event %q does not begin with %s", sk, tablekeys.EventPrefix)
		}
		for _, k := range []keys.Key{keys.Latest(e.Series), keys.Row(r), keys.Metadata(e.Series.Subject)} {
			if strings.HasPrefix(k.SK, tablekeys.EventPrefix) {
				t.Fatalf("%q begins with %s", k.SK, tablekeys.EventPrefix)
			}
		}
	})
}
