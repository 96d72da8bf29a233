package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// endRemovedFor is how long open alerts of a removed rule are searched for: longer than
// any process can use the rule from its cache, plus a complete invocation.
const endRemovedFor = time.Hour

// recentlyRemoved reports whether a rule was removed within the last endRemovedFor.
func (s *Service) recentlyRemoved(r *storage.Rule) bool {
	return r.RemovedAt != 0 && s.Now() < r.RemovedAt.Add(endRemovedFor)
}

// endAlerts ends the open alerts of a removed rule.
//
// The rules of a subject are read together with the state that they advance. An evaluation
// of each series of the subject writes the state, so every evaluation that read the rule
// before fails its precondition. The rules of a type may be in the cache of other
// processes, which may raise alerts for a while; EndAlertsOfRemovedRules ends those.
func (s *Service) endAlerts(ctx context.Context, r *storage.Rule) error {
	if r.Subject == "" {
		_, err := s.endTypeAlerts(ctx, r)
		return err
	}
	return s.eachSeries(ctx, r, func(series model.Series) error {
		e := &evaluation{Service: s, series: series, rules: &ruleSet{}, alwaysWrite: true}
		return e.run(ctx)
	})
}

// EndAlertsOfRemovedRules ends the open alerts of recently removed rules, and returns how
// many it ended. Run it on a schedule.
func (s *Service) EndAlertsOfRemovedRules(ctx context.Context) (ended int, err error) {
	for _, of := range s.Catalog.Subjects() {
		set, failure := s.loadRuleSet(ctx, of.Name, true)
		if failure != nil {
			err = errors.Join(err, failure)
			continue
		}
		for i := range set.rules {
			if r := &set.rules[i]; s.recentlyRemoved(r) {
				n, failure := s.endTypeAlerts(ctx, r)
				ended, err = ended+n, errors.Join(err, failure)
			}
		}
	}
	return ended, err
}

// endTypeAlerts ends the open alerts of a removed rule of a subject type.
func (s *Service) endTypeAlerts(ctx context.Context, r *storage.Rule) (ended int, _ error) {
	for shard := range indexShards {
		open := itemop.ListRequest{Index: keys.IndexGSI1, Partition: tablekeys.OpenPartition(r.Severity, shard)}
		err := s.eachItem(ctx, open, func(it item.Item) (bool, error) {
			a, err := item.Alert(it)
			if err != nil || a.Rule != r.ID() || !r.Matches(a.Series) {
				return true, nil
			}
			_, err = s.updateAlert(ctx, "end", a.Series.Subject, a.ID,
				func(a *storage.Alert) (storage.AlertChange, bool) {
					if a.Status() != storage.AlertOpen {
						return "", false
					}
					a.Ended = &storage.Ending{At: r.RemovedAt, Reason: r.Reason}
					ended++
					return storage.AlertChangeEnded, true
				})
			return true, err
		})
		if err != nil {
			return ended, fmt.Errorf("end the alerts of rule %s: %w", r.ID(), err)
		}
	}
	return ended, nil
}

// Acknowledge records who has seen an alert, and when. An acknowledged alert is not
// changed. It returns the alert, or nil if there is none.
func (s *Service) Acknowledge(ctx context.Context, subject model.Subject,
	id, by string) (*storage.Alert, error) {
	return s.updateAlert(ctx, "acknowledge", subject, id, func(a *storage.Alert) (storage.AlertChange, bool) {
		if a.Acknowledged != nil {
			return "", false
		}
		a.Acknowledged = &storage.ManualAction{At: s.Now(), By: by}
		return storage.AlertChangeAcknowledged, true
	})
}

// Resolve resolves an open alert for a user. It does not change the state of the rule: no
// other alert is raised until the series has recovered and violates the rule again. An
// alert that is not open is not changed. It returns the alert, or nil if there is none.
func (s *Service) Resolve(ctx context.Context, subject model.Subject, id, by string) (*storage.Alert, error) {
	return s.updateAlert(ctx, "resolve", subject, id, func(a *storage.Alert) (storage.AlertChange, bool) {
		if a.Status() != storage.AlertOpen {
			return "", false
		}
		a.Resolved = &storage.ManualAction{At: s.Now(), By: by}
		return storage.AlertChangeResolved, true
	})
}

// updateAlert reads an alert and applies do. If do returns true, updateAlert writes the
// alert on the condition that it is unchanged. It returns nil if there is no such alert.
func (s *Service) updateAlert(ctx context.Context, verb string, subject model.Subject, id string,
	do func(*storage.Alert) (storage.AlertChange, bool)) (now *storage.Alert, _ error) {
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
