package catalog

import (
	"slices"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// Knows reports whether a name is a declared field of the kind, or one that sessions, goals or indexes read.
func (k *Kind) Knows(name string) bool { return k.known[name] }

// Stores reports whether a field of that name can be stored, by the kind's policy.
func (k *Kind) Stores(name string) bool {
	return k.Undeclared != DropUndeclared && k.Undeclared != RejectUndeclared || k.Knows(name)
}

// declareUses makes the values of goals measures of the events that have them, so that other names never take
// their places in rows, and collects the names that each kind knows.
func declareUses(kinds []Kind) {
	for i := range kinds {
		k := &kinds[i]
		for _, name := range goalValues(kinds, k.Name) {
			if !slices.ContainsFunc(k.Fields(), func(f Field) bool { return f.Name == name }) {
				k.Measures = append(k.Measures, rollup.MeasureSpec{Name: name, Scale: rollup.DefaultScale})
			}
		}
		k.spec = k.makeSpec()
		k.known = k.names(kinds)
	}
}

// goalValues returns the numbers of events of a kind that are values of goals.
func goalValues(kinds []Kind, name string) (values []string) {
	for _, k := range kinds {
		for _, g := range k.Goals {
			if n := len(g.Steps); n > 0 && g.Value != "" && g.Steps[n-1].Of == name {
				values = append(values, g.Value)
			}
		}
	}
	return values
}

// names returns the names of all fields that k declares, and that other declarations read of its events.
func (k *Kind) names(kinds []Kind) map[string]bool {
	known := map[string]bool{}
	for _, f := range k.Fields() {
		known[f.Name] = true
	}
	for _, x := range k.LatestBy {
		for _, name := range slices.Concat(x.By, x.Sort) {
			known[name] = true
		}
	}
	for _, l := range k.Groups {
		if by, ofProfile := groupFields(l); !ofProfile {
			for _, name := range by {
				known[name] = true
			}
		}
	}
	for _, other := range kinds {
		if s := other.Sessions; s != nil && s.Of == k.Name {
			known[s.By] = true
			for _, f := range slices.Concat(s.First, s.Last) {
				known[f.Of] = true
			}
		}
		for _, g := range other.Goals {
			for _, m := range matches(g, k.Name) {
				known[m.Field] = true
			}
		}
	}
	return known
}

// matches returns what a goal tests of events of a kind.
func matches(g goal.Goal, kind string) (all []goal.Match) {
	for _, s := range g.Steps {
		if s.Of == kind {
			all = append(all, s.Where...)
		}
	}
	return all
}
