package alert

import "github.com/tidemark-db/tidemark/internal/store/storage"

// Unexported functions that the tests use.
var (
	AlertItem = alertItem
	AlertID   = alertID
)

// RuleSet is the cached rules of a subject type.
type RuleSet = ruleSet

// SetRuleCache makes a service use the cached rules of another process.
func (s *Service) SetRuleCache(sets map[string]*RuleSet) { s.ruleSets = sets }

// SetMaxSilent sets how many series of a type a call of FindSilent reads.
func (s *Service) SetMaxSilent(n int) { s.maxSilent = n }

// Unit returns the unit of the values that a rule tests.
func (s *Service) Unit(r *storage.Rule) string { return s.unit(r) }
