package alert

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/paging"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Cursor is the end of a page of alerts. The zero Cursor is the start and the end of a list.
type Cursor struct {
	Subject  model.Subject
	Alert    string
	Severity storage.Severity // of a list of all severities
}

// Page is one page of alerts, newest first.
type Page struct {
	Alerts []storage.Alert
	Next   Cursor
}

// Filter selects alerts of a subject; the zero Filter selects all.
type Filter struct {
	Open     bool
	Severity storage.Severity
}

func (f Filter) matches(a *storage.Alert) bool {
	return (!f.Open || a.Status() == storage.AlertOpen) && (f.Severity == "" || f.Severity == a.Severity)
}

// Get returns an alert, or nil if there is none or it has expired.
func (s *Service) Get(ctx context.Context, subject model.Subject, id string) (*storage.Alert, error) {
	a, err := s.readAlert(ctx, subject, id)
	if err != nil || a == nil || s.expired(a.ExpiresAt) {
		return nil, err
	}
	return a, nil
}

func (s *Service) expired(at int64) bool { return at != 0 && at <= s.Now().Seconds() }

// ListBySubject reads one page of the alerts of a subject by one strongly consistent query of at most limit
// items. The filter is applied afterwards, so a page may be shorter than limit although more pages follow.
func (s *Service) ListBySubject(ctx context.Context, subject model.Subject, f Filter, after Cursor,
	limit int) (page Page, _ error) {
	l := itemop.ListRequest{Partition: keys.SubjectPartition(subject), Prefix: tablekeys.AlertPrefix,
		Newest: true, Limit: limit}
	if after != (Cursor{}) {
		l.After = itemop.Position{Key: tablekeys.Alert(subject, after.Alert)}
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
		if f.matches(&a) && !s.expired(a.ExpiresAt) {
			page.Alerts = append(page.Alerts, a)
		}
	}
	if found.Next != (itemop.Position{}) {
		_, page.Next.Alert, _ = tablekeys.ParseAlert(found.Next.Key) // the key of the last item
		page.Next.Subject = subject
	}
	return page, nil
}

// The limits of a page of open alerts.
const (
	defaultPageSize = 100
	maxPageSize     = 1000
)

// ListOpen reads one page of the open alerts of a severity, over all subjects. limit 0
// means 100, and the maximum is 1,000. It queries every shard of the index and merges the
// results. Alerts of the last moments may be missing.
func (s *Service) ListOpen(ctx context.Context, severity storage.Severity, after Cursor,
	limit int) (page Page, _ error) {
	limit = min(cmp.Or(limit, defaultPageSize), maxPageSize)
	for shard := range indexShards {
		l := itemop.ListRequest{Index: keys.IndexGSI1, Partition: tablekeys.OpenPartition(severity, shard),
			Newest: true, Limit: limit}
		if after.Alert != "" {
			l.After = itemop.Position{Key: tablekeys.Alert(after.Subject, after.Alert),
				Sort: tablekeys.OpenAlert(severity, after.Alert, shard).SK}
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
		if found.Next != (itemop.Position{}) { // the merged page must end where this shard's page ends
			subject, id, _ := tablekeys.ParseAlert(found.Next.Key)
			if id > page.Next.Alert {
				page.Next = Cursor{Subject: subject, Alert: id}
			}
		}
	}
	return page.merge(limit), nil
}

// ListMostSevere reads one page of the open alerts over all subjects and severities: the highest
// severity first, and within a severity the newest first. A page has alerts of one severity, and
// may be empty although more pages follow.
func (s *Service) ListMostSevere(ctx context.Context, after Cursor, limit int) (Page, error) {
	all := storage.Severities()
	at := max(0, slices.Index(all, after.Severity))
	page, err := s.ListOpen(ctx, all[at], after, limit)
	switch {
	case err != nil:
		return Page{}, err
	case page.Next != (Cursor{}):
		page.Next.Severity = all[at]
	case at+1 < len(all):
		page.Next.Severity = all[at+1]
	}
	return page, nil
}

// merge sorts the alerts of all shards, newest first, and cuts them at the first end of a
// shard's page that has a next page, and at limit.
func (p Page) merge(limit int) Page {
	p.Alerts = slices.DeleteFunc(p.Alerts, func(a storage.Alert) bool { return a.ID < p.Next.Alert })
	slices.SortFunc(p.Alerts, func(a, b storage.Alert) int { return cmp.Compare(b.ID, a.ID) })
	if len(p.Alerts) > limit {
		last := &p.Alerts[limit-1]
		p.Alerts, p.Next = p.Alerts[:limit], Cursor{Subject: last.Series.Subject, Alert: last.ID}
	}
	return p
}

// FilterByType returns the alerts of subjects of a type. It modifies all.
func FilterByType(all []storage.Alert, subjectType string) []storage.Alert {
	return slices.DeleteFunc(all, func(a storage.Alert) bool { return a.Series.Subject.Type != subjectType })
}

// FindOpen returns the open alert with an id, or nil if no open alert has this id.
func (s *Service) FindOpen(ctx context.Context, id string) (*storage.Alert, error) {
	for _, severity := range storage.Severities() {
		at := tablekeys.OpenAlert(severity, id, shardIndex(id))
		found, err := s.Store.List(ctx,
			itemop.ListRequest{Index: keys.IndexGSI1, Partition: at.PK, Prefix: at.SK, Limit: 1})
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

// readAlert reads an alert, expired or not. It returns nil if there is none, or if id is too long for a key.
func (s *Service) readAlert(ctx context.Context, subject model.Subject, id string) (*storage.Alert, error) {
	k := tablekeys.Alert(subject, id)
	if k.Check() != nil {
		return nil, nil
	}
	it, err := s.Store.GetItem(ctx, k)
	return itemop.Decode(it, err, item.Alert)
}

// MostSevere returns the open alerts of all subjects: the highest severity first, and within a
// severity the newest first. With a severity, it returns only its alerts.
func (s *Service) MostSevere(ctx context.Context, only storage.Severity) iter.Seq2[storage.Alert, error] {
	return func(yield func(storage.Alert, error) bool) {
		for _, severity := range storage.Severities() {
			if only != "" && severity != only {
				continue
			}
			for a, err := range eachAlert(func(after Cursor) (Page, error) {
				return s.ListOpen(ctx, severity, after, 0)
			}) {
				if !yield(a, err) || err != nil {
					return
				}
			}
		}
	}
}

// OfSubject returns the alerts of a subject that match a filter, newest first. limit is how
// many to read at once; 0 leaves that to the store.
func (s *Service) OfSubject(ctx context.Context, subject model.Subject, f Filter,
	limit int) iter.Seq2[storage.Alert, error] {
	return eachAlert(func(after Cursor) (Page, error) { return s.ListBySubject(ctx, subject, f, after, limit) })
}

func eachAlert(page func(after Cursor) (Page, error)) iter.Seq2[storage.Alert, error] {
	return paging.Items(func(after Cursor) ([]storage.Alert, Cursor, error) {
		p, err := page(after)
		return p.Alerts, p.Next, err
	})
}
