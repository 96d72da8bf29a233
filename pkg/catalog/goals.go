package catalog

import (
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// goalMeasures returns the measures of goals: whole numbers, and values.
func goalMeasures(goals []goal.Goal) (all []rollup.MeasureSpec) {
	for _, g := range goals {
		for _, name := range g.Fields() {
			m := rollup.MeasureSpec{Name: name}
			if g.Value != "" && name == g.ValueField() {
				m.Scale = goal.ValueScale
			}
			all = append(all, m)
		}
	}
	return all
}

// goals validates the goals of a kind of sessions. Their names are validated like names of measures.
func (c checker) goals(kinds []Kind) {
	if len(c.k.Goals) > 0 && c.k.HasEvents() {
		c.wrong("goals", "only sessions meet goals: declare them for a kind with sessionsOf")
		return
	}
	fields := map[string]bool{}
	for _, g := range c.k.Goals {
		at := "goals." + g.Name
		for _, name := range g.Fields() {
			if fields[name] {
				c.wrong(at, quote(name)+" is a measure of another goal already: choose another name")
			}
			fields[name] = true
		}
		switch {
		case len(g.Steps) == 0 && g.MinDuration <= 0:
			c.wrong(at, "every session would meet it: want an event (of), several of them (steps), or minDuration")
		case len(g.Steps) == 0 && g.Value != "":
			c.wrong(at+".value", "is a number of an event, and the goal has none: add of, or remove value")
		case len(g.Steps) > goal.MaxSteps:
			c.wrong(at+".steps", fmt.Sprintf("%d are declared: want at most %d", len(g.Steps), goal.MaxSteps))
		}
		for _, s := range g.Steps {
			if s.Of != c.k.Sessions.Of {
				c.goalSource(at, s.Of, kinds)
			}
			for _, m := range s.Where {
				c.wrong(at+".where."+m.Field, wrongField(m.Field))
			}
		}
	}
}

// goalSource validates the kind of the events that meet a goal. A row of sessions is inexact
// where such an event may have expired. The rows of the kind, in buckets of the same unit, say so.
func (c checker) goalSource(at, name string, kinds []Kind) {
	i := slices.IndexFunc(kinds, func(k Kind) bool { return k.Name == name })
	if i < 0 || kinds[i].Subject.Name != c.k.Subject.Name || !kinds[i].HasEvents() || kinds[i].OrderBy != "" {
		c.wrong(at+".of", quote(name)+
			" is not a kind of the same subject type whose events are stored and have a time: name one")
		return
	}
	if len(c.k.Retention.Tiers) == 0 {
		return // a mistake of its own
	}
	unit := c.k.Retention.Finest().Unit
	if _, _, ok := kinds[i].Retention.Find(unit); !ok {
		c.wrong(at+".of", fmt.Sprintf("%s has no tier %s, the finest one of the sessions: add it", name, unit))
	}
	if raw := c.k.Retention.Raw; kinds[i].Retention.Raw < raw {
		c.wrong(at+".of", fmt.Sprintf(
			"its events are kept for %s, and the sessions' events for %s: want at least as long",
			kinds[i].Retention.Raw, raw))
	}
}
