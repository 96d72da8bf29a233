package query

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Errors of a request for increases.
var (
	ErrNoCounter = errors.New("only a counter has an increase: declare type: counter of the measure")
	ErrTooLarge  = errors.New("the sum of the increases needs more than 256 bits")
)

// Increases requests what a counter of each member has counted in a range, by groups. The readings of several
// members are no sequence, so rows of groups have no increase: it is counted from the rows of the members.
type Increases struct {
	By      *catalog.Kind // a kind of groups
	Of      *catalog.Kind // of its members, which By.GroupsOf names
	Prefix  string        // only members whose id begins with it
	Streams []string      // whose readings are counted; none means the readings without a stream
	Measure string
	// Buckets of the finest tier that start in [From, To) are counted, through the last one that has closed.
	From, To   model.Time
	Consistent bool // strongly consistent reads of rows
	Cursor     string
}

// MemberIncreases is what a counter of a member has counted: in each group in which its readings count.
type MemberIncreases struct {
	Member  model.Subject
	Groups  []GroupIncrease // in order of their groups; none if it has no readings
	Missing []Segment       // parts of the range of which nothing is known
}

// GroupIncrease is what members have counted in a group: over the steps that end in its buckets.
type GroupIncrease struct {
	// Group is unknown for buckets of the finest tier with readings of several groups, for coarser ones whose
	// finer rows are not stored any more, and for buckets from before there were groups.
	Group    MemberGroup
	Members  int            // with readings in the group
	Increase *model.Decimal // nil: no step to a reading is known, as of the first one
	// Exact is false if a row misses a change, or was folded before the measure was declared a counter, and
	// if a part of a member is missing or of an unknown group: it may belong to this one.
	Exact bool
}

// IncreasesPage is one page of members.
type IncreasesPage struct {
	Members  []MemberIncreases
	Sums     IncreaseSums // of Members
	Next     string
	From, To model.Time // what was counted; both are equal if no bucket of the range has closed
	Open     bool       // the range goes on after the last bucket that has closed
	Progress
}

// increaseVisits is the most members that one page reads.
const increaseVisits = 500

// Increases reads one page: the list of series, and of each series the rows of the coarsest tiers that the
// range has whole. Where the bucket of a coarse row is of several groups, it reads the finer rows. A cursor
// is of one range as it was counted: the next page is requested with From and To of the first.
func (s *Service) Increases(ctx context.Context, q Increases) (IncreasesPage, error) {
	page, err := s.clampedIncreases(ctx, &q)
	if err != nil {
		return page, err
	}
	cursors := cursorsFor(s.cursorKeys(), append([]string{"increases", q.By.Name, q.Prefix, q.Measure,
		q.From.String(), q.To.String()}, q.Streams...)...)
	after, err := cursors.openNext(q.Cursor)
	if err != nil {
		return page, err
	}
	next, err := s.readIncreases(ctx, q, &page, after, increaseVisits)
	if err == nil {
		page.Next, err = cursors.sealNext(next)
	}
	return page, err
}

// AllIncreases reads all members.
func (s *Service) AllIncreases(ctx context.Context, q Increases) (IncreasesPage, error) {
	page, err := s.clampedIncreases(ctx, &q)
	if err == nil {
		_, err = s.readIncreases(ctx, q, &page, model.Order{}, math.MaxInt)
	}
	return page, err
}

func (q *Increases) check() error {
	switch {
	case q.By.GroupsOf == "":
		return ErrNoMembers
	case !slices.Contains(q.Of.Counters(), q.Measure):
		return fmt.Errorf("measure %.64q of %s%s: %w", q.Measure, q.Of.Name,
			names.DidYouMean(q.Measure, q.Of.Counters()), ErrNoCounter)
	case q.From >= q.To:
		return ErrRange
	}
	return nil
}

// clampedIncreases checks q and reduces its range to buckets that have closed.
func (s *Service) clampedIncreases(ctx context.Context, q *Increases) (page IncreasesPage, err error) {
	if err := q.check(); err != nil {
		return page, err
	}
	if page.Progress, err = s.progress(ctx, nil); err != nil {
		return page, err
	}
	closed, known, err := s.groupsClosed(ctx, q.By)
	if err != nil {
		return page, err
	}
	unit := q.By.Retention.Finest().Unit
	if known {
		page.CompleteThrough = &closed
	} else {
		closed = unit.BucketAt(s.Now()).Start
	}
	asked := firstStart(unit, q.To)
	q.From = firstStart(unit, q.From)
	q.To = max(q.From, min(asked, closed))
	page.From, page.To = q.From, q.To
	page.Open = closed < asked
	page.Sums.Exact = page.From < page.To // what was not counted is not known
	return page, nil
}

// readIncreases reads the members after a position until it has read visits of them. next is zero after the
// last one.
func (s *Service) readIncreases(
	ctx context.Context, q Increases, page *IncreasesPage, after model.Order, visits int,
) (next model.Order, _ error) {
	if q.From >= q.To {
		return next, nil
	}
	list := Silent{SubjectType: q.Of.Subject.Name, Prefix: q.Prefix, Kind: q.Of.Name}
	members, next, err := s.subjectsAfter(ctx, list, after, visits)
	if err != nil {
		return next, err
	}
	page.Members = make([]MemberIncreases, len(members))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(silentGroup)
	for i, l := range members {
		reads.Go(func() (err error) {
			page.Members[i], err = s.memberIncreases(ctx, q, l)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return next, fmt.Errorf("increases of %s: %w", q.By.Subject.Name, err)
	}
	page.Members = slices.DeleteFunc(page.Members, func(m MemberIncreases) bool {
		return len(m.Groups)+len(m.Missing) == 0
	})
	page.Sums, err = sumIncreases(page.Members)
	return next, err
}
