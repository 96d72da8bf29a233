package lifecycle

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// claim is a unique value that a profile needs: the partition key of the sentinel, and the
// name of the constraint.
type claim struct{ partition, constraint string }

// claims returns the unique values that attrs of a subject need under the constraints of its type.
// A constraint does not apply to a profile that lacks one of its fields.
func claims(subject model.Subject, spec *catalog.Profile, attrs model.Attrs) []claim {
	var all []claim
	for _, u := range spec.Unique {
		values := make([]string, 0, len(u.Fields))
		for _, f := range u.Fields {
			if v, ok := attrs.Get(f); ok && v.Kind != model.Null && v != model.TextValue("") {
				values = append(values, valueText(v, u.Case))
			}
		}
		if len(values) == len(u.Fields) {
			if u.PerOwner {
				values = append([]string{"o" + owner(subject)}, values...)
			}
			all = append(all, claim{tablekeys.Unique(subject.Type, u.Name, values...).PK, u.Name})
		}
	}
	return all
}

// owner returns the owner that a subject's id begins with, "" if it has none.
func owner(s model.Subject) string {
	name, _, ok := strings.Cut(s.ID, ":")
	if !ok {
		return ""
	}
	return name
}

// valueText returns a value as a part of a sentinel's key. Its first letter is the type,
// so that the text 1 and the number 1 are different values.
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

// addClaims writes the sentinels of want that p does not hold yet, and removes those that
// p holds and no longer needs. It sets p.Sentinels to the result.
func (c *change) addClaims(p *model.Profile, want []claim, known sentinelState) {
	held := p.Sentinels
	p.Sentinels = nil
	for _, w := range want {
		p.Sentinels = append(p.Sentinels, w.partition)
		if slices.Contains(held, w.partition) || known.alreadyOurs[w.partition] {
			continue
		}
		it := item.FromSentinel(
			&storage.Sentinel{Partition: w.partition, Owner: p.Subject, Generation: p.Generation})
		c.addNamed(roleClaim, w.constraint,
			itemop.Action{Key: it.Key(), Precondition: itemop.Precondition{{Op: itemop.ItemAbsent}}, Put: it})
	}
	for _, partition := range held {
		if !slices.Contains(p.Sentinels, partition) && !known.notOurs[partition] {
			c.add(roleRelease, itemop.Action{Key: tablekeys.UniqueIn(partition),
				Precondition: sentinelOwnedBy(p.Subject, p.Generation), Delete: true})
		}
	}
}

// sentinelOwnedBy returns the precondition that a generation of a subject holds a sentinel.
func sentinelOwnedBy(s model.Subject, g model.Generation) itemop.Precondition {
	owner := item.Value{Type: item.S, S: keys.SubjectPartition(s)}
	return itemop.Precondition{{Op: itemop.AttrEquals, Attr: tablekeys.AttrOwner, Value: owner},
		hasGeneration(g)}
}
