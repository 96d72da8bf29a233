package aggregate

import (
	"context"
	"fmt"
	"io"
	"runtime/debug"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// Aggregator keeps rollups equal to their events. Its fields are set before the
// first call and not changed after; its methods are safe for concurrent use.
type Aggregator struct {
	Store      Store
	Quarantine Quarantine
	Catalog    *catalog.Catalog
	// Now is the clock by which rows are sealed and expire. Clocks of invocations may
	// differ by less than tier.SealMargin takes up.
	Now func() model.Time
	// Rand mints revs and spreads retries. Reads of it are serialised; nil means
	// crypto/rand.
	Rand io.Reader
	// Sleep waits, or returns the context's error; nil means a timer.
	Sleep  func(ctx context.Context, d time.Duration) error
	Limits Limits

	mu sync.Mutex // guards Rand
}

// Limits bound the work of an Aggregator.
type Limits struct {
	Concurrency int // looks under way at once; zero means 64
	Tries       int // passes of one look before it is reported as failed; zero means 60
	// Children is how many children are folded into one row; zero means 200,000. A
	// bucket with more is marked: its kind needs a finer tier.
	Children int
	// Buckets of the finest tier that are settled together; zero means 500. A batch
	// that touches more goes piece by piece, in its order, so that a deadline finds
	// its first changes settled in every tier.
	Buckets int
	// Resume is how many read units a resume point must save every further look at its
	// bucket, on average over the bucket, so that a row carries one; zero means 1. With
	// math.Inf(1) there is none.
	Resume float64
	// QuarantineFor is how long a record set aside is kept; zero means 30 days.
	QuarantineFor time.Duration
}

func (l Limits) withDefaults() Limits {
	set := func(n *int, standard int) {
		if *n == 0 {
			*n = standard
		}
	}
	set(&l.Concurrency, 64)
	set(&l.Tries, 60)
	set(&l.Children, 200_000)
	set(&l.Buckets, 500)
	if l.Resume == 0 {
		l.Resume = 1
	}
	if l.QuarantineFor == 0 {
		l.QuarantineFor = 30 * tier.Day24
	}
	return l
}

// Settle looks again at every bucket that the changes touch, each tier before the
// next coarser one, and reports. Changes are in batch order. What the report names
// as failed is not settled, nor is anything after it: the caller acknowledges only
// what comes before the first failure. Settling the same changes again, in any cut
// and any order, changes nothing. It ends when ctx does, failing what is left.
func (a *Aggregator) Settle(ctx context.Context, changes []model.Change) Report {
	return a.settle(ctx, changes, false)
}

// Redrive is Settle for changes that come after later ones of the same items: those of
// a batch that was given up, or of a record that was set aside.
func (a *Aggregator) Redrive(ctx context.Context, changes []model.Change) Report {
	return a.settle(ctx, changes, true)
}

func (a *Aggregator) settle(ctx context.Context, changes []model.Change, repair bool) Report {
	total := &tally{}
	limits := a.Limits.withDefaults()
	for done := 0; done < len(changes) && !total.failed(); {
		p := gather(a.Catalog, changes, done, limits.Buckets)
		p.asRepair(repair)
		a.setAsideStrangers(ctx, changes, p, total)
		for _, touches := range p.rungs {
			a.lookAtAll(ctx, touches, limits, total)
		}
		total.Expired += p.expired
		done = p.end
	}
	return total.report(a.Now())
}

// lookAtAll looks at buckets that do not depend on each other.
func (a *Aggregator) lookAtAll(ctx context.Context, touches []*touch, limits Limits, total *tally) {
	ahead := a.readAhead(ctx, touches, limits, total)
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for _, t := range touches {
		group.Go(func() error {
			l := &look{Aggregator: a, touch: t, limits: limits, ahead: ahead}
			err := l.run(ctx)
			total.add(l, err)
			return nil
		})
	}
	_ = group.Wait() // failures are in the tally
}

// run is one look, repeated until the row that stands holds every change. A panic
// fails the look like any error, so that the batch is answered and the rest of the
// table stream is not held up by a crash.
func (l *look) run(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("look at %s: panic: %v\n%s", l.name(), r, debug.Stack())
		}
	}()
	l.Looks++
	err = l.insist(ctx, l.pass)
	if err == nil && l.outOfOrder() {
		err = l.insist(ctx, l.pass)
	}
	if err != nil {
		return fmt.Errorf("look at %s: %w", l.name(), err)
	}
	return nil
}

// outOfOrder reports whether what was just written must be looked at once more. The
// table stream tells of an item's changes in order: a deletion is settled before the
// event that is put again is told, so the look of that insert may leave a row alone
// that holds the event. A repair keeps no such order. It may read its children while a
// deletion that it makes up for is the last that happened, and write after such an
// insert was found in the row of before. Its second pass reads after its first write,
// and from then on no row of before is there to be left alone.
func (l *look) outOfOrder() bool { return l.repair && l.replaced }

func (l *look) name() string { return l.key.Series.String() + " " + l.bucket.String() }

// newRev mints the nonce of one write.
func (a *Aggregator) newRev() (rollup.Rev, error) {
	var rev rollup.Rev
	if err := a.random(rev[:]); err != nil {
		return rev, fmt.Errorf("mint rev: %w", err)
	}
	if rev == (rollup.Rev{}) {
		return rev, fmt.Errorf("mint rev: the random source returned zeros only")
	}
	return rev, nil
}
