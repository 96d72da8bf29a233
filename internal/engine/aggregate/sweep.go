package aggregate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// ClockMargin is how long after its due time an invalidation is worked off. Each clock must be within half of
// it of true time: then the sweep begins later, in true time, than every process that left the bucket to it.
const ClockMargin = queue.ClockMargin

// SweepReport is the outcome of a sweep of one queue shard.
type SweepReport struct {
	Report
	Swept int // invalidations worked off
	Left  int // invalidations that were found and are left; the next sweep finds them again
	// Through is the low watermark that the sweep wrote, or that is stored already or later.
	Through model.Time
	// Stopped: RunningSweep.Stop ended the sweep before all that was due was worked off. What it did not work
	// on is not in Left.
	Stopped bool
}

// Sweep recomputes the rows of the buckets of a queue shard that have closed, and advances the shard's low
// watermark. Any number of sweeps may run at the same time, and any may stop anywhere: an invalidation is
// deleted after its row is written. When ctx ends, the rest is left to the next sweep. An error means that a
// read or the watermark's write failed; rows that could not be written are failures of the report, by the
// index of the invalidation.
func (a *Aggregator) Sweep(ctx context.Context, shard storage.QueueShard) (SweepReport, error) {
	return a.SweepUntilStopped(ctx, shard, new(RunningSweep))
}

// SweepUntilStopped is a Sweep that run follows and may stop.
func (a *Aggregator) SweepUntilStopped(
	ctx context.Context, shard storage.QueueShard, run *RunningSweep,
) (SweepReport, error) {
	defer run.end()
	limit, err := a.sweepLimit(ctx, shard)
	if err != nil || limit <= model.MinTime {
		return SweepReport{Through: model.MinTime}, err
	}
	s := &sweep{agg: a, run: run, limits: a.Limits.withDefaults(), reached: model.MinTime, through: limit}
	err = s.pages(ctx, shard, limit)
	s.report.Report = s.all.finish(a.Now())
	if err == nil || s.reached > model.MinTime {
		err = errors.Join(err, s.advance(ctx, shard))
	}
	if err != nil {
		return s.report, fmt.Errorf("sweep queue shard %v: %w", shard, err)
	}
	return s.report, nil
}

// sweepLimit returns the time up to which a queue shard can be worked off. Groups are folded when every
// shard of members has passed it: all shares are written by then. It is MinTime before the first sweep of
// members.
func (a *Aggregator) sweepLimit(ctx context.Context, shard storage.QueueShard) (model.Time, error) {
	limit := a.Now().Add(-ClockMargin)
	if shard != storage.GroupShard {
		return limit, nil
	}
	queue, err := a.queue()
	if err != nil {
		return 0, err
	}
	marks, err := queue.Sweeps(ctx)
	if err != nil {
		return 0, readError("read low watermarks of members", err)
	}
	return min(limit, marks.Least()), nil
}

// Drain works off every invalidation of tiers that are not deferred any more, also those that are not due.
// Call it for each queue shard when no process leaves buckets of these tiers to a sweep: then readers may use
// the rows of all their buckets. It leaves the low watermark as it is.
func (a *Aggregator) Drain(ctx context.Context, shard storage.QueueShard) (SweepReport, error) {
	s := &sweep{agg: a, run: new(RunningSweep), limits: a.Limits.withDefaults(), drain: true}
	err := s.pages(ctx, shard, model.MaxTime)
	s.report.Report = s.all.finish(a.Now())
	if err != nil {
		return s.report, fmt.Errorf("drain queue shard %v: %w", shard, err)
	}
	return s.report, nil
}

// sweep is a running sweep.
type sweep struct {
	agg    *Aggregator
	run    *RunningSweep
	limits Limits
	drain  bool
	all    results

	reached model.Time // due time of the last invalidation that was read

	mu      sync.Mutex // guards what follows
	report  SweepReport
	through model.Time // before the first invalidation that is left
}

// maxGathered is how many invalidations are read before they are worked off: about 5 MB.
const maxGathered = 10_000

// pages works off the invalidations that are due up to a time. They are read in order of their due times, and
// worked off in order of series and time, so that the invalidations of one day recompute the day together.
func (s *sweep) pages(ctx context.Context, shard storage.QueueShard, dueUpTo model.Time) error {
	queue, err := s.agg.queue()
	if err != nil {
		return err
	}
	for after, more := "", true; more; {
		var found []storage.Invalidation
		for more && len(found) < maxGathered {
			page, failed := queue.Invalidations(ctx, shard, dueUpTo, after)
			if err = failed; err != nil {
				break
			}
			s.all.count(Counts{Reads: 1})
			found = append(found, page.Invalidations...)
			after, more = page.Next, page.Next != ""
		}
		if n := len(found); n > 0 {
			s.reached = found[n-1].Due
		}
		s.run.read(len(found), more)
		if s.drain {
			found = lists.Filter(found, s.ended)
		}
		slices.SortFunc(found, func(x, y storage.Invalidation) int {
			return cmp.Or(cmp.Compare(x.Key.Series.String(), y.Key.Series.String()),
				cmp.Compare(x.Key.Start, y.Key.Start))
		})
		for some := range slices.Chunk(found, s.limits.Buckets) {
			if s.run.Stopped() {
				s.leave(some)
				continue
			}
			s.workOff(ctx, queue, some)
		}
		if more && s.reached > model.MinTime && s.run.Stopped() {
			s.report.Stopped = true
			s.through = min(s.through, s.reached-1)
			return nil
		}
		if err != nil {
			s.through = min(s.through, s.reached-1)
			return readError("read invalidations", err)
		}
	}
	return nil
}

