package queue

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// A full memory forgets the buckets that have closed, and all if none has.
func TestMemory_ForgetsClosedBucketsFirst(t *testing.T) {
	t.Parallel()
	const closed, open, now = model.Time(10), model.Time(11), model.Time(10)
	bucket := func(n int, due model.Time) Deferral {
		return Deferral{Invalidation: storage.Invalidation{Due: due, Key: rollup.Key{Start: model.Time(n)}}}
	}
	var m Memory
	for n := range MaxRemembered {
		m.Add(bucket(n, []model.Time{closed, open}[n%2]), now)
	}
	both := m.Has(bucket(0, closed)) && m.Has(bucket(1, open))
	if len(m.stored) != MaxRemembered || !both || m.Has(bucket(1, closed)) {
		t.Fatalf("%d puts are remembered, want %d, each with its time", len(m.stored), MaxRemembered)
	}
	m.Add(bucket(MaxRemembered, open), now)
	if len(m.stored) != MaxRemembered/2+1 || m.Has(bucket(0, closed)) || !m.Has(bucket(1, open)) {
		t.Errorf("%d puts are remembered, want the puts of %d open buckets", len(m.stored), MaxRemembered/2+1)
	}
	for n := MaxRemembered; len(m.stored) < MaxRemembered; n++ {
		m.Add(bucket(n, open), now)
	}
	if m.Add(bucket(-1, open), now); len(m.stored) != 1 || !m.Has(bucket(-1, open)) {
		t.Errorf("%d puts are remembered, want only the last", len(m.stored))
	}
}
