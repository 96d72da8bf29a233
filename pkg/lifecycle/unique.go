package lifecycle

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// claim is a value that a profile holds, or wants to: the sentinel's partition and the
// constraint's name.
type claim struct{ partition, constraint string }

// claims are what attrs claim by the constraints of the subject type. A profile that
// lacks a field of a constraint is not held to it.
func claims(subjectType string, spec *catalog.Profile, attrs model.Attrs) []claim {
	var all []claim
	for _, u := range spec.Unique {
		values := make([]string, 0, len(u.Fields))
		for _, f := range u.Fields {
			if v, ok := attrs.Get(f); ok && v.Kind != model.Null && v != model.TextValue("") {
				values = append(values, valueText(v, u.Case))
			}
		}
		if len(values) == len(u.Fields) {
			all = append(all, claim{keys.Unique(subjectType, u.Name, values...).PK, u.Name})
		}
	}
	return all
}

// valueText is a value as it stands in a sentinel's key. Its first letter is its type,
// so that the text 1 and the number 1 are two values.
func valueText(v model.Value, rule catalog.Case) string {
	switch v.Kind {
	case model.Number:
		return "n" + v.Number.String()
	case model.Bool:
		if v.Bool {
			return "b1"
		}
		return "b0"
	}
	if rule == catalog.CaseFold {
		return "t" + strings.ToLower(strings.ToUpper(v.Text))
	}
	return "t" + v.Text
}

// addClaims makes the sentinels that p holds those of want: it claims what is new and
// releases what is not wanted any more. p.Sentinels becomes what p holds then.
func (c *change) addClaims(p *model.Profile, want []claim, m memory) {
	held := p.Sentinels
	p.Sentinels = nil
	for _, w := range want {
		p.Sentinels = append(p.Sentinels, w.partition)
		if slices.Contains(held, w.partition) || m.held[w.partition] {
			continue
		}
		it := item.FromSentinel(&model.Sentinel{Partition: w.partition, Owner: p.Subject, Life: p.Life})
		c.addNamed(ofClaim, w.constraint, Action{Key: it.Key(), When: Condition{{Op: Free}}, Put: it})
	}
	for _, partition := range held {
		if !slices.Contains(p.Sentinels, partition) && !m.lost[partition] {
			c.add(ofRelease, Action{Key: keys.UniqueIn(partition), When: ours(p.Subject, p.Life), Delete: true})
		}
	}
}

// ours is the condition that a sentinel names this owner, in this life.
func ours(s model.Subject, life model.Life) Condition {
	owner := item.Value{Type: item.S, S: keys.SubjectPartition(s)}
	return Condition{{Op: Is, Attr: keys.AttrOwner, Value: owner}, ofLife(life)}
}
