package alert

import (
	"fmt"
	"regexp"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The codes of what can be wrong with a rule. They are stable: callers may branch on
// them.
const (
	CodeRuleName        = "rule-name"
	CodeRuleSubject     = "rule-subject-type"
	CodeRuleKind        = "rule-kind"
	CodeRuleNoCurrent   = "rule-kind-without-current"
	CodeRuleSharded     = "rule-kind-sharded"
	CodeRuleMeasure     = "rule-measure"
	CodeRuleBounds      = "rule-bounds"
	CodeRuleSeverity    = "rule-severity"
	CodeTooManyRules    = "too-many-rules"
	CodeRuleSubjectName = "rule-subject"
	CodeRuleGone        = "gone"
)

// MaxRules is how many rules may stand for a kind of a subject type, and how many more
// for that kind of one subject: one event may turn all of them, in one transaction.
const MaxRules = 10

// maxRuleName is in bytes. The pattern does not count them: one that does takes long to
// compile, at every start of a function.
const maxRuleName = 64

var ruleName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]*$`)

// check says what is wrong with a rule.
func (s *Service) check(r *model.Rule) (wrong []model.FieldError) {
	say := func(field, code, format string, args ...any) {
		wrong = append(wrong, model.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
	}
	if len(r.Name) > maxRuleName || !ruleName.MatchString(r.Name) {
		say("name", CodeRuleName, "%.80q is no name: want small letters, digits and hyphens, 64 at most, as too-hot", r.Name)
	}
	if _, ok := s.Catalog.SubjectType(r.SubjectType); !ok {
		say("subjects", CodeRuleSubject, "%.64q is no subject type", r.SubjectType)
	}
	switch kind, ok := s.Catalog.Kind(r.Kind); {
	case !ok || kind.Subject.Name != r.SubjectType:
		say("kind", CodeRuleKind, "%.64q is no kind of %s", r.Kind, r.SubjectType)
	case kind.WithoutCurrent:
		say("kind", CodeRuleNoCurrent, "%s keeps no current, so its events are in no order that alerts could follow: let the kind keep one (current: true)", r.Kind)
	case kind.Shards > 1:
		say("kind", CodeRuleSharded, "%s is spread over shards, so its events are in no one order: rules are for kinds of one shard", r.Kind)
	}
	if r.Subject != "" && keys.Rule(r).Check() != nil {
		say("subject", CodeRuleSubjectName, "the subject's id does not fit a key")
	}
	if r.Measure == "" || len(r.Measure) > 64 || keys.Reserved(r.Measure) {
		say("measure", CodeRuleMeasure, "%.80q is no measure: name a number that the events have, as temperature", r.Measure)
	}
	switch {
	case r.Bounds == model.Above && r.High != nil && r.Low == nil:
	case r.Bounds == model.Below && r.Low != nil && r.High == nil:
	case r.Bounds == model.Outside && r.Low != nil && r.High != nil && r.Low.Cmp(*r.High) <= 0:
	default:
		say("bounds", CodeRuleBounds, "want above with high, below with low, or outside with low and high, the low one first")
	}
	switch r.Severity {
	case model.Info, model.Warning, model.Critical:
	default:
		say("severity", CodeRuleSeverity, "%.32q is no severity: want info, warning or critical", r.Severity)
	}
	return wrong
}
