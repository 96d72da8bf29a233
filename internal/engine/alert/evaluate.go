package alert

import (
	"cmp"
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Counts are the totals of evaluations.
type Counts struct {
	Evaluated int // series
	Raised    int
	Recovered int
	Withdrawn int
	Changed   int // alerts written for any other reason
	Sealed    int // deletions and corrections that arrived too late to be evaluated
	// series that cannot be evaluated because stored data is damaged; they are reported and skipped
	Damaged int
}

func (c *Counts) countChanges(changes []change) {
	for i := range changes {
		switch changes[i].change {
		case storage.AlertChangeRaised, storage.AlertChangePassed:
			c.Raised++
		case storage.AlertChangeRecovered:
			c.Recovered++
		case storage.AlertChangeWithdrawn:
			c.Withdrawn++
		default:
			c.Changed++
		}
	}
}

func (c *Counts) add(o Counts) {
	c.Evaluated += o.Evaluated
	c.Raised += o.Raised
	c.Recovered += o.Recovered
	c.Withdrawn += o.Withdrawn
	c.Changed += o.Changed
	c.Sealed += o.Sealed
	c.Damaged += o.Damaged
}

// Report is the result of Evaluate.
type Report struct {
	Counts
	// Failures are the series whose evaluation failed, in the order of their earliest
	// change. From the first of these changes on, nothing may be acknowledged.
	Failures []Failure
	// Notes are messages for the operator.
	Notes []string
	// Notifications are stored and not delivered yet.
	Notifications []storage.Notification
}

// Failure is a series whose evaluation failed.
type Failure struct {
	Change int // index in the batch of its earliest change
	Err    error
}

// SealMargin is the time before the expiry of an event in which its deletion or correction
// is ignored, because the events after it may begin to expire. It covers the longest
// invocation and the difference between clocks.
const SealMargin = time.Hour

// Evaluate evaluates the rules of every series that has changes. For a series without rules it only reads the
// rules of the subject type, once a minute in each process. Evaluating the same changes again, in any order
// and any batches, changes nothing. Series in Failures must be evaluated again. Notifications are stored with
// the alerts; pass them to Deliver.
func (s *Service) Evaluate(ctx context.Context, changes []storage.Change) Report {
	touched, sealed := s.findTouched(changes)
	var mu sync.Mutex // guards report
	report := Report{Counts: Counts{Sealed: sealed}}
	var group errgroup.Group
	group.SetLimit(s.concurrency())
	for _, t := range touched {
		group.Go(func() error {
			e, err := s.evaluateSeries(ctx, t)
			mu.Lock()
			defer mu.Unlock()
			report.addSeries(t, e, err)
			return nil
		})
	}
	_ = group.Wait() // failures are in the report
	slices.SortFunc(report.Failures, func(a, b Failure) int { return a.Change - b.Change })
	return report
}

func (r *Report) addSeries(t *touchedSeries, e *evaluation, err error) {
	if e != nil {
		r.add(e.counts)
		r.Notifications = append(r.Notifications, e.notifications...)
	}
	switch {
	case err == nil:
	case isPermanent(err):
		r.Damaged++
		r.Notes = append(r.Notes, err.Error())
	default:
		r.Failures = append(r.Failures, Failure{t.first, err})
	}
}

// evaluateSeries evaluates one series; it returns nil if the series has no rules. A panic
// is returned as an error, so that the rest of the batch is processed.
func (s *Service) evaluateSeries(ctx context.Context, t *touchedSeries) (e *evaluation, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("evaluate the rules of %s: panic: %v\n%s", t.series, r, debug.Stack())
		}
	}()
	var rules *ruleSet
	err = s.retryPass(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		rules, err = s.loadRuleSet(ctx, t.series.Subject.Type, t.silenceFrom != nil)
		return storage.Written, err
	})
	if err != nil || !rules.hasRulesFor(t.series) || t.lateOnly && rules.shortestSilence(t.series) == 0 {
		return nil, err
	}
	e = &evaluation{
		Service: s, series: t.series, rules: rules,
		retestFrom: t.retestFrom, silenceFrom: t.silenceFrom, through: t.through,
	}
	e.counts.Evaluated = 1
	return e, e.run(ctx)
}

func (s *Service) concurrency() int { return cmp.Or(max(s.Parallel, 0), 16) }

// touchedSeries is a series that has changes in a batch.
type touchedSeries struct {
	series     model.Series
	first      int          // index in the batch of the earliest change
	retestFrom *model.Order // earliest deleted or corrected event; nil if there is none
	// silenceFrom is the earliest event that was deleted, corrected or late; nil if there is none.
	silenceFrom *model.Order
	lateOnly    bool        // only late events changed
	through     *model.Time // of FindSilent
}

// findTouched returns the series that have changes, and how many changes arrived too late.
// Expiries do not affect alerts, and changes of late events only alerts of silence.
func (s *Service) findTouched(changes []storage.Change) (all []*touchedSeries, sealed int) {
	at, now := map[model.Series]*touchedSeries{}, s.Now()
	for i := range changes {
		c := &changes[i]
		kind, known := s.Catalog.Kind(c.Key.Series.Kind)
		if !known || !kind.AllowsRules() || c.Type == storage.Expired {
			continue
		}
		late, retest := isLate(c), c.Type != storage.Inserted
		if retest && isExpiring(c, now) {
			sealed++
			continue
		}
		t := at[c.Key.Series]
		if t == nil {
			t = &touchedSeries{series: c.Key.Series, first: i, lateOnly: true}
			at[t.series], all = t, append(all, t)
		}
		t.lateOnly = t.lateOnly && late
		if (late || retest) && (t.silenceFrom == nil || c.Key.Order.Before(*t.silenceFrom)) {
			t.silenceFrom = &c.Key.Order
		}
		if retest && !late && (t.retestFrom == nil || c.Key.Order.Before(*t.retestFrom)) {
			t.retestFrom = &c.Key.Order
		}
	}
	return all, sealed
}

// isLate reports whether the event of a change is late before and after the change.
func isLate(c *storage.Change) bool {
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

// isExpiring reports whether the event of a change expires within SealMargin.
func isExpiring(c *storage.Change, now model.Time) bool {
	e := c.Before
	if e == nil {
		e = c.After
	}
	return e != nil && e.ExpiresAt != 0 && e.ExpiresAt <= now.Add(SealMargin).Seconds()
}
