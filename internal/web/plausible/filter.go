package plausible

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/patternsize"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
	"github.com/tidemark-db/tidemark/pkg/catalog"
)

// keep is what a filter lets pass of the dimension of a query.
type keep struct {
	value func(value string) bool
	// other is whether values that are not stored pass. stored has those that are.
	other func(stored map[string]int64) outcome
}

// outcome says whether values that are not known pass a test. Both of two tests have the least of their
// outcomes, and one of the two has the greatest.
type outcome int

// The outcomes.
const (
	no outcome = iota
	maybe
	yes
)

// not returns the outcome of the opposite test.
func (o outcome) not() outcome { return yes - o }

// operators maps each operator of a filter to the pattern of the values that pass. Each operator
// exists with _not, too.
var operators = map[string]func(clause string) string{
	"is":       func(c string) string { return `\A` + regexp.QuoteMeta(c) + `\z` },
	"contains": regexp.QuoteMeta,
	"matches":  func(c string) string { return c },
}

// filter reads a filter, and sets the dimension of the query if it names none.
func (r *run) filter(raw json.RawMessage) (keep, error) {
	var head string
	var parts, nested []json.RawMessage
	if json.Unmarshal(raw, &parts) != nil || len(parts) < 2 || json.Unmarshal(parts[0], &head) != nil {
		return keep{}, refuse(
			"filter %.200s: want [operator, dimension, [values]], [\"and\" or \"or\", [filters]], "+
				"or [\"not\", filter]", raw)
	}
	either := head == "or"
	switch {
	case head == "not" && len(parts) == 2:
		nested, either = parts[1:], true
	case isOfVisits(head):
		return keep{}, refuse("filter %.200s: rollups do not have what else happened in a visit: "+
			"events do, with %s", raw, strings.Join(slices.Sorted(maps.Keys(counters)), ", "))
	case head != "and" && head != "or":
		return r.leaf(raw)
	case len(parts) != 2 || json.Unmarshal(parts[1], &nested) != nil || len(nested) == 0:
		return keep{}, refuse("filter %.200s: want [%q, [filters]]", raw, head)
	}
	all := make([]keep, len(nested))
	for i := range nested {
		var err error
		if all[i], err = r.filter(nested[i]); err != nil {
			return keep{}, err
		}
	}
	value := func(value string) bool {
		passes := slices.ContainsFunc(all, func(k keep) bool { return k.value(value) == either }) == either
		return passes != (head == "not")
	}
	other := func(stored map[string]int64) outcome {
		outcomes := lists.Map(all, func(k keep) outcome { return k.other(stored) })
		switch {
		case head == "not":
			return outcomes[0].not()
		case either:
			return slices.Max(outcomes)
		}
		return slices.Min(outcomes)
	}
	return keep{value, other}, nil
}

// leaf is a filter by the values of a dimension.
type leaf struct {
	dimension string
	clauses   []string
	forms     [][]string // of each clause, in which its value may be stored
	whole     bool       // the clauses are whole values
	exact     bool       // they are, with capitals as they are stored
	negated   bool
	pattern   *regexp.Regexp // of all clauses
}

// parseLeaf reads a filter by the values of a dimension.
func parseLeaf(raw json.RawMessage) (l leaf, err error) {
	var head string
	var parts []json.RawMessage
	modifiers := map[string]bool{"case_sensitive": true}
	targets := []any{&head, &l.dimension, &l.clauses, &modifiers}
	listed := json.Unmarshal(raw, &parts) == nil && len(parts) >= 3 && len(parts) <= len(targets) &&
		json.Unmarshal(raw, &targets) == nil
	name, negated := strings.CutSuffix(head, "_not")
	pattern, known := operators[name]
	if !known || !listed || len(l.clauses) == 0 || len(modifiers) > 1 {
		return l, refuse("filter %.200s: want is, contains or matches, or one of these with _not, "+
			"then a dimension, [values], and perhaps {\"case_sensitive\": false}", raw)
	}
	if text := strings.Join(l.clauses, "|"); name == "matches" &&
		(len(text) > maxPattern || patternsize.Repeated(text) > patternsize.Max) {
		return l, refuse("filter %.200s: matches has regular expressions of %d bytes, at most %d, or they "+
			"repeat too much: use + or * in place of {n}", raw, len(text), maxPattern)
	}
	l.forms = lists.Map(l.clauses, func(c string) []string { return storedForms(name, l.dimension, c) })
	flags := ""
	if !modifiers["case_sensitive"] {
		flags = "(?i)"
	}
	l.negated = negated
	l.whole = name == "is"
	l.exact = l.whole && flags == ""
	group := func(c string) string { return "(?:" + pattern(c) + ")" }
	patterns := lists.Map(slices.Concat(l.forms...), group)
	if l.pattern, err = regexp.Compile(flags + strings.Join(patterns, "|")); err != nil {
		err = refuse("filter %.200s: %v", raw, err)
	}
	return l, err
}

