package cost

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// DynamoDB bills a write that changes nothing, and so does the meter.
func TestMetered_CountsAttempts(t *testing.T) {
	t.Parallel()
	now := model.NewTime(time.Date(2026, 11, 27, 7, 0, 0, 0, time.UTC))
	m := &Metered{Table: memory.New(func() model.Time { return now })}
	subject := model.Subject{Type: "DEVICE", ID: "a"}
	bucket := rollup.Key{Series: model.Series{Subject: subject, Kind: "READING"}, Tier: "hour", Start: now}
	these := []storage.Invalidation{{Due: now, Key: bucket, Shard: storage.FirstGeneration.QueueShards()[0]}}
	for n, request := range []func() error{
		func() error { _, _, err := m.PutInvalidations(t.Context(), these); return err },
		func() error { _, _, err := m.PutInvalidations(t.Context(), these); return err },
		func() error { _, _, err := m.DeleteInvalidations(t.Context(), these); return err },
		func() error { _, _, err := m.DeleteInvalidations(t.Context(), these); return err },
	} {
		if err := request(); err != nil || m.WriteUnits() != n+1 {
			t.Errorf("request %d: %d write units, %v; want %d", n, m.WriteUnits(), err, n+1)
		}
	}
}
