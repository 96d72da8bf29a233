package streamtest

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Invoke runs a function on a payload, as Lambda would: the answer's bytes, or an
// error where the function failed, crashed or ran out of time.
type Invoke func(ctx context.Context, payload []byte) ([]byte, error)

// Settings are the mapping's, by Lambda's meaning.
type Settings struct {
	BatchSize       int           // most records an invocation; zero means 100
	Window          time.Duration // how long a batch that is not full may gather; zero sends at once
	MaxRetries      int           // of a batch that fails; negative means until it is too old
	MaxRecordAge    time.Duration // older records are given up; zero means never
	Bisect          bool          // a failed batch is split in two
	Parallelization int           // batches of a shard under way at once, by item; zero means one
	Filter          Filter        // what is delivered; nil delivers all
	// ReportFailures heeds batchItemFailures in the answer.
	ReportFailures bool
}

// Mapping delivers a table stream to a function. Its fields are set before Run and
// not changed after; Invoke and OnFailure are called by several goroutines at a time.
type Mapping struct {
	Source    Source
	Invoke    Invoke
	Settings  Settings
	Stream    string                               // ARN of the table stream, for GivenUp
	OnFailure func(context.Context, GivenUp) error // told of what is given up, until it answers nil; nil tells nobody
	Now       func() model.Time
	// Sleep waits, or returns the context's error.
	Sleep func(context.Context, time.Duration) error

	progress progress
}

// The mapping's own pace.
const (
	readPause  = 250 * time.Millisecond // between reads of a shard that has nothing new
	listPause  = time.Second            // between looks for new shards
	firstRetry = 100 * time.Millisecond // before a batch is sent again; doubles each time
	lastRetry  = 10 * time.Second
)

// Run reads the table stream from the oldest record that is kept, each shard after
// its parent, and delivers until ctx ends; it returns the context's error once every
// goroutine of its own has ended. A Mapping runs once.
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

// follow starts reading the shards that are new and whose parents are done with.
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

// CaughtUp waits until everything that was in the table stream at the time of the
// call has been acknowledged or given up, or ctx ends. Run must be under way. While
// somebody waits, a batch does not gather on when the shard has nothing more.
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
