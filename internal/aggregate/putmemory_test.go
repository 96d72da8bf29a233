package aggregate

import (
	"strconv"
	"testing"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// A full memory of the list forgets all entries.
func TestListMemory_IsBounded(t *testing.T) {
	t.Parallel()
	series := func(n int) entity.ListedSeries {
		return entity.ListedSeries{Series: model.Series{Subject: model.Subject{ID: strconv.Itoa(n)}}}
	}
	var m listMemory
	for n := range maxPuts {
		m.put(series(n), 0)
	}
	if _, known := m.get(series(0).Series, 0); len(m.entries) != maxPuts || !known {
		t.Fatalf("%d entries, want %d", len(m.entries), maxPuts)
	}
	if m.put(series(-1), 0); len(m.entries) != 1 {
		t.Errorf("%d entries, want only the last", len(m.entries))
	}
}

// A full memory forgets the buckets that have closed, and all if none has.
func TestPutMemory_ForgetsClosedBucketsFirst(t *testing.T) {
	t.Parallel()
	const closed, open, now = model.Time(10), model.Time(11), model.Time(10)
	key := func(n int) rollup.Key { return rollup.Key{Start: model.Time(n)} }
	var m putMemory
	for n := range maxPuts {
		m.add(key(n), []model.Time{closed, open}[n%2], now)
	}
	if len(m.due) != maxPuts || !m.has(key(0), closed) || !m.has(key(1), open) || m.has(key(1), closed) {
		t.Fatalf("%d puts are remembered, want %d, each with its time", len(m.due), maxPuts)
	}
	m.add(key(maxPuts), open, now)
	if len(m.due) != maxPuts/2+1 || m.has(key(0), closed) || !m.has(key(1), open) {
		t.Errorf("%d puts are remembered, want those of %d open buckets", len(m.due), maxPuts/2+1)
	}
	for n := maxPuts; len(m.due) < maxPuts; n++ {
		m.add(key(n), open, now)
	}
	if m.add(key(-1), open, now); len(m.due) != 1 || !m.has(key(-1), open) {
		t.Errorf("%d puts are remembered, want only the last", len(m.due))
	}
}
