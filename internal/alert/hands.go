package alert

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Acknowledge notes who has seen an alert, and when. One that was acknowledged before
// stays as it is. The answer is the alert as it stands; nil where there is none.
func (s *Service) Acknowledge(ctx context.Context, subject model.Subject, id, by string) (*model.Alert, error) {
	return s.byHand(ctx, "acknowledge", subject, id, func(a *model.Alert) (model.AlertChange, bool) {
		if a.Acknowledged != nil {
			return "", false
		}
		a.Acknowledged = &model.Hand{At: s.Now(), By: by}
		return model.AlertAcknowledged, true
	})
}

// Resolve closes an alert by hand. What its rule makes of the next events does not hang
// on it: no other alert is raised until the series has recovered and violated the rule
// again. One that is not open stays as it is. The answer is the alert as it stands; nil
// where there is none.
func (s *Service) Resolve(ctx context.Context, subject model.Subject, id, by string) (*model.Alert, error) {
	return s.byHand(ctx, "resolve", subject, id, func(a *model.Alert) (model.AlertChange, bool) {
		if a.Status() != model.AlertOpen {
			return "", false
		}
		a.Resolved = &model.Hand{At: s.Now(), By: by}
		return model.AlertClosed, true
	})
}

// byHand has an alert changed, if do finds something to change, on condition that it is
// as it was read.
func (s *Service) byHand(ctx context.Context, what string, subject model.Subject, id string, do func(*model.Alert) (model.AlertChange, bool)) (now *model.Alert, _ error) {
	err := s.insist(ctx, func(ctx context.Context) (answer model.Answer, err error) {
		if now, err = s.Get(ctx, subject, id); err != nil || now == nil {
			return model.Written, err
		}
		how, changes := do(now)
		if !changes {
			return model.Written, nil
		}
		notice, puts, err := s.putAlert(&change{alert: *now, what: how})
		if err != nil {
			return model.Uncertain, err
		}
		*now = notice.Alert
		return s.Store.PutAll(ctx, puts)
	})
	if err != nil {
		return nil, fmt.Errorf("%s alert %s of %s: %w", what, id, subject, err)
	}
	return now, nil
}
