package alert

import (
	"context"
	"iter"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/pages"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// MostSevere returns the open alerts of all subjects: those of the highest severity first,
// and of one severity the newest first. With a severity, it returns only its alerts.
func (s *Service) MostSevere(ctx context.Context, only entity.Severity) iter.Seq2[entity.Alert, error] {
	return func(yield func(entity.Alert, error) bool) {
		for _, severity := range entity.Severities() {
			if only != "" && severity != only {
				continue
			}
			for a, err := range alertsOf(func(after Cursor) (Page, error) { return s.ListOpen(ctx, severity, after, 0) }) {
				if !yield(a, err) || err != nil {
					return
				}
			}
		}
	}
}

// OfSubject returns the alerts of a subject that match a filter, newest first. limit is how
// many to read at once; 0 leaves that to the store.
func (s *Service) OfSubject(ctx context.Context, subject model.Subject, f Filter, limit int) iter.Seq2[entity.Alert, error] {
	return alertsOf(func(after Cursor) (Page, error) { return s.ListBySubject(ctx, subject, f, after, limit) })
}

func alertsOf(page func(after Cursor) (Page, error)) iter.Seq2[entity.Alert, error] {
	return pages.Items(func(after Cursor) ([]entity.Alert, Cursor, error) {
		p, err := page(after)
		return p.Alerts, p.Next, err
	})
}
