package exhaustive

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// planted are faults around the real code. The exploration is useful only if it finds them.
var planted = []struct {
	name, scenario string
	store          func(client) aggregate.Store
	as             storage.ChangeType
}{
	{"rows are written without a condition", "a", func(c client) aggregate.Store { return unconditional{c} }, 0},
	{"an invalidation is not stored", "e0", func(c client) aggregate.Store { return losingPuts{c} }, 0},
	{"a late invalidation is not stored", "l0", func(c client) aggregate.Store { return losingPuts{c} }, 0},
	{"the low watermark passes what is left", "f0", func(c client) aggregate.Store { return passing{c} }, 0},
	{"an unchanged row is never written", "a0", nil, storage.Inserted},
	{"no row is ever sealed", "d0", func(c client) aggregate.Store { return neverSealing{c} }, 0},
	{"a write without a response counts as stored", "c1", func(c client) aggregate.Store { return trusting{c} }, 0},
}

func TestExhaustive_FindsEachPlantedFault(t *testing.T) {
	for _, p := range planted {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			sc := scenarioNamed(t, p.scenario)
			sc.store, sc.as = p.store, p.as
			r, err := explore(sc)
			if err != nil {
				t.Fatal(err)
			}
			if r.err == nil {
				t.Fatalf("not found in %d states", r.states)
			}
			t.Logf("found after %d states in a history of %d steps: %v", r.states, len(r.path)-1, r.err)
		})
	}
}

func scenarioNamed(t *testing.T, name string) scenario {
	for _, sc := range scenarios {
		if strings.HasPrefix(sc.name, name+":") {
			return sc
		}
	}
	t.Fatalf("no scenario %s", name)
	return scenario{}
}

// unconditional writes a row whatever is stored.
type unconditional struct{ client }

func (u unconditional) PutRow(_ context.Context, row *rollup.Row, _ rollup.Rev) (storage.WriteResult, error) {
	copied := *row
	_, text := rowText(row)
	return u.write("put row unconditionally "+text, func(t *memory.Table) (storage.WriteResult, error) {
		var prev rollup.Rev
		if stored, _ := t.Row(context.Background(), copied.Key); stored != nil {
			prev = stored.Rev
		}
		return t.PutRow(context.Background(), &copied, prev)
	})
}

// losingPuts says that an invalidation is stored, and stores none.
type losingPuts struct{ client }

func (l losingPuts) PutInvalidations(
	context.Context, []storage.Invalidation,
) ([]storage.Invalidation, storage.WriteResult, error) {
	result, err := l.write("lose invalidations", func(*memory.Table) (storage.WriteResult, error) {
		return storage.Written, nil
	})
	return nil, result, err
}

// passing advances the low watermark by a day too much.
type passing struct{ client }

func (p passing) AdvanceSweep(
	ctx context.Context, shard storage.QueueShard, through model.Time,
) (storage.WriteResult, error) {
	return p.client.AdvanceSweep(ctx, shard, through.Add(24*time.Hour))
}

// neverSealing hides when the children of a row expire.
type neverSealing struct{ client }

func (n neverSealing) Row(ctx context.Context, key rollup.Key) (*rollup.Row, error) {
	row, err := n.client.Row(ctx, key)
	if row != nil {
		row.ChildrenExpireAt = rollup.NoExpiry
	}
	return row, err
}

// trusting treats a write without a response as stored.
type trusting struct{ client }

func (s trusting) PutRow(ctx context.Context, row *rollup.Row, prev rollup.Rev) (storage.WriteResult, error) {
	result, err := s.client.PutRow(ctx, row, prev)
	if result == storage.Unknown && err == nil {
		result = storage.Written
	}
	return result, err
}
