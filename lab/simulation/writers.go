package simulation

import (
	"context"
	"errors"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// producers is the number of processes that append, correct and delete at a time.
const producers = 3

// writers are what the processes remember of the queue. A new configuration begins new processes.
type writers struct {
	kinds *catalog.Catalog
	all   [producers]*queue.Writer
}

// of returns the writer of a process.
func (p *writers) of(w *world, n int) *queue.Writer {
	if p.kinds != w.now {
		p.kinds = w.now
		for i := range p.all {
			p.all[i] = queue.NewWriter(w.store, w.now)
		}
	}
	return p.all[n]
}

// edits is the table of corrections and deletions by Tidemark.
type edits struct{ *store }

var _ ingest.ChangeStore = edits{}

// DeleteEvent deletes an event.
func (e edits) DeleteEvent(ctx context.Context, k model.EventKey, _ model.Time) (storage.WriteResult, error) {
	return e.delete(ctx, k, true)
}

// CorrectEvent changes an event in place.
func (e edits) CorrectEvent(
	ctx context.Context, event model.Event, _ model.Time,
) (storage.WriteResult, error) {
	return e.correct(ctx, event, true)
}

// Commit is not simulated.
func (e edits) Commit(context.Context, itemop.Transaction) (itemop.TransactResult, error) {
	return itemop.TransactResult{}, errors.New("no operation of the simulation sends other transactions")
}
