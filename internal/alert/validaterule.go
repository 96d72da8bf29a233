package alert

import (
	"fmt"
	"regexp"

	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The codes of errors in rules. They are stable, so that callers can branch on them.
const (
	CodeRuleName        = "rule-name"
	CodeRuleSubject     = "rule-subject-type"
	CodeRuleKind        = "rule-kind"
	CodeRuleNoLatest    = "rule-kind-without-latest"
	CodeRuleSharded     = "rule-kind-sharded"
	CodeRuleMeasure     = "rule-measure"
	CodeRuleBounds      = "rule-bounds"
	CodeRuleSeverity    = "rule-severity"
	CodeTooManyRules    = "too-many-rules"
	CodeRuleSubjectName = "rule-subject"
	CodeRuleGone        = "gone"
)

// MaxRules is the largest number of rules for a kind of a subject type, and also the
// largest number of additional rules for that kind of one subject. One event may change
// the alerts of all of them, in one transaction.
const MaxRules = 10

// maxRuleNameBytes is checked apart from ruleNamePattern, because a pattern that counts is
// slow to compile at every start of a function.
const maxRuleNameBytes = 64

var ruleNamePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// validateRule returns the errors of a rule; nil means that it is valid.
func (s *Service) validateRule(r *entity.Rule) (errs []model.FieldError) {
	addError := func(field, code, format string, args ...any) {
		errs = append(errs, model.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if len(r.Name) > maxRuleNameBytes || !ruleNamePattern.MatchString(r.Name) {
		addError("name", CodeRuleName, "%.80q is not a valid name: want at most 64 lower-case letters, digits and hyphens, such as too-hot", r.Name)
	}
	if _, ok := s.Catalog.SubjectType(r.SubjectType); !ok {
		addError("subjects", CodeRuleSubject, "%.64q is not a subject type", r.SubjectType)
	}
	switch kind, ok := s.Catalog.Kind(r.Kind); {
	case !ok || kind.Subject.Name != r.SubjectType:
		addError("kind", CodeRuleKind, "%.64q is not a kind of %s", r.Kind, r.SubjectType)
	case !kind.LatestInTransaction():
		addError("kind", CodeRuleNoLatest, "appends to %s do not write its latest item, so its events have no order in which rules could be evaluated: write latest: transaction for the kind", r.Kind)
	case kind.Shards > 1:
		addError("kind", CodeRuleSharded, "%s is spread over shards, so its events have no common order: rules need a kind with one shard", r.Kind)
	}
	if r.Subject != "" && tablekeys.Rule(r).Check() != nil {
		addError("subject", CodeRuleSubjectName, "the subject's id does not fit in a key: shorten it")
	}
	if r.Measure == "" || len(r.Measure) > 64 || keys.Reserved(r.Measure) {
		addError("measure", CodeRuleMeasure, "%.80q is not a valid measure: name a number of the events, such as temperature", r.Measure)
	}
	switch {
	case r.Bounds == entity.Above && r.High != nil && r.Low == nil:
	case r.Bounds == entity.Below && r.Low != nil && r.High == nil:
	case r.Bounds == entity.Outside && r.Low != nil && r.High != nil && r.Low.Cmp(*r.High) <= 0:
	default:
		addError("bounds", CodeRuleBounds, "want above with high, below with low, or outside with low and high, where low is not above high")
	}
	switch r.Severity {
	case entity.Info, entity.Warning, entity.Critical:
	default:
		addError("severity", CodeRuleSeverity, "%.32q is not a severity: want info, warning or critical", r.Severity)
	}
	return errs
}
