package alert

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Acknowledge records who has seen an alert, and when. An acknowledged alert is not
// changed. It returns the alert, or nil if there is none.
func (s *Service) Acknowledge(ctx context.Context, subject model.Subject, id, by string) (*entity.Alert, error) {
	return s.updateAlert(ctx, "acknowledge", subject, id, func(a *entity.Alert) (entity.AlertChange, bool) {
		if a.Acknowledged != nil {
			return "", false
		}
		a.Acknowledged = &entity.ManualAction{At: s.Now(), By: by}
		return entity.AlertChangeAcknowledged, true
	})
}

// Resolve resolves an open alert for a user. It does not change the state of the rule: no
// other alert is raised until the series has recovered and violates the rule again. An
// alert that is not open is not changed. It returns the alert, or nil if there is none.
func (s *Service) Resolve(ctx context.Context, subject model.Subject, id, by string) (*entity.Alert, error) {
	return s.updateAlert(ctx, "resolve", subject, id, func(a *entity.Alert) (entity.AlertChange, bool) {
		if a.Status() != entity.AlertOpen {
			return "", false
		}
		a.Resolved = &entity.ManualAction{At: s.Now(), By: by}
		return entity.AlertChangeResolved, true
	})
}

// updateAlert reads an alert and applies do. If do returns true, updateAlert writes the
// alert on the condition that it is unchanged. It returns nil if there is no such alert.
func (s *Service) updateAlert(ctx context.Context, verb string, subject model.Subject, id string, do func(*entity.Alert) (entity.AlertChange, bool)) (now *entity.Alert, _ error) {
	err := s.retryPass(ctx, func(ctx context.Context) (_ storage.WriteResult, err error) {
		if now, err = s.Get(ctx, subject, id); err != nil || now == nil {
			return storage.Written, err
		}
		what, changed := do(now)
		if !changed {
			return storage.Written, nil
		}
		notification, puts, err := s.putAlert(&change{alert: *now, change: what})
		if err != nil {
			return storage.Unknown, err
		}
		*now = notification.Alert
		return s.Store.PutAll(ctx, puts)
	})
	if err != nil {
		return nil, fmt.Errorf("%s alert %s of %s: %w", verb, id, subject, err)
	}
	return now, nil
}
