package main

import (
	"slices"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// describedKind is a kind in x-tidemark-kinds of the OpenAPI description, for programs that show any
// kind: what is kept, and which fields are counted.
type describedKind struct {
	Kind       string          `json:"kind"`
	Subjects   string          `json:"subjects"` // in paths: /v1/{subjects}/{id}/{path}
	Path       string          `json:"path"`
	Tiers      []describedTier `json:"tiers"` // raw events, then rollups, finest first
	Dimensions []string        `json:"dimensions"`
	Pairs      []describedPair `json:"pairs,omitempty"` // of dimensions, whose pairs of values are counted
	Distinct   []string        `json:"distinct"`
	// Units has the units of measures by their names. A measure without one is left out.
	Units    map[string]string `json:"units,omitempty"`
	GroupsOf string            `json:"groupsOf,omitempty"` // the kind whose events count in its groups
	// of members of groups, whose increases can be asked
	Counters   []string        `json:"counters,omitempty"`
	SessionsOf string          `json:"sessionsOf,omitempty"` // the kind whose events its sessions are made of
	Goals      []describedGoal `json:"goals,omitempty"`      // in measures of its sessions
}

// describedPair is a dimension that counts pairs of values of two fields, with a tab between them.
type describedPair struct {
	Name string    `json:"name"`
	Of   [2]string `json:"of"`
}

// describedGoal is a goal. Its sessions are the sum of its last step's measure.
type describedGoal struct {
	Name  string          `json:"name"`
	Steps []describedStep `json:"steps"`
	Value string          `json:"value,omitempty"` // the measure of its value
}

// describedStep is a step of a goal: what its events must match, and the measure that is 1 for
// sessions that met it and those before it.
type describedStep struct {
	Match   string `json:"match"`
	Measure string `json:"measure"`
}

// describedTier is what is kept of a kind. Times are in seconds.
type describedTier struct {
	Tier      string `json:"tier"`
	Retention *int64 `json:"retention"` // null: for ever
	Deferred  bool   `json:"deferred"`
	Grace     int64  `json:"grace"` // a deferred bucket closes this long after its end
}

// describeKinds describes the kinds of a catalog, with the retentions that hold in the table.
func describeKinds(c *catalog.Catalog) []describedKind {
	all := make([]describedKind, len(c.Kinds))
	for i := range c.Kinds {
		k := &c.Kinds[i]
		d := describedKind{
			Kind: k.Name, Subjects: k.Subject.Path, Path: k.Path, Tiers: describeTiers(k), Dimensions: []string{},
			Distinct: append([]string{}, k.Distinct...), Units: query.Units(k), Goals: describeGoals(k),
			GroupsOf: k.GroupsOf,
		}
		for _, dimension := range k.Dimensions {
			if dimension.IsPair() {
				d.Pairs = append(d.Pairs, describedPair{Name: dimension.Name, Of: dimension.Of})
			} else if !slices.Contains(k.Properties, dimension.Name) {
				d.Dimensions = append(d.Dimensions, dimension.Name)
			}
		}
		if of, found := c.Kind(k.GroupsOf); found {
			d.Counters = of.Counters()
		}
		if k.Sessions != nil {
			d.SessionsOf = k.Sessions.Of
		}
		all[i] = d
	}
	return all
}

func describeTiers(k *catalog.Kind) (all []describedTier) {
	if k.HasEvents() {
		all = append(all, describedTier{Tier: "raw", Retention: seconds(k.Retention.Raw)})
	}
	for _, t := range k.Retention.Tiers {
		all = append(all, describedTier{Tier: t.Unit.String(), Retention: seconds(t.Retention),
			Deferred: t.Deferred, Grace: int64(t.Grace / time.Second)})
	}
	return all
}

func describeGoals(k *catalog.Kind) (all []describedGoal) {
	for _, g := range k.Goals {
		d := describedGoal{Name: g.Name}
		for n, s := range g.Steps {
			d.Steps = append(d.Steps, describedStep{describeMatch(s), g.StepField(n + 1)})
		}
		if len(d.Steps) == 0 {
			d.Steps = []describedStep{{Match: "at least " + g.MinDuration.String()}}
		}
		d.Steps[len(d.Steps)-1].Measure = g.Field()
		if g.Value != "" {
			d.Value = g.ValueField()
		}
		all = append(all, d)
	}
	return all
}

// describeMatch returns the patterns of a step, or the name of its kind if any event meets it.
func describeMatch(s goal.Step) string {
	if len(s.Where) == 0 {
		return s.Of
	}
	return strings.Join(lists.Map(s.Where, func(m goal.Match) string { return m.Pattern }), ", ")
}

// seconds returns a retention in seconds, nil for ever.
func seconds(d time.Duration) *int64 {
	if d == tier.Forever {
		return nil
	}
	return new(int64(d / time.Second))
}
