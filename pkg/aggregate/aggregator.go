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
	Concurrency int // looks under way at once; zero means 16
	Tries       int // passes of one look before it is reported as failed; zero means 60
	// Children is how many children are folded into one row; zero means 200,000. A
	// bucket with more is marked: its kind needs a finer tier.
	Children int
	// Buckets of the finest tier that are settled together; zero means 500. A batch
	// that touches more goes piece by piece, in its order, so that a deadline finds
	// its first changes settled in every tier.
	Buckets int
	// QuarantineFor is how long a record set aside is kept; zero means 30 days.
	QuarantineFor time.Duration
}

func (l Limits) withDefaults() Limits {
	set := func(n *int, standard int) {
		if *n == 0 {
			*n = standard
		}
	}
	set(&l.Concurrency, 16)
	set(&l.Tries, 60)
	set(&l.Children, 200_000)
	set(&l.Buckets, 500)
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
	total := &tally{}
	limits := a.Limits.withDefaults()
	for done := 0; done < len(changes) && !total.failed(); {
		p := gather(a.Catalog, changes, done, limits.Buckets)
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
	var group errgroup.Group
	group.SetLimit(limits.Concurrency)
	for _, t := range touches {
		group.Go(func() error {
			l := &look{Aggregator: a, touch: t, limits: limits}
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
	if err := l.insist(ctx, l.pass); err != nil {
		return fmt.Errorf("look at %s: %w", l.name(), err)
	}
	return nil
}

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
