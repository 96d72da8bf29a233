package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
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
	Measure string
	// From and To are a range of whole buckets of the finest tier. The rest of a range is in Missing, and so
	// are buckets before groups began, and after the last one that has closed.
	From, To model.Time
	Cursor   string
}

// MemberIncreases is what a counter of a member has counted: in each group in which its readings count.
type MemberIncreases struct {
	Member  model.Subject
	Groups  []GroupIncrease // in order of their groups; none if it has no readings
	Missing []Segment       // parts of the range of which nothing is known
}

// GroupIncrease is what members have counted in a group: over the steps that end in its buckets.
type GroupIncrease struct {
	Group    MemberGroup // unknown: readings of a bucket count in several groups, and finer rows do not tell
	Members  int         // with readings in the group
	Increase model.Decimal
	// Exact is false if a row misses a change, or was folded before the measure was declared a counter.
	Exact bool
}

// IncreasesPage is one page of members.
type IncreasesPage struct {
	Members []MemberIncreases
	Next    string
	Missing []Segment // of all members: what the request named, and rows of groups do not have
	Progress
}

// increaseVisits is the most members that one page reads.
const increaseVisits = 500

// Increases reads one page: the list of series, and of each series the rows of the coarsest tiers that the
// range has whole. Where the bucket of a coarse row is of several groups, it reads the finer rows.
func (s *Service) Increases(ctx context.Context, q Increases) (IncreasesPage, error) {
	if err := q.check(); err != nil {
		return IncreasesPage{}, err
	}
	cursors := cursorsFor(s.cursorKeys(), "increases", q.By.Name, q.Prefix, q.Measure, q.From.String(),
		q.To.String())
	after, err := cursors.open(q.Cursor)
	if err != nil {
		return IncreasesPage{}, err
	}
	if after == nil {
		after = &model.Order{}
	}
	page, next, err := s.increasesAfter(ctx, q, *after, increaseVisits)
	if err == nil && next != (model.Order{}) {
		page.Next, err = cursors.seal(next)
	}
	return page, err
}

// AllIncreases reads all members.
func (s *Service) AllIncreases(ctx context.Context, q Increases) (IncreasesPage, error) {
	if err := q.check(); err != nil {
		return IncreasesPage{}, err
	}
	page, _, err := s.increasesAfter(ctx, q, model.Order{}, math.MaxInt)
	return page, err
}

func (q *Increases) check() error {
	counter := func(m rollup.MeasureSpec) bool { return m.Name == q.Measure && m.Counter }
	switch {
	case q.By.GroupsOf == "":
		return ErrNoMembers
	case !slices.ContainsFunc(q.Of.Measures, counter):
		return fmt.Errorf("measure %.64q of %s: %w", q.Measure, q.Of.Name, ErrNoCounter)
	case q.From >= q.To:
		return ErrRange
	}
	return nil
}

// increasesAfter reads the members after a position until it has read visits of them. next is zero after the
// last one.
func (s *Service) increasesAfter(
	ctx context.Context, q Increases, after model.Order, visits int,
) (page IncreasesPage, next model.Order, err error) {
	if page.Progress, err = s.progress(ctx, nil); err != nil {
		return page, next, err
	}
	asked := Segment{From: q.From, To: q.To}
	if page.CompleteThrough, err = s.clamp(ctx, &q); err != nil {
		return page, next, err
	}
	known := Segment{From: q.From, To: max(q.From, q.To)}
	page.Missing = without([]Segment{asked}, []Segment{known})
	if known.From == known.To {
		page.Missing = []Segment{asked}
		return page, next, nil
	}
	list := Silent{SubjectType: q.Of.Subject.Name, Prefix: q.Prefix, Kind: q.Of.Name}
	var members []listedSubject
	for l, err := range s.listedSubjects(ctx, list, after) {
		if err != nil {
			return page, next, err
		}
		if len(members) == visits {
			next = members[visits-1].position
			break
		}
		members = append(members, l)
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
		return page, next, fmt.Errorf("increases of %s: %w", q.By.Subject.Name, err)
	}
	page.Members = slices.DeleteFunc(page.Members, func(m MemberIncreases) bool {
		return len(m.Groups)+len(m.Missing) == 0
	})
	return page, next, nil
}

// clamp reduces the range of q to whole buckets that rows of the groups have: from when the groups began, and
// through the last bucket that has closed. through is the end of that bucket.
func (s *Service) clamp(ctx context.Context, q *Increases) (through *model.Time, err error) {
	finest := q.By.Retention.Finest()
	q.From = firstStart(finest.Unit, max(q.From, cmp.Or(finest.From, model.MinTime)))
	closed, known, err := s.groupsClosed(ctx, q.By)
	if err != nil || !known {
		closed = s.Now()
	} else {
		through = &closed
	}
	if q.To = min(q.To, closed); q.To > model.MinTime {
		q.To = finest.Unit.BucketAt(q.To).Start
	}
	return through, err
}
