// Package repair recomputes rollups that miss a change: over a range of event time or of arrival time (a
// Repairer), and for ranges of the table stream that the functions failed to process (a Redriver). Package
// verify finds what is wrong; package aggregate recomputes a bucket.
//
// Every write is on condition of what was read, so each repair is safe at any time, may run twice, and may
// run during live traffic. The package prints nothing: results are values, and long runs report their
// progress to a callback.
package repair

import (
	"context"
	"fmt"
	"sync"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Deleter deletes stored items.
type Deleter interface {
	// DeleteItem deletes an item; a missing item is no error.
	DeleteItem(ctx context.Context, k keys.Key) error
}

// UndeclaredKindError says that a stored series is of a kind that the catalog has not.
type UndeclaredKindError struct{ Series model.Series }

func (e *UndeclaredKindError) Error() string {
	return fmt.Sprintf("%s: its kind is not declared", e.Series)
}

// notes keeps the first notes about rows that were wrong. There may be millions.
type notes struct {
	max int

	mu  sync.Mutex
	all []aggregate.Note // guarded by mu
}

func (n *notes) add(note aggregate.Note) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.all) < n.max {
		n.all = append(n.all, note)
	}
}
