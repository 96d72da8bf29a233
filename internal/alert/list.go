package alert

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Cursor is where a page of alerts ended; the zero Cursor is the start, and the end.
type Cursor struct {
	Subject model.Subject
	Alert   string
}

// Page is one page of alerts, newest first.
type Page struct {
	Alerts []model.Alert
	Next   Cursor
}

// Filter says which alerts of a subject are wanted; the zero Filter all.
type Filter struct {
	Open     bool
	Severity model.Severity
}

func (f Filter) has(a *model.Alert) bool {
	return (!f.Open || a.Status() == model.AlertOpen) && (f.Severity == "" || f.Severity == a.Severity)
}

// Get reads an alert; nil where there is none, and where it has expired.
func (s *Service) Get(ctx context.Context, subject model.Subject, id string) (*model.Alert, error) {
	a, err := s.get(ctx, subject, id)
	if err != nil || a == nil || s.expired(a.ExpiresAt) {
		return nil, err
	}
	return a, nil
}

func (s *Service) expired(at int64) bool { return at != 0 && at <= s.Now().Seconds() }

// OfSubject reads one page of the alerts of a subject, at most limit of them: by one
// Query, strongly consistent. Where a filter leaves some out, a page may be short and
// not be the last.
func (s *Service) OfSubject(ctx context.Context, subject model.Subject, f Filter, after Cursor, limit int) (page Page, _ error) {
	l := table.Listing{Partition: keys.SubjectPartition(subject), Prefix: keys.AlertPrefix, Newest: true, Limit: limit}
	if after != (Cursor{}) {
		l.After = table.Place{Key: keys.Alert(subject, after.Alert)}
	}
	found, err := s.Store.List(ctx, l)
	if err != nil {
		return page, fmt.Errorf("list the alerts of %s: %w", subject, err)
	}
	for _, it := range found.Items {
		a, err := item.Alert(it)
		if err != nil {
			return page, err
		}
		if f.has(&a) && !s.expired(a.ExpiresAt) {
			page.Alerts = append(page.Alerts, a)
		}
	}
	if found.Next != (table.Place{}) {
		_, page.Next.Alert, _ = keys.ParseAlert(found.Next.Key) // it is the last item's
		page.Next.Subject = subject
	}
	return page, nil
}

// The bounds of a page of open alerts.
const (
	usualPage   = 100
	largestPage = 1000
)

// Open reads one page of the open alerts of a severity over all subjects, at most limit
// of them: 100 where that is 0, and never over 1,000. They are spread over the index, so
// it sends some requests and merges; it may miss what was written in the last moments.
func (s *Service) Open(ctx context.Context, severity model.Severity, after Cursor, limit int) (page Page, _ error) {
	limit = min(cmp.Or(limit, usualPage), largestPage)
	for shard := range indexShards {
		l := table.Listing{Index: keys.IndexGSI1, Partition: keys.OpenPartition(severity, shard), Newest: true, Limit: limit}
		if after != (Cursor{}) {
			l.After = table.Place{Key: keys.Alert(after.Subject, after.Alert), Sort: keys.OpenAlert(severity, after.Alert, shard).SK}
		}
		found, err := s.Store.List(ctx, l)
		if err != nil {
			return Page{}, fmt.Errorf("list the open alerts: %w", err)
		}
		for _, it := range found.Items {
			a, err := item.Alert(it)
			if err != nil {
				return Page{}, err
			}
			page.Alerts = append(page.Alerts, a)
		}
		if found.Next != (table.Place{}) { // the merged page ends no later than this part of it
			subject, id, _ := keys.ParseAlert(found.Next.Key)
			if id > page.Next.Alert {
				page.Next = Cursor{Subject: subject, Alert: id}
			}
		}
	}
	return page.merged(limit), nil
}

// merged is the newest of what all parts answered, as far as all of them do: to where
// the first of them ended that has more.
func (p Page) merged(limit int) Page {
	p.Alerts = slices.DeleteFunc(p.Alerts, func(a model.Alert) bool { return a.ID < p.Next.Alert })
	slices.SortFunc(p.Alerts, func(a, b model.Alert) int { return cmp.Compare(b.ID, a.ID) })
	if len(p.Alerts) > limit {
		last := &p.Alerts[limit-1]
		p.Alerts, p.Next = p.Alerts[:limit], Cursor{Subject: last.Series.Subject, Alert: last.ID}
	}
	return p
}

// OfType are those of the alerts that are of subjects of a type.
func OfType(all []model.Alert, subjectType string) []model.Alert {
	return slices.DeleteFunc(all, func(a model.Alert) bool { return a.Series.Subject.Type != subjectType })
}

// Find finds an open alert by its id alone; nil where none is open that has it.
func (s *Service) Find(ctx context.Context, id string) (*model.Alert, error) {
	for _, severity := range model.Severities() {
		at := keys.OpenAlert(severity, id, shardOf(id))
		found, err := s.Store.List(ctx, table.Listing{Index: keys.IndexGSI1, Partition: at.PK, Prefix: at.SK, Limit: 1})
		if err != nil {
			return nil, fmt.Errorf("find alert %s: %w", id, err)
		}
		if len(found.Items) > 0 {
			a, err := item.Alert(found.Items[0])
			return &a, err
		}
	}
	return nil, nil
}
