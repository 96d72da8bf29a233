package tablekeys_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestQuarantine_UsesTheSourceIfTheSubjectDoesNotFitAKey(t *testing.T) {
	for name, id := range map[string]string{"too long": strings.Repeat("x", 5000), "not UTF-8": "\xff",
		"none": ""} {
		q := storage.Quarantined{ID: "01J", Source: "iot", Subject: model.Subject{Type: "DEVICE", ID: id}}
		if got := tablekeys.Quarantine(q); got.PK != "QUARANTINE#iot" || got.Check() != nil {
			t.Errorf("%s: got %.60q, want the partition of the source", name, got.PK)
		}
	}
}

func TestParseQuarantine_RefusesOtherPartitions(t *testing.T) {
	for _, pk := range []string{"", "QUARANTINE", "DEVICE#d", "GATE#DEVICE#d", "QUARANTINE#a#b#c"} {
		if _, _, _, err := tablekeys.ParseQuarantine(keys.Key{PK: pk, SK: "01J"}); !errors.Is(err,
			keys.ErrKeyForm) {
			t.Errorf("%q: got %v, want ErrForeign", pk, err)
		}
	}
	id, subject, source, err := tablekeys.ParseQuarantine(keys.Key{PK: "QUARANTINE#stream", SK: "01J"})
	if err != nil || id != "01J" || subject != (model.Subject{}) || source != "stream" {
		t.Errorf("by source: %q, %v, %q, %v", id, subject, source, err)
	}
}

func TestQuarantine_RoundTrips(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := storage.Quarantined{ID: hostile(1).Draw(t, "id"), Source: "iot",
			Subject: anySubject().Draw(t, "subject")}
		id, subject, source, err := tablekeys.ParseQuarantine(tablekeys.Quarantine(q))
		if err != nil || id != q.ID || subject != q.Subject || source != "" {
			t.Fatalf("got %q, %v, %q, %v; want %v", id, subject, source, err, q)
		}
	})
}
