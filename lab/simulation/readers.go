package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Counts of what readers got.
const (
	bucketsChecked = "buckets that readers got, checked"
	bucketsOpen    = "of these, with events of buckets that were open to the reader"
	bucketsMixed   = "of these, with events that changed meanwhile"
	bucketsAbsent  = "buckets that readers did not get, rightly"
	bucketsAhead   = "of these, with changes on time that the table stream had not delivered"
)

// change is one change of an event: what it is from then on, or nil if a user deleted it.
type change struct {
	key model.EventKey
	to  *model.Event
	// onTime is set if one of Tidemark's writers committed the change before any process could take the
	// bucket for closed: every read from then on has it, however late the table stream delivers it.
	onTime bool
	at     model.Time // of the commit
}

// readers checks what readers get while everything else goes on. Each bucket is the fold of a set of
// events between the changes that were processed before the read began and those that were committed
// by its end. Of a bucket that is open to the reader, these are at least the changes that were
// committed before the read began. Of every bucket, they are at least the changes that were on time.
// No bucket is missing or returned twice.
type readers struct {
	*world
	changes   []change            // all, in the order of their commits
	processed int                 // the number of changes when nothing was in progress for the last time
	pending   map[rollup.Key]bool // rows that did not have all of them even then
	// pendingGroups are the rows of groups that did not have all changes even then.
	pendingGroups groupsPending
	unqueued      map[model.EventKey]bool // events that were sent without a queued bucket
}

// quiet notes that every change so far was processed, except changes of pending rows.
func (r *readers) quiet(pending map[rollup.Key]bool) {
	r.processed, r.pending = len(r.changes), maps.Clone(pending)
}

// readable is the table as readers read it.
type readable struct {
	*memory.Table
	through *store
}

func (r readable) Events(ctx context.Context, of storage.Range) (storage.EventPage, error) {
	return r.through.Events(ctx, of)
}

func (r readable) EachEvent(ctx context.Context, of storage.Range, do func(*model.Event)) (string, error) {
	return production{r.through}.EachEvent(ctx, of, do)
}

func (r readable) Rows(ctx context.Context, unit tier.Unit, of storage.Range) (rollup.RowPage, error) {
	return r.through.Rows(ctx, unit, of)
}

// received is what a reader got of one tier.
type received struct {
	*readers
	kind             *catalog.Kind
	level            int
	series           model.Series
	from, to         model.Time
	processed, began int // numbers of changes when the read began
	pending          map[rollup.Key]bool
	rows             map[model.Time]*query.Rollup
}

// readSoon schedules up to three reads, in the first minutes after a time.
func (w *world) readSoon(name string, d simstream.Dice, at, hour model.Time) {
	for n := range d.Pick("readers", 4) {
		d := d.Part("reader", n)
		w.At(at.Add(d.Span("after", []time.Duration{5 * time.Second, time.Minute, 5 * time.Minute}[n])),
			func() {
				if w.visits() != nil {
					w.readSessions(name, d, hour)
					return
				}
				w.read(name, d, hour)
				w.readGroup(name, d.Part("group"), hour)
			})
	}
}

// read reads the rows of one tier around an hour.
func (w *world) read(name string, d simstream.Dice, hour model.Time) {
	kinds, skew := w.now, d.Span("reader's clock", aggregate.ClockMargin)-aggregate.ClockMargin/2
	if w.before != nil && d.Chance("old code", .5) {
		kinds = w.before
	}
	w.Go(name+" reads", d, func(ctx context.Context) {
		kind, _ := kinds.Kind(kindName)
		tiers := kind.Retention.Tiers
		around := tiers[len(tiers)-1].Unit.BucketAt(hour)
		r := w.readers
		a := received{
			readers: r, kind: kind, level: d.Pick("tier", len(tiers)), from: around.Start, to: around.End,
			series:    kind.Series(w.subject[d.Pick("subject", 5)/4], "", model.Order{}).WithoutShard(),
			processed: r.processed, began: len(r.changes), pending: r.pending,
			rows: map[model.Time]*query.Rollup{},
		}
		now := func() model.Time { return w.Now().Add(skew) }
		live := &query.Live{
			Store: readable{w.table, w.store}, Watermarks: w.store, Kind: query.CatalogKinds(kinds), Now: now,
			Parallel: 1,
		}
		if w.variant.live != nil {
			w.variant.live(live)
		}
		switch err := a.get(ctx, &query.Service{Store: live, Now: now}, d.Chance("newest first", .3)); {
		case errors.Is(err, errTwice):
			w.Fail(err)
		case err == nil:
			w.Fail(a.check())
		}
	})
}

var errTwice = errors.New("a reader got a bucket twice")

func (a *received) unit() tier.Unit { return a.kind.Retention.Tiers[a.level].Unit }

