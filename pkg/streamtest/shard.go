package streamtest

import (
	"context"
	"hash/fnv"

	"golang.org/x/sync/errgroup"
)

// lane is the part of a shard that is delivered in order: with parallelization above
// one, each item's records stay in one lane.
type lane struct {
	*Mapping
	shard string
	state *shardState
	pages chan []Record // what was read, none of them empty
	left  []Record      // of the last page
	flush chan struct{} // asks to send what has gathered
}

// read delivers one shard to its end, or until ctx ends.
func (m *Mapping) read(ctx context.Context, s Shard, state *shardState) error {
	group, ctx := errgroup.WithContext(ctx)
	lanes := make([]*lane, max(1, m.Settings.Parallelization))
	for i := range lanes {
		lanes[i] = &lane{Mapping: m, shard: s.ID, state: state, pages: make(chan []Record, 1), flush: make(chan struct{}, 1)}
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

// feed reads a shard until it is closed, and hands what passes the filter to the
// lanes. A lane that is full holds it up.
func (m *Mapping) feed(ctx context.Context, shard string, state *shardState, lanes []*lane) error {
	for after := ""; ; {
		tick := m.progress.tick.Load()
		page, err := m.Source.Read(ctx, shard, after)
		if err == nil && len(page.Records) > 0 {
			after = page.Records[len(page.Records)-1].Seq
			err = m.hand(ctx, page.Records, state, lanes)
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

func (m *Mapping) hand(ctx context.Context, records []Record, state *shardState, lanes []*lane) error {
	passed, count := make([][]Record, len(lanes)), 0
	for _, r := range records {
		if m.Settings.Filter.Match(r.Body) {
			to := laneOf(r.Item, len(lanes))
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

// flush has each lane send what it has. A lane that is busy is told once.
func flush(lanes []*lane) {
	for _, l := range lanes {
		select {
		case l.flush <- struct{}{}:
		default:
		}
	}
}

func laneOf(item string, lanes int) int {
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

// run delivers batch after batch.
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

// maxPayload is how many bytes of records an invocation takes.
const maxPayload = 6 << 20

// gather cuts the next batch: it waits for a first record, then until the batch is
// full or the window has passed. It is empty when the lane has ended.
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

// more waits for a record to be left; false says that the lane has ended, or that
// late or flush came first.
func (l *lane) more(ctx context.Context, late, flush <-chan struct{}) (ok bool, err error) {
	if len(l.left) > 0 {
		return true, nil
	}
	select { // what is there comes first
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

// window is closed when it has passed.
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
