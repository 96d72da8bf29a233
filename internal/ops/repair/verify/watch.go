package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablescan"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Watcher recounts all series of a table, one after the other and then from the beginning, beside live
// traffic and with a bounded number of read units a second. Set its fields before the first call.
type Watcher struct {
	Verifier Verifier // of all series: Quick is ignored
	Units    float64  // most read units a second; above 0
	// Patience is how long a difference must last until it is reported: events that the table stream has not
	// delivered yet are in no row.
	Patience time.Duration
	// Position is a file that says which series was recounted last, so that a watch that was stopped resumes
	// there. "" keeps it in memory.
	Position string
	// Replace writes a whole file, or nothing. Required with Position.
	Replace func(path string, write func(io.Writer) error) error
	// Passes is how often all series are recounted; 0 is until the context ends.
	Passes int
	// Found is called with each series that was recounted: its report has the rows that differ for Patience.
	Found func(ctx context.Context, series model.Series, r *Report) error
	// Record stores how many rows differ, once a minute; nil stores nothing.
	Record func(ctx context.Context, v storage.Verification) error
	Sleep  func(context.Context, time.Duration) error

	recorded model.Time // when Record was called last
}

// position is the content of the file Position.
type position struct {
	Series string `json:"series"` // the one that was recounted last; "" at the beginning of a pass
	// Differ has the series with rows that differed when they were last recounted, and how many.
	Differ map[string]int `json:"differ,omitempty"`
}

// differing returns how many rows differ.
func (p *position) differing() (n int) {
	for _, rows := range p.Differ {
		n += rows
	}
	return n
}

// suspect is a series with rows that differed.
type suspect struct {
	series model.Series
	since  model.Time
}

// Run watches until the context ends, a pass fails, or Passes are done.
func (w *Watcher) Run(ctx context.Context) error {
	ctx, meter := model.WithReadMeter(ctx)
	v := w.Verifier
	v.Quick, v.buckets = false, newGroupBuckets()
	v.Store = &pacedStore{Store: v.Store, pay: w.pay(meter)}
	at, err := w.load()
	if err != nil {
		return err
	}
	for pass := 0; w.Passes == 0 || pass < w.Passes; pass++ {
		if err := w.pass(ctx, &v, &at); err != nil {
			return err
		}
	}
	return nil
}

// pass recounts the series after a position, and then those that differed.
func (w *Watcher) pass(ctx context.Context, v *Verifier, at *position) error {
	all, err := tablescan.Series(ctx, v.Store, v.Catalog, model.Subject{})
	if err != nil {
		return fmt.Errorf("find the series: %w", err)
	}
	all = v.buckets.with(all)
	if len(all) == 0 {
		return w.Sleep(ctx, w.Patience)
	}
	var suspects []suspect
	for _, series := range all {
		if series.String() <= at.Series {
			continue
		}
		if suspects, err = w.due(ctx, v, at, suspects); err != nil {
			return err
		}
		report, err := recountOne(ctx, v, series)
		switch {
		case err != nil:
			return err
		case len(report.Differences) > 0:
			suspects = append(suspects, suspect{series: series, since: w.Verifier.Now()})
		default:
			if err := w.found(ctx, at, series, report); err != nil {
				return err
			}
		}
		at.Series = series.String()
		if err := w.save(*at); err != nil {
			return err
		}
	}
	for len(suspects) > 0 {
		wait := suspects[0].since.Add(w.Patience).Sub(w.Verifier.Now())
		if err := w.Sleep(ctx, max(wait, time.Millisecond)); err != nil {
			return err
		}
		if suspects, err = w.due(ctx, v, at, suspects); err != nil {
			return err
		}
	}
	at.Series = ""
	at.forget(all)
	return w.save(*at)
}

// forget removes what is known of series that are not among all any more.
func (p *position) forget(all []model.Series) {
	known := map[string]bool{}
	for _, s := range all {
		known[s.String()] = true
	}
	maps.DeleteFunc(p.Differ, func(series string, _ int) bool { return !known[series] })
}

// found reports a series that was recounted, and records how many rows differ in all.
func (w *Watcher) found(ctx context.Context, at *position, series model.Series, r *Report) error {
	if at.Differ == nil {
		at.Differ = map[string]int{}
	}
	delete(at.Differ, series.String())
	if n := len(r.Differences); n > 0 {
		at.Differ[series.String()] = n
	}
	if err := w.Found(ctx, series, r); err != nil {
		return err
	}
	now := w.Verifier.Now()
	if w.Record == nil || now.Sub(w.recorded) < time.Minute {
		return nil
	}
	w.recorded = now
	return w.Record(ctx, storage.Verification{At: now, Differ: at.differing()})
}

