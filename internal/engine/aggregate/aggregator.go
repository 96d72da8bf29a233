package aggregate

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/engine/queue"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Aggregator keeps rollups equal to their events. Set its fields before the first
// call and do not change them afterwards. Its methods are safe for concurrent use.
type Aggregator struct {
	Store           Store
	QuarantineStore QuarantineStore
	Catalog         *catalog.Catalog
	// Now is the clock by which rows are sealed and expire. The clocks of invocations may
	// differ by less than tier.SealMargin.
	Now func() model.Time
	// Rand makes revisions and spreads retries. Reads of it are serialised; nil means crypto/rand.
	Rand io.Reader
	// Sleep waits, or returns the context's error; nil means a timer.
	Sleep  func(ctx context.Context, d time.Duration) error
	Limits Limits
	// OnGroups is called by a sweep with the buckets of groups whose rows it has written, before it deletes
	// their invalidations: as corrections, at their starts. The invalidations of a group for which it returns
	// an error are left to the next sweep. It may be called concurrently; nil is allowed.
	OnGroups func(ctx context.Context, buckets []storage.Change) map[model.Series]error

	queued queue.Memory
	listed listMemory

	mu       sync.Mutex // guards Rand and what follows
	sweeps   storage.LowWatermarks
	sweepsAt model.Time // when they were read
}

// Limits bound the work of an Aggregator.
type Limits struct {
	// Concurrency is how many recomputations, series of the list, latest items and batches of invalidations
	// are worked on at once, of each; zero means 64.
	Concurrency int
	Attempts    int // attempts of one recomputation before it fails; zero means 60
	// MaxChildren is how many children are folded into one row; zero means 200,000. The
	// row of a bucket with more is inexact: its kind needs a finer tier.
	MaxChildren int
	// Buckets is how many buckets of the finest tier are processed together; zero means
	// 500. A larger batch is processed in chunks, in its order, so that a deadline leaves
	// the first changes processed in every tier.
	Buckets int
	// QuarantineRetention is how long a quarantined record is stored; zero means 30 days.
	QuarantineRetention time.Duration
}

func (l Limits) withDefaults() Limits {
	set := func(n *int, standard int) {
		if *n == 0 {
			*n = standard
		}
	}
	set(&l.Concurrency, 64)
	set(&l.Attempts, 60)
	set(&l.MaxChildren, 200_000)
	set(&l.Buckets, 500)
	l.QuarantineRetention = cmp.Or(l.QuarantineRetention, 30*tier.Day24)
	return l
}

// Process recomputes every bucket that the changes touch, each tier before the next coarser one. An open
// bucket of a deferred tier is left to a sweep, with all coarser ones. Changes are in batch order. A change
// that the report names as failed is not processed, nor is any change after it: acknowledge only the changes
// before the first failure. Processing the same changes again, in any batches and any order, changes nothing.
// When ctx ends, what is left fails.
func (a *Aggregator) Process(ctx context.Context, changes []storage.Change) Report {
	return a.process(ctx, changes, false)
}

// Redrive is Process for changes that arrive after later changes of the same items: the changes of
// a batch that was given up, or of a quarantined record.
func (a *Aggregator) Redrive(ctx context.Context, changes []storage.Change) Report {
	return a.process(ctx, changes, true)
}

func (a *Aggregator) process(ctx context.Context, changes []storage.Change, repair bool) Report {
	all := &results{}
	limits := a.Limits.withDefaults()
	for done := 0; done < len(changes) && !all.failed(); {
		c := gather(a.Catalog, changes, done, limits.Buckets)
		a.walkLate(ctx, &c, all)
		c.setRepair(repair)
		a.touchMoved(ctx, &c, all)
		a.quarantineUnknownKinds(ctx, changes, c, all)
		var closed []*dirtyBucket
		a.listMembers(ctx, &c, limits, all)
		together(limits,
			func() { a.listAll(ctx, c.seen, limits, all) },
			func() { a.foldLatestItems(ctx, &c, limits, all) },
			func() { closed = a.leaveLevel(ctx, &c, 0, (*dirtyBucket).dueAt, limits, all) },
		)
		a.recomputeLevels(ctx, &c, closed, (*dirtyBucket).dueAt, limits, all)
		all.report.Expired += c.expired
		done = c.end
	}
	return all.finish(a.Now())
}

