package stack

import (
	"context"
	"fmt"
	"sync"

	"github.com/tidemark-db/tidemark/internal/data/files"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
)

// failureFile replaces the on-failure queue. Each range of the table stream that is given up is one
// line, in the format of Lambda's message.
type failureFile struct {
	path string

	mu    sync.Mutex
	count int // guarded by mu, as is the file
}

// add appends one given-up range.
func (f *failureFile) add(_ context.Context, g eventsource.GivenUp) error {
	line, err := tablestream.EncodeFailedRange(tablestream.FailedRange{
		Condition: g.Condition, Stream: g.Stream, Shard: g.Shard, Records: g.Records,
		First: g.First, Last: g.Last, FirstAt: g.FirstAt, LastAt: g.LastAt,
	}, g.At, g.Invokes)
	if err != nil {
		return fmt.Errorf("write the on-failure file: %w", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if err := files.Append(f.path, append(line, '\n')); err != nil {
		return fmt.Errorf("write the on-failure file: %w", err)
	}
	return nil
}

func (f *failureFile) ranges() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}