// due recounts the suspects whose patience is over, and returns the others.
func (w *Watcher) due(
	ctx context.Context, v *Verifier, at *position, suspects []suspect,
) ([]suspect, error) {
	for len(suspects) > 0 && w.Verifier.Now() >= suspects[0].since.Add(w.Patience) {
		report, err := recountOne(ctx, v, suspects[0].series)
		if err != nil {
			return suspects, err
		}
		if err := w.found(ctx, at, suspects[0].series, report); err != nil {
			return suspects, err
		}
		suspects = suspects[1:]
	}
	return suspects, nil
}

func recountOne(ctx context.Context, v *Verifier, series model.Series) (*Report, error) {
	report, scope := &Report{}, Scope{Span: Always}
	one, err := v.recountSeries(ctx, series, scope)
	if err != nil {
		return report, err
	}
	return report, v.add(ctx, report, one, scope)
}

// load reads the position. A file that is missing is the beginning.
func (w *Watcher) load() (at position, err error) {
	if w.Position == "" {
		return at, nil
	}
	text, err := os.ReadFile(w.Position)
	if errors.Is(err, os.ErrNotExist) {
		return at, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &at)
	}
	if err != nil {
		return at, fmt.Errorf("read the position of a watch in %s: %w", w.Position, err)
	}
	return at, nil
}

func (w *Watcher) save(at position) error {
	if w.Position == "" {
		return nil
	}
	return w.Replace(w.Position, func(out io.Writer) error { return json.NewEncoder(out).Encode(at) })
}

// pay returns a function that waits until the budget has paid for all reads so far. A watch that was slower
// than its budget does not save for later.
func (w *Watcher) pay(meter *model.ReadMeter) func(context.Context) error {
	paid, until := 0.0, w.Verifier.Now()
	return func(ctx context.Context) error {
		now := w.Verifier.Now()
		cost := meter.Cost().Units
		until = max(until, now).Add(time.Duration((cost - paid) / w.Units * float64(time.Second)))
		paid = cost
		if until <= now {
			return nil
		}
		return w.Sleep(ctx, until.Sub(now))
	}
}

// pacedStore is a Store that pays for each page before it returns it. It is used by one goroutine at a time.
type pacedStore struct {
	Store
	pay func(context.Context) error
}

func (p *pacedStore) Events(ctx context.Context, r storage.Range) (storage.EventPage, error) {
	page, err := p.Store.Events(ctx, r)
	return page, errors.Join(err, p.pay(ctx))
}

func (p *pacedStore) Rows(ctx context.Context, unit tier.Unit, r storage.Range) (rollup.RowPage, error) {
	page, err := p.Store.Rows(ctx, unit, r)
	return page, errors.Join(err, p.pay(ctx))
}

func (p *pacedStore) ScanPage(ctx context.Context, after keys.Key, limit int) ([]item.Item, keys.Key, error) {
	items, next, err := p.Store.ScanPage(ctx, after, limit)
	return items, next, errors.Join(err, p.pay(ctx))
}

func (p *pacedStore) Partition(ctx context.Context, pk string, after keys.Key) ([]item.Item, keys.Key,
	error) {
	items, next, err := p.Store.Partition(ctx, pk, after)
	return items, next, errors.Join(err, p.pay(ctx))
}

func (p *pacedStore) ReadItems(
	ctx context.Context, these []keys.Key, consistent bool,
) (map[keys.Key]item.Item, error) {
	items, err := p.Store.ReadItems(ctx, these, consistent)
	return items, errors.Join(err, p.pay(ctx))
}

// Sweeps reads the low watermarks, which cost less than a unit a shard.
func (p *pacedStore) Sweeps(ctx context.Context) (storage.LowWatermarks, error) {
	table, ok := p.Store.(query.LowWatermarks)
	if !ok {
		return storage.LowWatermarks{}, fmt.Errorf("the store %T has no low watermarks", p.Store)
	}
	return table.Sweeps(ctx)
}

// Invalidations reads a queue shard, for a group that differs.
func (p *pacedStore) Invalidations(ctx context.Context, shard storage.QueueShard, dueUpTo model.Time,
	after string) (page storage.InvalidationPage, err error) {
	if queue, ok := p.Store.(groupQueue); ok {
		page, err = queue.Invalidations(ctx, shard, dueUpTo, after)
	}
	return page, errors.Join(err, p.pay(ctx))
}

// StreamState reads how far the table stream is processed, for a row that differs.
func (p *pacedStore) StreamState(ctx context.Context) (state storage.StreamState, err error) {
	if table, ok := p.Store.(query.StreamStates); ok {
		state, err = table.StreamState(ctx)
	}
	return state, errors.Join(err, p.pay(ctx))
}
