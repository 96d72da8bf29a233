package alert

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// RuleCacheAge is how long a process uses the rules of a subject type before it reads them
// again. A process that learns of a rule late tests it from its start, so it misses
// nothing. Alerts of a removed rule are ended for longer than that.
const RuleCacheAge = time.Minute

// ruleSet is the rules of a subject type, including recently removed ones.
type ruleSet struct {
	rules            []entity.Rule
	subjectRuleKinds map[string]bool // kinds for which some subjects have rules of their own
	readAt           model.Time
}

// ruleSetOf returns the rules of a subject type. It reads them if fresh is true, or if they
// were read more than RuleCacheAge ago. For a series without rules this is the only read.
func (s *Service) ruleSetOf(ctx context.Context, subjectType string, fresh bool) (*ruleSet, error) {
	now := s.Now()
	s.mu.Lock()
	cached := s.ruleSets[subjectType]
	s.mu.Unlock()
	if cached != nil && !fresh && now < cached.readAt.Add(RuleCacheAge) {
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
	err := s.eachItem(ctx, table.ListRequest{Partition: tablekeys.RulePartition(subjectType)}, func(it item.Item) (bool, error) {
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
	if b.subjectRuleKinds[series.Kind] {
		return true
	}
	for i := range b.rules {
		if b.rules[i].Matches(series) {
			return true
		}
	}
	return false
}