// done records whether an invalidation was worked off.
func (s *sweep) done(i storage.Invalidation, err error) {
	s.run.handled()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		s.report.Swept++
		return
	}
	s.all.addFailure(s.report.Left, err)
	s.report.Left++
	s.through = min(s.through, i.Due-1)
}

// workOff recomputes the buckets of some invalidations, always from their first child and
// always writing, and goes on with each parent by the rule of leaveOpen: those that have closed are
// recomputed once for all of their children. Then it deletes the invalidations.
func (s *sweep) workOff(ctx context.Context, queue InvalidationStore, found []storage.Invalidation) {
	c := chunk{known: map[rollup.Key]*dirtyBucket{}, newest: model.MinTime}
	results := make([]func() error, len(found)) // of the buckets of each
	for n, i := range found {
		results[n] = s.addDue(&c, n, i)
	}
	if ctx.Err() == nil {
		s.listGroups(ctx, &c, c.seen)
		due := (*dirtyBucket).sweptAt
		closed := s.agg.leaveLevel(ctx, &c, 0, due, s.limits, &s.all)
		s.agg.recomputeLevels(ctx, &c, closed, due, s.limits, &s.all)
		s.listGroups(ctx, &c, c.emptiedGroups())
		s.reportGroups(ctx, &c)
	}
	errs := make([]error, len(found))
	var group errgroup.Group
	group.SetLimit(s.limits.Concurrency)
	for n, i := range found {
		group.Go(func() error {
			errs[n] = s.finish(ctx, i, results[n]())
			return nil
		})
	}
	_ = group.Wait() // errors are in errs
	var worked []storage.Invalidation
	for n, i := range found {
		if errs[n] != nil {
			s.done(i, errs[n])
			continue
		}
		worked = append(worked, i)
	}
	s.deleteAll(ctx, queue, worked)
}

// listGroups lists the series of groups. A group that cannot be listed is swept again.
func (s *sweep) listGroups(ctx context.Context, c *chunk, groups []*seen) {
	left, err := s.agg.list(ctx, groups, s.limits, &s.all)
	for _, group := range left {
		c.failSeries(group.series, err)
	}
}

// failSeries sets why the buckets of a series are not processed.
func (c *chunk) failSeries(series model.Series, err error) {
	for _, buckets := range c.levels {
		for _, b := range buckets {
			if b.key.Series == series {
				b.err = err
			}
		}
	}
}

// addDue adds the bucket of an invalidation and the coarser ones around it, as repairs,
// because a sweep is not in the table stream's order. It returns the later result.
func (s *sweep) addDue(c *chunk, n int, i storage.Invalidation) func() error {
	kind, level, err := s.findTier(i)
	if err != nil {
		return func() error { return err }
	}
	buckets := c.addBuckets(n, kind, i.Key.Series, i.Key.Start, level)
	for _, b := range buckets {
		b.alwaysWrite = true
		b.repair = true
		b.swept = true
		b.due = b.due || b.level == level
		if b.workedOff == 0 || i.Due < b.workedOff {
			b.workedOff = i.Due
		}
	}
	if names, err := storage.SplitGroups(i.Groups); err == nil && len(buckets) > 0 {
		buckets[0].addGroups(names...)
	}
	if kind.GroupsOf != "" {
		c.see(kind, i.Key.Series, i.Key.Start)
	}
	return func() error {
		if len(buckets) == 0 {
			return nil
		}
		return buckets[0].failure()
	}
}

// timeToAdvance is how long the write of the low watermark may take after ctx has ended:
// what was worked off in time counts.
const timeToAdvance = time.Second

// advance stores the low watermark. One that is stored already, and not earlier, stays.
func (s *sweep) advance(ctx context.Context, shard storage.QueueShard) error {
	s.report.Through = s.through
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), timeToAdvance)
		defer cancel()
	}
	queue, err := s.agg.queue()
	if err != nil {
		return err
	}
	return s.agg.untilWritten(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		result, err := queue.AdvanceSweep(ctx, shard, s.through)
		if result == storage.ConditionFailed {
			result = storage.Written
		}
		return result, err
	})
}
