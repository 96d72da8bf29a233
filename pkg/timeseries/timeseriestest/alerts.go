package timeseriestest

import (
	"context"

	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// alerts returns what evaluates alert rules, as the deployed function has it. It delivers no notifications.
func (t *Table) alerts(kinds *catalog.Catalog) *alert.Service {
	return &alert.Service{Store: t.memory, Catalog: kinds, Now: t.stored, Rand: t.random, Stream: t}
}

// evaluate evaluates the rules of series that changed. It returns the failures, by series.
func (t *Table) evaluate(kinds *catalog.Catalog, changes []storage.Change) map[model.Series]error {
	failed := map[model.Series]error{}
	for _, f := range t.alerts(kinds).Evaluate(context.Background(), changes).Failures {
		failed[changes[f.Change].Key.Series] = f.Err
	}
	return failed
}

// StreamState is for package timeseries: changes are processed through the first event that Fold has not
// seen. So a test that appends and does not fold sees what a program sees while the table stream lags.
func (t *Table) StreamState(context.Context) (storage.StreamState, error) {
	through := t.stored()
	t.reading.Lock()
	defer t.reading.Unlock()
	for _, r := range t.memory.Records(t.folded) {
		if _, err := keys.ParseEvent(r.Keys); err == nil {
			through = min(through, r.At)
			break
		}
	}
	return storage.StreamState{Progress: through}, nil
}
