package eventsource

import (
	"context"
	"encoding/json"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Invoke calls a function with a payload. It returns the response, or an error if the
// function failed, crashed or timed out.
type Invoke func(ctx context.Context, payload []byte) ([]byte, error)

// Settings are the settings of a mapping, with the meaning that Lambda gives them.
type Settings struct {
	BatchSize       int           // most records per invocation; zero means 100
	Window          time.Duration // how long to wait for a batch to fill; zero does not wait
	MaxRetries      int           // of a batch that fails; negative means no limit
	MaxRecordAge    time.Duration // older records are given up; zero means no limit
	Bisect          bool          // split a failed batch in two
	Parallelization int           // concurrent batches of a shard, by item; zero means one
	Filter          Filter        // records to deliver; nil delivers all
	// ReportFailures uses batchItemFailures of the response.
	ReportFailures bool
}

// Mapping delivers a table stream to a function. Set its fields before Run and do not change
// them afterwards. Invoke and OnFailure are called concurrently.
type Mapping struct {
	Source   Source
	Invoke   Invoke
	Settings Settings
	Stream   string // ARN of the table stream, for GivenUp
	// called for records given up, until it returns nil; may be nil
	OnFailure func(context.Context, GivenUp) error
	Now       func() model.Time
	// Sleep waits, or returns the error of the context.
	Sleep func(context.Context, time.Duration) error

	progress progress
}

// The intervals of the mapping.
const (
	readPause  = 250 * time.Millisecond // between reads of a shard that has nothing new
	listPause  = time.Second            // between lists of the shards
	firstRetry = 100 * time.Millisecond // before a batch is sent again; doubles each time
	lastRetry  = 10 * time.Second
)

// Run reads the table stream from its oldest record, each shard after its parent, and delivers the records
// until ctx ends. It returns the error of the context after its goroutines have ended. Call it once.
func (m *Mapping) Run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		for {
			if err := m.follow(ctx, group); err != nil {
				return err
			}
			if err := m.Sleep(ctx, listPause); err != nil {
				return err
			}
		}
	})
	return group.Wait()
}

// follow starts to read new shards whose parents have been read.
func (m *Mapping) follow(ctx context.Context, group *errgroup.Group) error {
	tick := m.progress.tick.Load()
	shards, err := m.Source.Shards(ctx)
	if err != nil {
		return ctx.Err() // listed again after a pause
	}
	for _, s := range shards {
		if state := m.progress.ready(s, shards); state != nil {
			group.Go(func() error { return m.read(ctx, s, state) })
		}
	}
	m.progress.listed(tick, shards)
	return nil
}

// CaughtUp waits until every record that was in the table stream at the time of the call has
// been acknowledged or given up, or until ctx ends. Run must have been called. During
// CaughtUp, batches do not wait for the window at the end of a shard.
func (m *Mapping) CaughtUp(ctx context.Context) error {
	since := m.progress.tick.Add(1)
	m.progress.step(func() { m.progress.waiting++ })
	defer m.progress.step(func() { m.progress.waiting-- })
	for {
		changed := m.progress.changed()
		if m.progress.caughtUp(since) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}

// Source is a table stream. Implementations must be safe for concurrent reads of different
// shards. A shard is read by one goroutine at a time.
type Source interface {
	// Shards lists the existing stream shards. A parent that is not in the list cannot be read any more.
	Shards(ctx context.Context) ([]Shard, error)
	// Read returns the records of a shard after the sequence number after, oldest first. If after is "", it
	// starts at the oldest record. An empty page that is not Closed means that there are no new records yet:
	// Read is called again with the same after, as it is after an error.
	Read(ctx context.Context, shard, after string) (Page, error)
}

// Shard is a stream shard.
type Shard struct {
	ID     string
	Parent string // "" if it has none; the parent is read to its end first
}

// Page is the result of one read of a shard.
type Page struct {
	Records []Record
	Closed  bool // the shard has ended: no records follow
}

// Record is one table stream record.
type Record struct {
	Seq  string          // SequenceNumber
	Item string          // the primary key of the item in any form; records of an item are ordered
	At   model.Time      // time of the change, by the clock of the table
	Body json.RawMessage // as in the Records of Lambda's event
}