// storedForms returns the forms in which a value that a filter names may be stored: as the collector stores
// it, and as it is named, because other senders write what they have.
func storedForms(operator, dimension, clause string) []string {
	forms := []string{clause}
	if operator != "matches" && slices.Contains(paths, dimension) {
		forms = append(forms, storedPath(clause))
	}
	if operator == "is" { // a stored text is understood, too
		if slices.Contains(hosts, dimension) {
			forms = append(forms, storedHost(clause))
		}
		forms = lists.Map(forms, func(f string) string { return shownAs(dimension, f) })
	}
	return slices.Compact(forms)
}

// hosts are the dimensions whose values are hosts, or are hosts if they have no other name.
var hosts = []string{"event:hostname", "visit:source", "visit:referrer"}

// storedHost returns a host in Punycode as hosts are stored. Other texts stay.
func storedHost(clause string) string {
	if !strings.Contains(clause, "xn--") {
		return clause
	}
	return webfield.ShownHost(clause)
}

// paths are the dimensions whose values are paths.
var paths = []string{"event:page", "visit:entry_page", "visit:exit_page"}

// storedPath returns a path, or its beginning, as paths are stored.
func storedPath(clause string) string {
	if !strings.HasPrefix(clause, "/") {
		return clause
	}
	return webfield.ShownPath(clause)
}

// checkGoals returns an error for a goal that is not declared: its count is not 0, it is not known.
func (l leaf) checkGoals(sessions *catalog.Kind) error {
	if l.dimension != goals || !l.whole {
		return nil
	}
	declared := lists.Map(sessions.Goals, func(g goal.Goal) string { return g.Name })
	for _, name := range l.clauses {
		same := func(other string) bool { return other == name || !l.exact && strings.EqualFold(other, name) }
		if !slices.ContainsFunc(declared, same) {
			return refuse("filter by %s: no goal is named %.64q: declare it in tidemark.yaml; there are %s%s", goals,
				name, strings.Join(declared, ", "), names.DidYouMean(name, declared))
		}
	}
	return nil
}

// leaf reads a filter by the values of the dimension of the query.
func (r *run) leaf(raw json.RawMessage) (keep, error) {
	l, err := parseLeaf(raw)
	if err == nil {
		sessions, _ := r.kinds.Kind(visits)
		err = l.checkGoals(sessions)
	}
	if err != nil {
		return keep{}, err
	}
	r.sum = r.sum || r.by == ""
	if r.by == "" {
		if err := r.group(l.dimension); err != nil {
			return keep{}, err
		}
	}
	if r.pair != nil {
		value := func(value string) bool {
			return l.pattern.MatchString(r.pair.half(value, l.dimension)) != l.negated
		}
		return keep{value, func(map[string]int64) outcome { return maybe }}, nil
	}
	if l.dimension != r.by {
		return keep{}, refuse("filter %.200s: rollups have the values of each dimension alone: want a filter by %s",
			raw, r.by)
	}
	other := func(stored map[string]int64) outcome {
		lacks := func(forms []string) bool { return lacksAll(stored, forms) }
		switch {
		case !l.exact || slices.ContainsFunc(l.forms, lacks):
			return maybe
		case l.negated:
			return yes
		}
		return no
	}
	if l.exact && !l.negated {
		r.asked = append(r.asked, l.forms...)
	}
	return keep{func(value string) bool { return l.pattern.MatchString(value) != l.negated }, other}, nil
}

// lacksAll reports whether a value is stored in none of its forms.
func lacksAll(stored map[string]int64, forms []string) bool {
	return !slices.ContainsFunc(forms, func(form string) bool { _, ok := stored[form]; return ok })
}
