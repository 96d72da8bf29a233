package configfile

import (
	"cmp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/webfield"
)

// readGoal reads a goal. The event of a goal of one step is declared without steps.
func readGoal(r *reader, name string, v value) goal.Goal {
	g := goal.Goal{Name: name}
	var one goal.Step
	r.object(v, append(stepMembers(&one),
		member{"steps", readSteps(&g.Steps)},
		member{"minDuration", span(&g.MinDuration)},
		member{"value", text(&g.Value)}))
	switch hasOne := one.Of != "" || len(one.Where) > 0; {
	case hasOne && len(g.Steps) > 0:
		r.wrong(v, "has an event and steps: make the event one of the steps")
	case hasOne:
		g.Steps = []goal.Step{one}
	}
	return g
}

func readSteps(to *[]goal.Step) func(*reader, value) {
	return func(r *reader, v value) {
		if !r.is(v, yaml.SequenceNode, "a list of events ([{of: PAGEVIEW, where: {path: /cart}}])") {
			return
		}
		*to = make([]goal.Step, len(v.node.Content))
		for i, n := range v.node.Content {
			r.object(value{n, v.path}, stepMembers(&(*to)[i]))
		}
	}
}

func stepMembers(s *goal.Step) members {
	return members{
		{"of", text(&s.Of)},
		{"where", func(r *reader, v value) {
			named(&s.Where, readMatch)(r, v)
			slices.SortFunc(s.Where, func(a, b goal.Match) int { return cmp.Compare(a.Field, b.Field) })
		}},
	}
}

func readMatch(r *reader, name string, v value) goal.Match {
	m := goal.Match{Field: name}
	text(&m.Pattern)(r, v)
	if name == webfield.Path && strings.HasPrefix(m.Pattern, "/") {
		m.Pattern = webfield.ShownPath(m.Pattern) // /caf%C3%A9 is stored as /café
	}
	return m
}
