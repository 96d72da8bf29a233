package alert

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Counts are what looks did, summed.
type Counts struct {
	Looks     int // series looked at
	Raised    int
	Recovered int
	Withdrawn int
	Changed   int // alerts written for any other reason
	Sealed    int // deletions and corrections that came too late to be tested again
	Damaged   int // series whose rules could not be tested for what is stored: they are told, and left
}

func (c *Counts) wrote(changes []change) {
	for i := range changes {
		switch changes[i].what {
		case model.AlertRaised:
			c.Raised++
		case model.AlertRecovered:
			c.Recovered++
		case model.AlertTakenBack:
			c.Withdrawn++
		default:
			c.Changed++
		}
	}
}

func (c *Counts) add(o Counts) {
	c.Looks += o.Looks
	c.Raised += o.Raised
	c.Recovered += o.Recovered
	c.Withdrawn += o.Withdrawn
	c.Changed += o.Changed
	c.Sealed += o.Sealed
	c.Damaged += o.Damaged
}

// Report is what became of a batch.
type Report struct {
	Counts
	// Failures are the series that could not be looked at, in the order of their earliest
	// change: nothing from that on may be acknowledged.
	Failures []Failure
	// Notes name what needs somebody's attention.
	Notes []string
	// Told are the notices that were stored and are not delivered yet.
	Told []model.Notice
}

// Failure is a series that could not be looked at to the end.
type Failure struct {
	Change int // place in the batch of its earliest change
	Err    error
}

// SealMargin is how long before the expiry of an event its deletion or correction is
// honoured no more: what was tested after it may begin to expire. It covers the longest
// invocation and the skew of clocks.
const SealMargin = time.Hour

// Look looks again at every series that the changes touch and that a rule is about. For
// others it costs nothing but the rules of their subject type, once a minute a process.
// Looking at the same changes again, in any cut and any order, changes nothing. What the
// report names as failed is not settled. Notices are stored with what they tell; it is
// for Deliver to tell them.
func (s *Service) Look(ctx context.Context, changes []model.Change) Report {
	touched, sealed := s.gather(changes)
	var mu sync.Mutex // guards report
	report := Report{Counts: Counts{Sealed: sealed}}
	var group errgroup.Group
	group.SetLimit(s.parallel())
	for _, t := range touched {
		group.Go(func() error {
			l, err := s.lookAt(ctx, t)
			mu.Lock()
			defer mu.Unlock()
			report.take(t, l, err)
			return nil
		})
	}
	_ = group.Wait() // failures are in the report
	slices.SortFunc(report.Failures, func(a, b Failure) int { return a.Change - b.Change })
	return report
}

func (r *Report) take(t *touched, l *look, err error) {
	if l != nil {
		r.add(l.did)
		r.Told = append(r.Told, l.told...)
	}
	switch {
	case err == nil:
	case lasting(err):
		r.Damaged++
		r.Notes = append(r.Notes, err.Error())
	default:
		r.Failures = append(r.Failures, Failure{t.first, err})
	}
}

// lookAt looks at one series; nil where no rule is about it. A panic fails the look like
// any error, so that the rest of the batch is settled.
func (s *Service) lookAt(ctx context.Context, t *touched) (l *look, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("test the rules of %s: panic: %v\n%s", t.series, r, debug.Stack())
		}
	}()
	var b *book
	err = s.insist(ctx, func(ctx context.Context) (model.Answer, error) {
		b, err = s.bookOf(ctx, t.series.Subject.Type, t.force != nil)
		return model.Written, err
	})
	if err != nil || !b.ruled(t.series) {
		return nil, err
	}
	l = &look{Service: s, series: t.series, book: b, force: t.force}
	l.did.Looks = 1
	return l, l.run(ctx)
}

func (s *Service) parallel() int {
	if s.Parallel > 0 {
		return s.Parallel
	}
	return 16
}

// touched is a series that changes touch, and nothing of what they were but the earliest
// that was no insert.
type touched struct {
	series model.Series
	first  int // place in the batch of the earliest change
	force  *model.Order
}

// gather are the series that changes touch. Expiries change nothing, and neither does
// what becomes of late events.
func (s *Service) gather(changes []model.Change) (all []*touched, sealed int) {
	at, now := map[model.Series]*touched{}, s.Now()
	for i := range changes {
		c := &changes[i]
		kind, known := s.Catalog.Kind(c.Key.Series.Kind)
		if !known || !kind.Testable() || c.What == model.Expired || late(c) {
			continue
		}
		forced := c.What != model.Inserted
		if forced && expiring(c, now) {
			sealed++
			continue
		}
		t := at[c.Key.Series]
		if t == nil {
			t = &touched{series: c.Key.Series, first: i}
			at[t.series], all = t, append(all, t)
		}
		if forced && (t.force == nil || c.Key.Order.Before(*t.force)) {
			t.force = &c.Key.Order
		}
	}
	return all, sealed
}

// late reports whether a change is about an event that was, and is, late.
func late(c *model.Change) bool {
	images := 0
	for _, e := range []*model.Event{c.Before, c.After} {
		if e != nil && !e.Unreadable {
			if images++; !e.Late {
				return false
			}
		}
	}
	return images > 0
}

// expiring reports whether a change came when its event was about to expire, and with it
// those that followed.
func expiring(c *model.Change, now model.Time) bool {
	e := c.Before
	if e == nil {
		e = c.After
	}
	return e != nil && e.ExpiresAt != 0 && e.ExpiresAt <= now.Add(SealMargin).Seconds()
}
