package stats

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/lists"
)

// keep reports whether a filter lets a value of the dimension of a query pass.
type keep func(value string) bool

// operators are those of filters, and the patterns of what they let pass. Each exists with _not, too.
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
		return nil, refuse("filter %.200s: want [operator, dimension, [values]], [\"and\" or \"or\", [filters]], or [\"not\", filter]", raw)
	}
	either := head == "or"
	switch {
	case head == "not" && len(parts) == 2:
		nested, either = parts[1:], true
	case head != "and" && head != "or":
		return r.leaf(raw, head, parts)
	case len(parts) != 2 || json.Unmarshal(parts[1], &nested) != nil || len(nested) == 0:
		return nil, refuse("filter %.200s: want [%q, [filters]]", raw, head)
	}
	all := make([]keep, len(nested))
	for i := range nested {
		var err error
		if all[i], err = r.filter(nested[i]); err != nil {
			return nil, err
		}
	}
	return func(value string) bool {
		passes := slices.ContainsFunc(all, func(k keep) bool { return k(value) == either }) == either
		return passes != (head == "not")
	}, nil
}

// leaf reads a filter by the values of a dimension.
func (r *run) leaf(raw json.RawMessage, head string, parts []json.RawMessage) (keep, error) {
	name, negated := strings.CutSuffix(head, "_not")
	pattern, known := operators[name]
	var dimension string
	var clauses []string
	targets := []any{&head, &dimension, &clauses}
	if !known || len(parts) != len(targets) || json.Unmarshal(raw, &targets) != nil || len(clauses) == 0 {
		return nil, refuse("filter %.200s: want is, contains or matches, or one of these with _not, then a dimension, and [values]", raw)
	}
	r.sum = r.sum || r.by == ""
	if r.by == "" {
		if err := r.group(dimension); err != nil {
			return nil, err
		}
	}
	if dimension != r.by {
		return nil, refuse("filter %.200s: rollups have the values of each dimension alone: want a filter by %s", raw, r.by)
	}
	matcher, err := regexp.Compile(strings.Join(lists.Map(clauses, func(c string) string { return "(?:" + pattern(c) + ")" }), "|"))
	if err != nil {
		return nil, refuse("filter %.200s: %v", raw, err)
	}
	return func(value string) bool { return matcher.MatchString(value) != negated }, nil
}
