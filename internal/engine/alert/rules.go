package alert

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"

	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ErrNoRule is wrapped by the error for a rule name that does not exist.
var ErrNoRule = fmt.Errorf("no rule has this name: %w", errInvalidRequest)

// The reasons of removals. The open alerts of a removed rule end with its reason.
const (
	ruleRemoved = "its rule was removed"
	ruleChanged = "its rule was changed"
)

// AddRule adds a rule for all subjects of its type or for the subject that it names, and returns it. It tests
// the stored events of the last RuleLookback at once, and of one subject its newest event, however old. If a
// rule with this name exists and is equal, AddRule returns the existing rule. If it tests the same measure of
// the same series in another way, the new rule is its next revision, and the open alerts of the old revision
// end. A rule that tests another measure or other series is not replaced: the new rule has an error. After a
// failure, a repeated call within an hour ends the alerts that are left. errs are the errors of an invalid
// rule.
func (s *Service) AddRule(ctx context.Context,
	draft storage.Rule) (added storage.Rule, errs []model.FieldError, err error) {
	if errs = s.validateRule(&draft); errs != nil {
		return draft, errs, nil
	}
	if purging, err := s.isPurging(ctx, &draft); err != nil || purging {
		return draft, []model.FieldError{{Field: "subject", Code: CodeRuleGone,
			Message: "the subject is being purged: add the rule when the purge is done"}}, err
	}
	if draft.From, err = s.ruleStart(ctx, &draft); err != nil {
		return draft, nil, fmt.Errorf("add rule %s: %w", draft.Name, err)
	}
	var p rulePlan
	err = s.retryPass(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		all, err := s.loadRules(ctx, draft.SubjectType, draft.Subject)
		if err != nil {
			return storage.Unknown, err
		}
		if p = s.planRule(draft, all); len(p.puts) == 0 {
			return storage.Written, nil
		}
		return s.Store.PutAll(ctx, p.puts)
	})
	s.invalidateRules(draft.SubjectType)
	if err != nil {
		return p.rule, nil, fmt.Errorf("add rule %s: %w", draft.Name, err)
	}
	if p.replaced != nil {
		err = s.endAlerts(ctx, p.replaced)
	}
	if err == nil && len(p.puts) > 0 {
		err = s.testNewRule(ctx, &p.rule)
	}
	return p.rule, p.errors, err
}

// isPurging reports whether the subject of a rule is being purged. A rule that is added at
// the moment in which a purge starts is removed by the purge.
func (s *Service) isPurging(ctx context.Context, r *storage.Rule) (bool, error) {
	if r.Subject == "" {
		return false, nil
	}
	lock, err := s.Store.GetItem(ctx, tablekeys.PurgeLock(model.Subject{Type: r.SubjectType, ID: r.Subject}))
	if err != nil {
		return false, fmt.Errorf("add rule %s: read the subject's purge lock: %w", r.Name, err)
	}
	return lock != nil, nil
}

// RemoveRule removes a rule by its name, ends its open alerts and returns it. subject is "" for a rule of all
// subjects of the type. The error wraps ErrNoRule if there is no such rule.
func (s *Service) RemoveRule(ctx context.Context,
	subjectType, subject, name, by string) (removed storage.Rule, err error) {
	when := s.Now()
	done := func(r storage.Rule) bool {
		return r.ID() == removed.ID() && r.RemovedAt == when && r.RemovedBy == by
	}
	err = s.retryPass(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		all, err := s.loadRules(ctx, subjectType, subject)
		if err != nil {
			return storage.Unknown, err
		}
		if slices.ContainsFunc(all, done) { // by a request whose response was lost
			return storage.Written, nil
		}
		at := slices.IndexFunc(all, func(r storage.Rule) bool { return r.RemovedAt == 0 && r.Name == name })
		if at < 0 {
			return storage.Unknown, ErrNoRule
		}
		removed = all[at]
		removed.RemovedAt = when
		removed.RemovedBy = by
		removed.Reason = ruleRemoved
		return s.Store.PutAll(ctx, []itemop.Put{putIfUnchanged(&removed, &all[at])})
	})
	s.invalidateRules(subjectType)
	if err != nil {
		return removed, fmt.Errorf("remove rule %s: %w", name, err)
	}
	return removed, s.endAlerts(ctx, &removed)
}

// Rules returns the rules of a subject type, or of one subject if subject is not "".
// Removed rules are left out.
func (s *Service) Rules(ctx context.Context, subjectType, subject string) ([]storage.Rule, error) {
	all, err := s.loadRules(ctx, subjectType, subject)
	return slices.DeleteFunc(all, func(r storage.Rule) bool { return r.RemovedAt != 0 }), err
}

// loadRules returns the rules of a subject type or of a subject, including recently removed ones.
func (s *Service) loadRules(ctx context.Context,
	subjectType, subject string) (all []storage.Rule, err error) {
	if subject == "" {
		set, err := s.readRuleSet(ctx, subjectType)
		if err != nil {
			return nil, err
		}
		return set.rules, nil
	}
	of := keys.SubjectPartition(model.Subject{Type: subjectType, ID: subject})
	err = s.eachItem(ctx, itemop.ListRequest{Partition: of, Prefix: tablekeys.RulePrefix},
		func(it item.Item) (bool, error) {
			if r, err := item.Rule(it); err == nil {
				all = append(all, r)
			} else if !errors.Is(err, keys.ErrKeyForm) {
				return false, err
			}
			return true, nil
		})
	return all, err
}
