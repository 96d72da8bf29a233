package aggregate

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// StreamRetention is how long a table stream remembers a change.
const StreamRetention = 24 * time.Hour

// Marks is where the watermark stands. Each method is one request; an error is for
// what no retry can mend. Implementations are safe for concurrent use.
type Marks interface {
	// Advance moves the watermark to at, on condition that none stands, or one that is
	// before at and not before floor. Refused tells the one that stands.
	Advance(ctx context.Context, at, floor model.Time) (answer model.Answer, stands model.Time, err error)
	// KeepGap keeps a gap until it is mended; one that begins at the same time is
	// there already and is left as it is.
	KeepGap(ctx context.Context, gap model.Gap) (model.Answer, error)
}

// Watermark tells how far the table stream has been settled: the newest change of any
// stream shard. Where it has stood still for nearly as long as a table stream
// remembers, changes may be gone that nobody was told of, and the gap is kept before
// the watermark moves on. One shard alone cannot fall so far behind unseen: its
// batches are given up by their age, long before, and are told to the on-failure
// queue. It is bookkeeping beside the rule: losing a write of it loses no count.
type Watermark struct {
	Store Marks
	// Every is how often this process moves it, at most; zero means a minute.
	Every time.Duration

	mu   sync.Mutex // guards what follows
	next model.Time // changes before this need no new watermark
}

// stillFor is how long a watermark may stand before changes may be gone: what a table
// stream remembers, less an hour for its trimming early and for clocks.
const stillFor = StreamRetention - time.Hour

// Settled moves the watermark to a change that was settled, with everything before it
// in its batch. The gap, where there is one, is kept already. It may be called
// concurrently.
func (w *Watermark) Settled(ctx context.Context, at model.Time) (gap *model.Gap, err error) {
	if !w.due(at) {
		return nil, nil
	}
	floor := at.Add(-stillFor)
	for range 2 {
		answer, stands, err := w.Store.Advance(ctx, at, floor)
		if err != nil || answer != model.Refused || stands >= at {
			return gap, wrapMark(err)
		}
		g := model.Gap{From: stands, To: at}
		if answer, err := w.Store.KeepGap(ctx, g); err != nil || answer != model.Written {
			return nil, wrapMark(err) // kept the next time
		}
		gap, floor = &g, stands
	}
	return gap, nil
}

func wrapMark(err error) error {
	if err != nil {
		return fmt.Errorf("move the watermark: %w", err)
	}
	return nil
}

// due claims the next move for the caller.
func (w *Watermark) due(at model.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at < w.next {
		return false
	}
	every := w.Every
	if every == 0 {
		every = time.Minute
	}
	w.next = at.Add(every)
	return true
}
