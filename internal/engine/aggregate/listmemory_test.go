package aggregate

import (
	"strconv"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// A full memory of the list forgets all entries.
func TestListMemory_IsBounded(t *testing.T) {
	t.Parallel()
	series := func(n int) storage.ListedSeries {
		return storage.ListedSeries{Series: model.Series{Subject: model.Subject{ID: strconv.Itoa(n)}}}
	}
	var m listMemory
	for n := range maxListed {
		m.put(series(n), 0)
	}
	if _, known := m.get(series(0).Series, 0); len(m.entries) != maxListed || !known {
		t.Fatalf("%d entries, want %d", len(m.entries), maxListed)
	}
	if m.put(series(-1), 0); len(m.entries) != 1 {
		t.Errorf("%d entries, want only the last", len(m.entries))
	}
}
