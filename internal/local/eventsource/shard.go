package eventsource

import (
	"context"
	"hash/fnv"

	"golang.org/x/sync/errgroup"
)

// lane is the part of a shard that is delivered in order. With a parallelization above one,
// all records of an item are in the same lane.
type lane struct {
	*Mapping
	shard string
	state *shardState
	pages chan []Record // pages read; none is empty
	left  []Record      // the rest of the last page
	flush chan struct{} // requests to send an incomplete batch
}

// read delivers one shard to its end, or until ctx ends.
func (m *Mapping) read(ctx context.Context, s Shard, state *shardState) error {
	group, ctx := errgroup.WithContext(ctx)
	lanes := make([]*lane, max(1, m.Settings.Parallelization))
	for i := range lanes {
		lanes[i] = &lane{Mapping: m, shard: s.ID, state: state, pages: make(chan []Record, 1),
			flush: make(chan struct{}, 1)}
		group.Go(func() error { return lanes[i].run(ctx) })
	}
	group.Go(func() error {
		err := m.feed(ctx, s.ID, state, lanes)
		for _, l := range lanes {
			close(l.pages)
		}
		return err
	})
	if err := group.Wait(); err != nil {
		return err
	}
	m.progress.step(func() { state.done = true })
	return nil
}

// feed reads a shard until it is closed, and sends the records that pass the filter to the
// lanes. It blocks while a lane is full.
func (m *Mapping) feed(ctx context.Context, shard string, state *shardState, lanes []*lane) error {
	for after := ""; ; {
		tick := m.progress.tick.Load()
		page, err := m.Source.Read(ctx, shard, after)
		if err == nil && len(page.Records) > 0 {
			after = page.Records[len(page.Records)-1].Seq
			err = m.distribute(ctx, page.Records, state, lanes)
		} else if err == nil && m.progress.exhausted(state, tick) {
			flush(lanes)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && page.Closed {
			return nil
		}
		if err != nil || len(page.Records) == 0 {
			if err := m.Sleep(ctx, readPause); err != nil {
				return err
			}
		}
	}
}

func (m *Mapping) distribute(ctx context.Context, records []Record, state *shardState, lanes []*lane) error {
	passed, count := make([][]Record, len(lanes)), 0
	for _, r := range records {
		if m.Settings.Filter.Match(r.Body) {
			to := LaneIndex(r.Item, len(lanes))
			passed[to] = append(passed[to], r)
			count++
		}
	}
	m.progress.step(func() { state.pending += count })
	for i, page := range passed {
		if len(page) == 0 {
			continue
		}
		select {
		case lanes[i].pages <- page:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// flush requests each lane to send its incomplete batch. Requests to a busy lane are merged.
func flush(lanes []*lane) {
	for _, l := range lanes {
		select {
		case l.flush <- struct{}{}:
		default:
		}
	}
}

// LaneIndex returns the lane of an item, out of a number of lanes.
func LaneIndex(item string, lanes int) int {
	h := fnv.New32a()
	h.Write([]byte(item))
	return int(h.Sum32() % uint32(lanes))
}

func (m *Mapping) batchSize() int {
	if m.Settings.BatchSize == 0 {
		return 100
	}
	return m.Settings.BatchSize
}

// run delivers batches until the lane ends.
func (l *lane) run(ctx context.Context) error {
	for {
		batch, err := l.gather(ctx)
		if err != nil || len(batch) == 0 {
			return err
		}
		if err := l.deliver(ctx, batch); err != nil {
			return err
		}
	}
}

// maxPayload is the most bytes of records in one invocation.
const maxPayload = 6 << 20

// gather returns the next batch. It waits for a first record, then until the batch is full or
// the window has passed. The batch is empty if the lane has ended.
func (l *lane) gather(ctx context.Context) ([]Record, error) {
	if more, err := l.more(ctx, nil, nil); err != nil || !more {
		return nil, err
	}
	late, cancel := l.window(ctx)
	defer cancel()
	var batch []Record
	for size := 0; len(batch) < l.batchSize(); {
		if more, err := l.more(ctx, late, l.flush); err != nil || !more {
			return batch, err
		}
		next := l.left[0]
		if size += len(next.Body); size > maxPayload && len(batch) > 0 {
			break
		}
		batch, l.left = append(batch, next), l.left[1:]
	}
	return batch, nil
}

// more waits until left has a record. It returns false if the lane has ended, or if late or
// flush is ready first.
func (l *lane) more(ctx context.Context, late, flush <-chan struct{}) (ok bool, err error) {
	if len(l.left) > 0 {
		return true, nil
	}
	select { // available pages first
	case l.left, ok = <-l.pages:
		return ok, nil
	default:
	}
	select {
	case l.left, ok = <-l.pages:
		return ok, nil
	case <-late:
	case <-flush:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return false, nil
}

// window returns a channel that is closed after the batching window.
func (l *lane) window(ctx context.Context) (<-chan struct{}, func()) {
	ctx, cancel := context.WithCancel(ctx)
	passed := make(chan struct{})
	if l.Settings.Window <= 0 {
		close(passed)
		return passed, cancel
	}
	go func() {
		_ = l.Sleep(ctx, l.Settings.Window) // it ends early when the batch is full
		close(passed)
	}()
	return passed, cancel
}