// together carries out steps of which none depends on another: at the same time, or one after the other where
// one request may be sent at once.
func together(limits Limits, steps ...func()) {
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for _, step := range steps {
		group.Go(func() error {
			step()
			return nil
		})
	}
	_ = group.Wait() // none fails
}

// leaveLevel leaves the open buckets of a level to a sweep, and returns the others.
func (a *Aggregator) leaveLevel(
	ctx context.Context, c *chunk, level int, due dueTime, limits Limits, all *results,
) []*dirtyBucket {
	if level >= len(c.levels) {
		return nil
	}
	return a.leaveOpen(ctx, touched(c.levels[level]), due, c.newest, limits, all)
}

// recomputeLevels recomputes the buckets of a chunk that are due, each tier before the next
// coarser one, and leaves the others to a sweep. closed are the closed buckets of the
// finest tiers.
func (a *Aggregator) recomputeLevels(
	ctx context.Context, c *chunk, closed []*dirtyBucket, due dueTime, limits Limits, all *results,
) {
	for level := range c.levels {
		if level > 0 {
			closed = a.leaveLevel(ctx, c, level, due, limits, all)
		}
		a.recomputeAll(ctx, closed, limits, all)
		touchParents(closed)
	}
}

// recomputeAll recomputes buckets that do not depend on each other.
func (a *Aggregator) recomputeAll(ctx context.Context, buckets []*dirtyBucket, limits Limits, all *results) {
	known := a.prefetch(ctx, buckets, limits, all)
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for _, run := range known.runs(buckets, a.Now()) {
		group.Go(func() error {
			folds := a.foldRun(ctx, run, limits, all)
			for i, b := range run {
				r := &recomputation{agg: a, bucket: b, limits: limits, prefetched: known, fold: folds[i]}
				err := r.run(ctx)
				all.add(r, err)
			}
			return nil
		})
	}
	_ = group.Wait() // errors are in the results
}

// RepairOptions change what the recomputations of a repair do. The zero value is how the
// table stream is processed.
type RepairOptions struct {
	Mark MarkMode
	// DryRun writes nothing: a row that would be written counts as Changed. Each row is compared with its
	// children as they are stored, so a row that would change only because a child changes is not counted.
	DryRun bool
	// ReplaceDamaged recomputes a row that cannot be decoded as if it did not exist. The
	// new row is inexact where a child may have expired, since the damaged row does not
	// say. Without it a damaged row is left unchanged, like a sealed one.
	ReplaceDamaged bool
	// OnDifference is called for each row that differs from its children: after it is
	// written, or at once in a dry run. It is called concurrently; nil is allowed.
	OnDifference func(Note)
}

// MarkMode is which rows a repair marks inexact without folding what they miss.
type MarkMode int

const (
	// MarkSealed marks a sealed row: a change is known that may be missing from it.
	MarkSealed MarkMode = iota
	// MarkNone leaves sealed rows unchanged: no missing change is known.
	MarkNone
	// MarkAll is MarkSealed, and also folds the open rows of the finest tier from the events that are left,
	// and marks and so seals them: events of theirs expired before they were folded.
	MarkAll
)

// forBucket returns the options for bucket b of a level, where lowest is the finest level recomputed. MarkAll
// is for the finest bucket that has a row: the coarser ones become inexact by folding it.
func (o RepairOptions) forBucket(p tier.Policy, level, lowest int, b tier.Bucket) RepairOptions {
	if o.Mark == MarkAll && p.ChildLevel(level, b) >= lowest {
		o.Mark = MarkSealed
	}
	return o
}
