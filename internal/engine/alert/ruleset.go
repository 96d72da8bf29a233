package alert

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// RuleCacheAge is how long, at most, a process uses the rules of a subject type before it reads them
// again. A process that learns of a rule late tests it from its start, so it misses
// nothing. Alerts of a removed rule are ended for longer than that.
const RuleCacheAge = time.Minute

// ruleSet is the rules of a subject type, including recently removed ones.
type ruleSet struct {
	rules            []storage.Rule
	subjectRuleKinds map[string]bool // kinds for which some subjects have rules of their own
	readAt           model.Time
}

// loadRuleSet returns the rules of a subject type. It reads them if fresh is true, or if they
// were read more than RulesAge ago. For a series without rules this is the only read.
func (s *Service) loadRuleSet(ctx context.Context, subjectType string, fresh bool) (*ruleSet, error) {
	now := s.Now()
	s.mu.Lock()
	cached := s.ruleSets[subjectType]
	s.mu.Unlock()
	if cached != nil && !fresh && now < cached.readAt.Add(cmp.Or(s.RulesAge, RuleCacheAge)) {
		return cached, nil
	}
	set, err := s.readRuleSet(ctx, subjectType)
	if err != nil {
		return nil, err
	}
	set.readAt = now
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ruleSets == nil {
		s.ruleSets = map[string]*ruleSet{}
	}
	s.ruleSets[subjectType] = set
	return set, nil
}

// invalidateRules removes the rules of a subject type from the cache, after a change.
func (s *Service) invalidateRules(subjectType string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ruleSets, subjectType)
}

func (s *Service) readRuleSet(ctx context.Context, subjectType string) (*ruleSet, error) {
	set := &ruleSet{subjectRuleKinds: map[string]bool{}}
	err := s.eachItem(ctx, itemop.ListRequest{Partition: tablekeys.RulePartition(subjectType)},
		func(it item.Item) (bool, error) {
			key, err := tablekeys.ParseRule(it.Key())
			if err != nil {
				return true, nil // an item of another program
			}
			if key.Rule == "" {
				set.subjectRuleKinds[key.Kind] = true
				return true, nil
			}
			rule, err := item.Rule(it)
			if err == nil {
				set.rules = append(set.rules, rule)
			} else if errors.Is(err, item.ErrNewer) {
				return false, err
			}
			return true, nil
		})
	if err != nil {
		return nil, fmt.Errorf("read the rules of %s: %w", subjectType, err)
	}
	return set, nil
}

// hasRulesFor reports whether any rule may apply to a series.
func (b *ruleSet) hasRulesFor(series model.Series) bool {
	return b.subjectRuleKinds[series.Kind] || slices.ContainsFunc(b.rules, func(r storage.Rule) bool {
		return r.Matches(series)
	})
}

// rulePlan is what AddRule has to do, given the stored rules.
type rulePlan struct {
	rule     storage.Rule
	errors   []model.FieldError
	replaced *storage.Rule // the revision whose alerts must end; nil if there is none
	puts     []itemop.Put  // empty if nothing has to be written
}

// planRule plans the next revision of a rule. Only the last revision of a name is needed
// to number the next one, so the plan lets the earlier revision expire.
func (s *Service) planRule(draft storage.Rule, all []storage.Rule) rulePlan {
	p := rulePlan{rule: draft}
	p.rule.Revision = 1
	p.rule.RemovedAt = 0
	p.rule.ExpiresAt = 0
	others := 0
	var before []itemop.Put
	for i := range all {
		r := all[i]
		active := r.RemovedAt == 0
		switch {
		case r.Name != draft.Name:
			if active && r.Kind == draft.Kind {
				others++
			}
			continue
		case active && !r.WatchesSame(&draft):
			return rulePlan{rule: draft, errors: []model.FieldError{{Field: "name", Code: CodeRuleTaken,
				Message: fmt.Sprintf("%s is already a rule for %s: choose another name, or remove that rule "+
					"first", r.Name, r.Watches())}}}
		case active && r.Equal(&draft):
			return rulePlan{rule: r, replaced: s.replacedBy(&r, all)}
		}
		p.rule.Revision = max(p.rule.Revision, r.Revision+1)
		read := r
		if active {
			r.RemovedAt = s.Now()
			r.RemovedBy = draft.By
			r.Reason = ruleChanged
			p.replaced = &r
		}
		if r.ExpiresAt == 0 {
			r.ExpiresAt = s.Now().Add(tier.Day24).Seconds()
			before = append(before, putIfUnchanged(&r, &read))
		}
	}
	if others >= MaxRules {
		return rulePlan{rule: draft, errors: []model.FieldError{{Field: "kind", Code: CodeTooManyRules,
			Message: fmt.Sprintf("%s has %d rules already: remove one", draft.Kind, others)}}}
	}
	p.puts = append(before,
		itemop.Put{Item: item.FromRule(&p.rule), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}}})
	if draft.Subject != "" {
		p.puts = append(p.puts, itemop.Put{Item: item.OwnRules(draft.SubjectType, draft.Kind)})
	}
	return p
}

// replacedBy returns the revision that a rule replaced recently, or nil if there is none.
// The process that replaced it may have stopped before it ended the alerts.
func (s *Service) replacedBy(next *storage.Rule, all []storage.Rule) *storage.Rule {
	at := slices.IndexFunc(all, func(r storage.Rule) bool {
		return r.Name == next.Name && r.Revision == next.Revision-1 && r.Reason == ruleChanged &&
			s.recentlyRemoved(&r)
	})
	if at < 0 {
		return nil
	}
	return &all[at]
}

// putIfUnchanged writes a rule on the condition that it is stored as it was read.
func putIfUnchanged(r, read *storage.Rule) itemop.Put {
	was := item.FromRule(read)[tablekeys.AttrRule]
	return itemop.Put{Item: item.FromRule(r),
		Precondition: itemop.Precondition{{Op: itemop.AttrEquals, Attr: tablekeys.AttrRule, Value: was}}}
}
