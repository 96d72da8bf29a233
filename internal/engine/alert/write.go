package alert

import (
	"context"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// removedRule is a rule that was removed, and its open alert.
type removedRule struct {
	rule *storage.Rule
	open *storage.OpenViolation // nil if no alert is open
}

// write stores the state, the changed alerts and their notifications in one transaction.
func (e *evaluation) write(ctx context.Context, runs []*ruleRun, removed []removedRule, changes []change,
	end model.Order) (storage.WriteResult, error) {
	for _, r := range removed {
		c, ended, err := e.endAlert(ctx, r)
		if err != nil {
			return storage.Unknown, err
		}
		if ended {
			changes = append(changes, c)
		}
	}
	next := storage.AlertState{Series: e.series, Rules: e.nextRuleStates(runs, removed, end)}
	var err error
	if next.Rev, err = e.nonce(); err != nil {
		return storage.Unknown, err
	}
	puts := []itemop.Put{{Item: item.FromAlertState(&next), Precondition: itemop.RevisionIs(e.state.Rev)}}
	notifications := make([]storage.Notification, 0, len(changes))
	for _, c := range changes {
		notification, both, err := e.putAlert(&c)
		if err != nil {
			return storage.Unknown, err
		}
		notifications, puts = append(notifications, notification), append(puts, both...)
	}
	result, err := e.Store.PutAll(ctx, puts)
	if err == nil && result == storage.Written {
		e.notifications = append(e.notifications, notifications...)
		e.counts.countChanges(changes)
	}
	return result, err
}

// nextRuleStates returns the states of the rules after the events up to end. It keeps the state of a rule
// that this process does not know: a process that read the rules later tests it.
func (e *evaluation) nextRuleStates(runs []*ruleRun, removed []removedRule,
	end model.Order) []storage.RuleState {
	rules := slices.DeleteFunc(slices.Clone(e.state.Rules), func(s storage.RuleState) bool {
		return slices.ContainsFunc(removed, func(r removedRule) bool { return r.rule.ID() == s.Rule })
	})
	for _, r := range runs {
		if end.Before(r.from) {
			continue
		}
		at := slices.IndexFunc(rules, func(s storage.RuleState) bool { return s.Rule == r.rule.ID() })
		if at < 0 {
			rules = append(rules, r.stateAt(end))
		} else {
			rules[at] = r.stateAt(end)
		}
	}
	return rules
}

// endAlert returns the change that ends the open alert of a removed rule; ended is false if no alert is open.
func (e *evaluation) endAlert(ctx context.Context, r removedRule) (c change, ended bool, _ error) {
	if r.open == nil {
		return change{}, false, nil
	}
	a, err := e.readAlert(ctx, e.series.Subject, r.open.Alert)
	if err != nil || a == nil || a.Status() != storage.AlertOpen {
		return change{}, false, err
	}
	a.Ended = &storage.Ending{At: r.rule.RemovedAt, Reason: r.rule.Reason}
	return change{alert: *a, change: storage.AlertChangeEnded}, true, nil
}

// putAlert returns the writes of a changed alert, on the condition that it is unchanged
// since it was read, and of its notification.
func (s *Service) putAlert(c *change) (storage.Notification, []itemop.Put, error) {
	now := s.Now()
	read, a := c.alert.Rev, c.alert
	var err error
	if a.Rev, err = s.nonce(); err != nil {
		return storage.Notification{}, nil, err
	}
	a.ExpiresAt = s.expiry(&a, now)
	notification := storage.Notification{Alert: a, Change: c.change, At: now}
	return notification, []itemop.Put{
		{Item: alertItem(&a), Precondition: itemop.RevisionIs(read)},
		{Item: notificationItem(&notification), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}}},
	}, nil
}
