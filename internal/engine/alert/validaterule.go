package alert

import (
	"cmp"
	"fmt"
	"regexp"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// The codes of errors in rules. They are stable, so that callers can branch on them.
const (
	CodeRuleName        = "rule-name"
	CodeRuleTaken       = "rule-name-taken"
	CodeRuleSubject     = "rule-subject-type"
	CodeRuleKind        = "rule-kind"
	CodeRuleNoLatest    = "rule-kind-without-latest"
	CodeRuleSharded     = "rule-kind-sharded"
	CodeRuleUntimed     = "rule-kind-without-times"
	CodeRuleMeasure     = "rule-measure"
	CodeRuleBounds      = "rule-bounds"
	CodeRuleClear       = "rule-clear"
	CodeRuleFor         = "rule-for"
	CodeRuleTest        = "rule-test"
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
func (s *Service) validateRule(r *storage.Rule) []model.FieldError {
	var errs ruleErrors
	errs.checkName(r)
	errs.checkSubjectType(r, s.Catalog)
	errs.checkKind(r, s.Catalog)
	if s.groupKind(r.Kind) != nil {
		errs.checkGroups(r)
	}
	errs.checkSubject(r)
	if r.Test == storage.TestSilence {
		errs.checkSilence(r)
	} else {
		errs.checkMeasure(r)
		errs.checkBounds(r)
	}
	errs.checkSeverity(r)
	return errs
}

// ruleErrors are the errors found in a rule so far. Each check adds the errors that it finds.
type ruleErrors []model.FieldError

func (e *ruleErrors) add(field, code, format string, args ...any) {
	*e = append(*e, model.FieldError{Field: field, Code: code, Message: fmt.Sprintf(format, args...)})
}

func (e *ruleErrors) checkName(r *storage.Rule) {
	if len(r.Name) > maxRuleNameBytes || !ruleNamePattern.MatchString(r.Name) {
		e.add("name", CodeRuleName,
			"%.80q is not a valid name: want at most 64 lower-case letters, digits and hyphens, such as too-hot",
			r.Name)
	}
}

func (e *ruleErrors) checkSubjectType(r *storage.Rule, all *catalog.Catalog) {
	if _, ok := all.SubjectType(r.SubjectType); !ok {
		known := lists.Map(all.Subjects(), func(t catalog.SubjectType) string { return t.Name })
		e.add("subjects", CodeRuleSubject, "%.64q is not a subject type%s", r.SubjectType,
			names.DidYouMean(r.SubjectType, known))
	}
}

func (e *ruleErrors) checkKind(r *storage.Rule, all *catalog.Catalog) {
	switch kind, ok := all.Kind(r.Kind); {
	case !ok || kind.Subject.Name != r.SubjectType:
		known := lists.Map(all.Kinds, func(k catalog.Kind) string { return k.Name })
		e.add("kind", CodeRuleKind, "%.64q is not a kind of %s%s", r.Kind, r.SubjectType,
			names.DidYouMean(r.Kind, known))
	case kind.GroupsOf == "" && !kind.LatestInTransaction():
		e.add("kind", CodeRuleNoLatest,
			"appends to %s do not write its latest item, so its events have no order in which rules "+
				"could be evaluated: write latest: transaction for the kind", r.Kind)
	case kind.Shards > 1:
		e.add("kind", CodeRuleSharded,
			"%s is spread over shards, so its events have no common order: rules need a kind with one shard",
			r.Kind)
	case kind.OrderBy != "":
		e.add("kind", CodeRuleUntimed,
			"events of %s are ordered by %s and have no times: rules need a kind with event times", r.Kind,
			kind.OrderBy)
	}
}

// checkGroups checks the measure of a rule for groups.
func (e *ruleErrors) checkGroups(r *storage.Rule) {
	if _, ok := measureOfRows(r.Measure); r.Test != storage.TestSilence && !ok {
		e.add("measure", CodeRuleMeasure,
			"a rule for groups tests rows: want %s, or a measure with a figure, such as temperature.avg (%s)",
			EventsMeasure, figureNames())
	}
}

func (e *ruleErrors) checkSubject(r *storage.Rule) {
	if r.Subject != "" && tablekeys.Rule(r).Check() != nil {
		e.add("subject", CodeRuleSubjectName, "the subject's id does not fit in a key: shorten it")
	}
}

func (e *ruleErrors) checkMeasure(r *storage.Rule) {
	if r.Measure == "" || len(r.Measure) > 64 || keys.Reserved(r.Measure) {
		e.add("measure", CodeRuleMeasure,
			"%.80q is not a valid measure: name a number of the events, such as temperature", r.Measure)
	}
}

func (e *ruleErrors) checkSeverity(r *storage.Rule) {
	switch r.Severity {
	case storage.Info, storage.Warning, storage.Critical:
	default:
		e.add("severity", CodeRuleSeverity, "%.32q is not a severity: want info, warning or critical",
			r.Severity)
	}
}

// maxFor is the longest duration of a rule. A deletion reads the events of as long again.
const maxFor = times.Span(30 * tier.Day24)

// checkSilence checks a rule of silence.
func (e *ruleErrors) checkSilence(r *storage.Rule) {
	if r.For < times.Span(time.Minute) || r.For > maxFor {
		e.add("for", CodeRuleFor, "want the duration of the silence, from 1m to 30d, such as 30m")
	}
	if r.Measure != "" || r.Bounds != "" || r.Low != nil || r.High != nil || r.ClearLow != nil ||
		r.ClearHigh != nil {
		e.add("test", CodeRuleTest, "a rule of silence tests no measure: leave out measure and bounds")
	}
	if r.Subject != "" {
		e.add("subject", CodeRuleTest, "a rule of silence is for all subjects of a type: leave out the id")
	}
}

// checkBounds checks what a rule tests.
func (e *ruleErrors) checkBounds(r *storage.Rule) {
	if !hasBounds(r) {
		e.add("bounds", CodeRuleBounds,
			"want above with high, below with low, or outside with low and high, where low is not above high")
		return
	}
	if ruleTests[r.Test] == nil {
		e.add("test", CodeRuleTest, "%.32q is not a test: want rate, or nothing to test the value", r.Test)
	}
	if r.For < 0 || r.For > maxFor {
		e.add("for", CodeRuleFor, "want a duration of at most %s, such as 10m", maxFor.Text())
	}
	low, high := cmp.Or(r.ClearLow, r.Low), cmp.Or(r.ClearHigh, r.High)
	if !clearsWithin(r.ClearLow, r.Low, 1) || !clearsWithin(r.ClearHigh, r.High, -1) ||
		low != nil && high != nil && low.Cmp(*high) > 0 { // no value would end an alert
		e.add("clear", CodeRuleClear, "an alert ends within the bounds that raise it: a rule above 30 "+
			"clears at 30 or lower, one below 5 at 5 or higher, one outside at a bound of each")
	}
}

// hasBounds reports whether a rule has the bounds that it names, and no others.
func hasBounds(r *storage.Rule) bool {
	switch r.Bounds {
	case storage.Above:
		return r.High != nil && r.Low == nil
	case storage.Below:
		return r.Low != nil && r.High == nil
	case storage.Outside:
		return r.Low != nil && r.High != nil && r.Low.Cmp(*r.High) <= 0
	}
	return false
}

// clearsWithin reports whether the bound at which an alert ends is not on the other side of the bound that
// raises it. inner is the sign of the direction from that bound to the allowed values.
func clearsWithin(ends, raises *model.Decimal, inner int) bool {
	return ends == nil || raises != nil && ends.Cmp(*raises)*inner >= 0
}
