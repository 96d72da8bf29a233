package plausible

import (
	"encoding/json"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// This file counts the visits that met a goal, by the values of a dimension: rows have the sums of the goal's
// measures for the most frequent values.

// conversions are the figures of the visits with some values that met a goal.
var conversions = map[string]func(goal.Goal, *rollup.Part) float64{
	"visits": func(g goal.Goal, p *rollup.Part) float64 {
		met, _, _ := p.Sum(g.Field())
		return met.Float64()
	},
	"group_conversion_rate": func(g goal.Goal, p *rollup.Part) float64 {
		met, all, _ := p.Sum(g.Field())
		return round(100*met.Float64()/float64(max(1, all)), 2)
	},
}

// useGoal sets the goal whose conversions the query counts by the values of its dimension. It returns false
// for a filter of another kind.
func (r *run) useGoal(raw json.RawMessage) (bool, error) {
	l, err := parseLeaf(raw)
	if err != nil || l.dimension != goals || r.by == "" || r.by == goals || r.goal != nil {
		return false, nil // it is read as a filter by values
	}
	kind, _ := r.kinds.Kind(visits)
	i := slices.IndexFunc(kind.Goals, func(g goal.Goal) bool { return l.exact && g.Name == l.clauses[0] })
	if i < 0 || l.negated || len(l.clauses) > 1 || r.grouped.of[0].kind != visits || r.partMetrics() == nil {
		return false, refuse("filter %.200s: rollups have conversions of one goal by a dimension of visits", raw)
	}
	r.goal = &kind.Goals[i]
	return true, nil
}

// isOfGoals reports whether a filter is by goals alone.
func isOfGoals(raw json.RawMessage) bool {
	l, err := parseLeaf(raw)
	return err == nil && l.dimension == goals
}