// get reads all pages.
func (a *received) get(ctx context.Context, s *query.Service, newest bool) error {
	q := query.Rollups{
		Series: query.Series{Kind: a.kind, Subject: a.series.Subject.ID}, Unit: a.unit(), From: a.from, To: a.to,
		Newest: newest, Consistent: true,
	}
	for row, err := range s.EachRollup(ctx, q) {
		if err = cmp.Or(err, row.Err); err != nil {
			return err
		}
		if a.rows[row.Bucket.Start] != nil {
			return fmt.Errorf("%w: %s of %s", errTwice, row.Bucket, a.series)
		}
		a.rows[row.Bucket.Start] = &row
	}
	return nil
}

// check checks each bucket that the reader got, and each with events that it did not get.
func (a *received) check() error {
	swept, _ := a.table.Sweeps(context.Background()) // a table in memory does not fail
	buckets := map[model.Time]map[model.EventKey]*versions{}
	for i, c := range a.changes {
		start := a.unit().BucketAt(c.key.At).Start
		if c.key.Series.WithoutShard() != a.series || start < a.from || start >= a.to {
			continue
		}
		if buckets[start] == nil {
			buckets[start] = map[model.EventKey]*versions{}
		}
		v := buckets[start][c.key]
		if v == nil {
			v = &versions{open: a.open(c.key, swept), possible: []*model.Event{nil}}
			buckets[start][c.key] = v
		}
		least := a.processed
		if v.open || c.onTime {
			least = a.began
		}
		v.ahead = v.ahead || c.onTime && !v.open && i >= a.processed && i < a.began
		if i < least {
			v.possible = v.possible[:0]
		}
		v.possible = append(v.possible, c.to)
	}
	for start := range a.rows {
		if buckets[start] == nil {
			buckets[start] = map[model.EventKey]*versions{}
		}
	}
	for start, events := range buckets {
		if err := a.bucket(a.unit().BucketAt(start), events); err != nil {
			return err
		}
	}
	return nil
}

// open reports whether the reader folded the bucket of an event from events. The low watermark only
// advances: a bucket that is after it now was after it during the read.
func (a *received) open(key model.EventKey, swept storage.LowWatermarks) bool {
	policy := a.kind.Retention
	closes := policy.ClosesAt(0, policy.Tiers[0].Unit.BucketAt(key.At), a.series)
	return closes > max(swept.For(a.series), model.MinTime)
}

// versions are what an event may have been to the reader; nil is absent.
type versions struct {
	possible []*model.Event
	open     bool
	ahead    bool
}

// bucket checks one bucket. An inexact row promises nothing. A row that is missing may have expired,
// or not have been created because one may have: that is checked only where nothing expires, of
// buckets that are not older than a row lives.
func (a *received) bucket(b tier.Bucket, events map[model.EventKey]*versions) error {
	row, got := a.rows[b.Start]
	key := rollup.Key{Series: a.series, Tier: a.unit().String(), Start: b.Start}
	t := a.kind.Retention.Tiers[a.level]
	least := t.LeastRetention()
	old := least != tier.Forever && b.End.Add(least-slack) <= a.Now()
	if got && !row.Exact || !got && (!a.nothingExpires || old) || a.pending[key] || !t.HasRow(b) {
		return nil
	}
	fold := rollup.NewFold(a.kind.Spec())
	if got {
		fold = &row.Fold
	}
	var open, mixed, ahead bool
	all := make([][]*model.Event, 0, len(events))
	for _, v := range events {
		open = open || v.open
		mixed = mixed || len(v.possible) > 1
		ahead = ahead || v.ahead
		all = append(all, v.possible)
	}
	possible, tried := someSet(all, nil, func(events []*model.Event) bool {
		return sameFold(fold, a.fold(events))
	}, 0)
	switch {
	case tried > mostSets:
		return nil
	case !possible && got:
		return fmt.Errorf("a reader got %s of %s with %s: not the fold of a possible set of events, "+
			"of which there are %d", b, a.series, foldName(fold), tried)
	case !possible:
		return fmt.Errorf("a reader did not get %s of %s, which had events", b, a.series)
	case !got:
		a.Count(bucketsAbsent)
		return nil
	}
	a.Count(bucketsChecked)
	if open {
		a.Count(bucketsOpen)
	}
	if mixed {
		a.Count(bucketsMixed)
	}
	if ahead {
		a.Count(bucketsAhead)
	}
	return nil
}

// fold folds events as the rows of the kind do.
func (a *received) fold(events []*model.Event) *rollup.Fold {
	if a.kind.GroupsOf != "" {
		return foldGroup(a.kind, a.level, events)
	}
	f := rollup.NewFold(a.kind.Spec())
	for _, e := range events {
		f.AddEvent(e)
	}
	return f
}
