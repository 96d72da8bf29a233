package query

import (
	"context"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Silent requests the subjects of a type that have no event of a span of time, as far as is known.
type Silent struct {
	SubjectType string
	Prefix      string // only subjects whose id begins with it
	Kind        string // only events of this kind; "" means any
	// Kinds returns a kind by its name, as in Live.
	Kinds func(ctx context.Context, name string) (*catalog.Kind, error)
	// Through is the time up to which the table is known: the changes that were stored until then are
	// processed. The span ends there, so that a table stream which is behind makes no subject silent.
	Through model.Time
	For     time.Duration // the span; more than 0, or 0 with Members
	// Members says to return the subjects that are not silent, too, to count all by their groups. It needs By.
	Members bool
	// By is a kind of groups of members of the subject type: SilentSubject.Group is set. nil sets none.
	By     *catalog.Kind
	Limit  int // subjects in a page or iteration; 0 means all
	Cursor string
}

// SilentSubject is a subject without an event of the span.
type SilentSubject struct {
	Subject model.Subject
	// LastSeen is the time of its newest event; nil with Removed, or if it never had one, which only a
	// subject with a profile or with events of other kinds can be.
	LastSeen *model.Time
	// Rounded says that LastSeen is the start of the hour or day of that event, because no event is stored
	// any more.
	Rounded bool
	// Removed says that LastSeen is nil because the newest events were deleted, and none is stored: when the
	// subject sent before is not known.
	Removed bool
	Newest  model.Series // the series of that event; zero if there is none
	Group   MemberGroup  // with Silent.By
	// Active says that the subject is not silent, which only Silent.Members returns. Its LastSeen and Newest are
	// not set.
	Active bool
}

// MemberGroup is the group in which events of a member count: of a silent subject, its newest event.
type MemberGroup struct {
	ID string // "" if the event lacks the field, or the subject never had an event of the group's kind
	// Unknown says that the event is not stored any more, or cannot be decoded, or that rows do not tell.
	Unknown bool
}

// SilentPage is one page of silent subjects.
type SilentPage struct {
	Subjects []SilentSubject
	Next     string
}

const (
	// silentVisits is the most subjects that one page looks at: a page may end before its limit.
	silentVisits = 2000
	// silentReads is how many entries of the list of series are read at once, and how many subjects are
	// looked at together.
	silentReads = 100
	silentGroup = 64
)

// Silent reads one page. It reads the list of series, which has the hours of the newest events, and the
// newest event of each series that the hour leaves open. Subjects are in the order of the list: by shard,
// then by id. A page may be empty although more follow.
func (s *Service) Silent(ctx context.Context, q Silent) (SilentPage, error) {
	if err := q.check(); err != nil {
		return SilentPage{}, err
	}
	scope := []string{"silent", q.SubjectType, q.Prefix, q.Kind, q.For.String()}
	if q.By != nil {
		scope = append(scope, q.By.Name, strconv.FormatBool(q.Members))
	}
	cursors := cursorsFor(s.cursorKeys(), scope...)
	after, err := cursors.openNext(q.Cursor)
	if err != nil {
		return SilentPage{}, err
	}
	page := SilentPage{}
	var next model.Order
	if page.Subjects, next, err = s.silentAfter(ctx, q, after, silentVisits); err == nil {
		page.Next, err = cursors.sealNext(next)
	}
	return page, err
}

// EachSilent returns an iterator over silent subjects. An error comes last.
func (s *Service) EachSilent(ctx context.Context, q Silent) iter.Seq2[SilentSubject, error] {
	if err := q.check(); err != nil {
		return paging.Fail[SilentSubject](err)
	}
	return func(yield func(SilentSubject, error) bool) {
		found, _, err := s.silentAfter(ctx, q, model.Order{}, math.MaxInt)
		for _, one := range found {
			if !yield(one, nil) {
				return
			}
		}
		if err != nil {
			yield(SilentSubject{}, err)
		}
	}
}

func (q Silent) check() error {
	switch {
	case q.For < 0, q.For == 0 && (!q.Members || q.By == nil):
		return fmt.Errorf("silent for %s: %w", q.For, ErrRange)
	case q.Limit < 0:
		return fmt.Errorf("limit %d: %w", q.Limit, ErrLimit)
	}
	return nil
}

// listedSubject is the entries of one subject in the list of series.
type listedSubject struct {
	subject  model.Subject
	series   []storage.ListedSeries // of the kind of the request, and of the kind that groups are of
	position model.Order            // of the last entry: its shard as a time, and its sort key
}

// silentAfter reads the silent subjects after a position until the limit, or until it has looked at visits
// subjects. next is zero after the last subject.
func (s *Service) silentAfter(
	ctx context.Context, q Silent, after model.Order, visits int,
) (found []SilentSubject, next model.Order, _ error) {
	if q.Through <= model.MinTime {
		return nil, next, nil // nothing is known yet
	}
	var group []listedSubject
	visited := 0
	for l, err := range s.listedSubjects(ctx, q, after) {
		if err != nil {
			return nil, next, err
		}
		if visited == visits || q.Limit > 0 && len(found) == q.Limit {
			return found, next, nil
		}
		group = append(group, l)
		visited, next = visited+1, l.position
		most := silentGroup
		if q.Limit > 0 {
			most = min(most, q.Limit-len(found))
		}
		if len(group) < most && visited < visits {
			continue
		}
		silent, err := s.silentOnes(ctx, q, group)
		if err != nil {
			return nil, next, err
		}
		found, group = append(found, silent...), group[:0]
	}
	silent, err := s.silentOnes(ctx, q, group)
	return append(found, silent...), model.Order{}, err
}

// listedSubjects returns an iterator over the subjects of the list of series after a position.
func (s *Service) listedSubjects(
	ctx context.Context, q Silent, after model.Order,
) iter.Seq2[listedSubject, error] {
	return func(yield func(listedSubject, error) bool) {
		for shard := int(after.At); shard < tablekeys.SeriesShards; shard++ {
			request := itemop.ListRequest{
				Partition: tablekeys.SeriesPartition(q.SubjectType, shard),
				Prefix:    tablekeys.SeriesPrefix(q.Prefix), Limit: silentReads,
			}
			read := func(past string) ([]storage.ListedSeries, string, error) {
				return s.listPage(ctx, request, past)
			}
			var one listedSubject
			for l, err := range paging.ItemsAfter(after.ID, read) {
				if err != nil {
					yield(one, err)
					return
				}
				if !strings.HasPrefix(l.Series.Subject.ID, q.Prefix) {
					continue
				}
				if l.Series.Subject != one.subject {
					if one.position != (model.Order{}) && !yield(one, nil) {
						return
					}
					one = listedSubject{subject: l.Series.Subject}
				}
				one.position = model.Order{At: model.Time(shard), ID: tablekeys.SeriesEntry(l.Series).SK}
				if l.Series.Kind != "" && (q.counts(l.Series.Kind) || q.groups(l.Series.Kind)) {
					one.series = append(one.series, l)
				}
			}
			if one.position != (model.Order{}) && !yield(one, nil) {
				return
			}
			after.ID = ""
		}
	}
}

// subjectsAfter returns the subjects of the list of series after a position, at most visits of them. next is
// zero after the last one.
func (s *Service) subjectsAfter(
	ctx context.Context, q Silent, after model.Order, visits int,
) (all []listedSubject, next model.Order, _ error) {
	for l, err := range s.listedSubjects(ctx, q, after) {
		if err != nil {
			return nil, next, err
		}
		if len(all) == visits {
			return all, all[visits-1].position, nil
		}
		all = append(all, l)
	}
	return all, model.Order{}, nil
}

// silentOnes returns the silent ones among some subjects, in their order.
func (s *Service) silentOnes(
	ctx context.Context, q Silent, all []listedSubject,
) (silent []SilentSubject, _ error) {
	found := make([]*SilentSubject, len(all))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(shardReads)
	for i, l := range all {
		if q.Members || l.mayBeSilent(q) {
			reads.Go(func() (err error) {
				found[i], err = s.silentSubject(ctx, q, l)
				return err
			})
		}
	}
	if err := reads.Wait(); err != nil {
		return nil, fmt.Errorf("read the newest events of %s: %w", q.SubjectType, err)
	}
	for _, one := range found {
		if one != nil {
			silent = append(silent, *one)
		}
	}
	return silent, nil
}

// lastSeenBefore is the time at or before which the newest event of a silent subject is.
func (q Silent) lastSeenBefore() model.Time { return q.Through.Add(-q.For) }
