package query

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// AlertCounts requests how many alerts each subject of a type had. Only subjects with alerts are returned.
type AlertCounts struct {
	SubjectType string
	Prefix      string // only subjects whose id begins with it
	// Alerts that were raised in [From, To) are counted, but for withdrawn ones: of these there was no
	// violation. Before storage.AlertsCounted ago it is not known.
	From, To model.Time
	Severity storage.Severity // "" means any
	Limit    int              // subjects of which a page reads the alerts; 0 means 500, the most
	Cursor   string
}

// SubjectAlerts is how many alerts a subject had.
type SubjectAlerts struct {
	Subject model.Subject
	// Alerts has the numbers by severity. With AtLeast there are more: MaxAlertsCounted were read.
	Alerts  map[storage.Severity]int
	AtLeast bool
	Open    int        // of them
	Newest  model.Time // when the newest of them was raised
}

// Total returns the number of alerts of all severities.
func (s SubjectAlerts) Total() (n int) {
	for _, alerts := range s.Alerts {
		n += alerts
	}
	return n
}

// AlertCountsPage is one page of subjects with alerts.
type AlertCountsPage struct {
	Subjects []SubjectAlerts // the most alerts first, then the more severe ones, then by subject
	Read     int             // subjects of which alerts were looked for
	Next     string
	From, To model.Time // what was counted
	// Missing is the part of the range, if it begins at a time, of which alerts may have expired.
	Missing []Segment
	Progress
}

const (
	alertVisits = 500 // the most subjects that one page reads
	alertReads  = 1000
	// MaxAlertsCounted is the most alerts that are read of one subject.
	MaxAlertsCounted = 10_000
)

// AlertCounts reads one page: the list of series, and the alerts of each subject in it, strongly consistent.
func (s *Service) AlertCounts(ctx context.Context, q AlertCounts) (page AlertCountsPage, _ error) {
	if err := s.clampAlerts(ctx, &q, &page); err != nil {
		return page, err
	}
	cursors := cursorsFor(s.cursorKeys(), "alert-counts", q.SubjectType, q.Prefix, string(q.Severity))
	after, err := cursors.openNext(q.Cursor)
	if err != nil {
		return page, err
	}
	next, err := s.countAlerts(ctx, q, &page, after, min(cmp.Or(q.Limit, alertVisits), alertVisits))
	if err == nil {
		page.Next, err = cursors.sealNext(next)
	}
	return page, err
}

// AllAlertCounts reads all subjects.
func (s *Service) AllAlertCounts(ctx context.Context, q AlertCounts) (page AlertCountsPage, err error) {
	if err = s.clampAlerts(ctx, &q, &page); err == nil {
		_, err = s.countAlerts(ctx, q, &page, model.Order{}, math.MaxInt)
	}
	return page, err
}

// clampAlerts checks q and reduces its range to what is known.
func (s *Service) clampAlerts(ctx context.Context, q *AlertCounts, page *AlertCountsPage) (err error) {
	switch {
	case q.From >= q.To:
		return ErrRange
	case q.Limit < 0:
		return fmt.Errorf("limit %d: %w", q.Limit, ErrLimit)
	}
	// Whole hours, so that a response has the same entity tag until something has changed.
	asked, kept := q.From, tier.Hour.BucketAt(s.Now().Add(-storage.AlertsCounted)).Start
	if asked > model.MinTime && asked < kept {
		page.Missing = []Segment{{From: asked, To: min(q.To, kept)}}
	}
	q.From = max(asked, kept)
	q.To = max(q.From, min(q.To, model.MaxTime))
	page.From, page.To = q.From, q.To
	page.Progress, err = s.progress(ctx, nil)
	return err
}

// countAlerts counts the alerts of the subjects after a position until it has read visits of them. next is
// zero after the last one.
func (s *Service) countAlerts(
	ctx context.Context, q AlertCounts, page *AlertCountsPage, after model.Order, visits int,
) (next model.Order, _ error) {
	if q.From == q.To {
		return next, nil // all of the range is missing
	}
	list := Silent{SubjectType: q.SubjectType, Prefix: q.Prefix}
	subjects, next, err := s.subjectsAfter(ctx, list, after, visits)
	if err != nil {
		return next, err
	}
	counts := make([]SubjectAlerts, len(subjects))
	reads, ctx := errgroup.WithContext(ctx)
	reads.SetLimit(silentGroup)
	for i, l := range subjects {
		reads.Go(func() (err error) {
			counts[i], err = s.subjectAlerts(ctx, q, l.subject)
			return err
		})
	}
	if err := reads.Wait(); err != nil {
		return next, fmt.Errorf("count the alerts of %s: %w", q.SubjectType, err)
	}
	page.Read = len(subjects)
	page.Subjects = slices.DeleteFunc(counts, func(c SubjectAlerts) bool { return len(c.Alerts) == 0 })
	slices.SortFunc(page.Subjects, compareAlerts)
	return next, nil
}

func compareAlerts(a, b SubjectAlerts) int {
	order := cmp.Compare(b.Total(), a.Total())
	for _, severity := range storage.Severities() {
		order = cmp.Or(order, cmp.Compare(b.Alerts[severity], a.Alerts[severity]))
	}
	return cmp.Or(order, cmp.Compare(a.Subject.ID, b.Subject.ID))
}

// subjectAlerts counts the alerts of one subject, newest first.
func (s *Service) subjectAlerts(
	ctx context.Context, q AlertCounts, subject model.Subject,
) (SubjectAlerts, error) {
	found := SubjectAlerts{Subject: subject, Alerts: map[storage.Severity]int{}}
	list := itemop.ListRequest{Partition: keys.SubjectPartition(subject), Prefix: tablekeys.AlertPrefix,
		Newest: true, Limit: alertReads}
	read := 0
	for it, err := range itemop.Items(ctx, s.Store, list) {
		if err != nil {
			return found, err
		}
		a, err := item.Alert(it)
		if err != nil {
			return found, err
		}
		if a.Raised.At < q.From {
			break
		}
		if read++; read > MaxAlertsCounted {
			found.AtLeast = true
			break
		}
		if a.Raised.At < q.To && a.Withdrawn == "" && (q.Severity == "" || q.Severity == a.Severity) {
			found.add(&a)
		}
	}
	return found, nil
}

func (s *SubjectAlerts) add(a *storage.Alert) {
	s.Alerts[a.Severity]++
	s.Newest = max(s.Newest, a.Raised.At)
	if a.Status() == storage.AlertOpen {
		s.Open++
	}
}
