package memory

import (
	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/itemop"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// precondition returns the condition that a precondition is.
func precondition(when itemop.Precondition) (all engine.All) {
	for _, r := range when {
		all = append(all, requirement(r))
	}
	return all
}

func requirement(r itemop.Requirement) engine.Condition {
	switch missing := engine.Missing(r.Attr); r.Op {
	case itemop.ItemAbsent:
		return engine.Missing(keys.AttrPK)
	case itemop.ItemExists:
		return engine.Exists(keys.AttrPK)
	case itemop.AttrEquals:
		return compare(r.Attr, model.Equal, r.Value)
	case itemop.AttrDiffers:
		return compare(r.Attr, model.NotEqual, r.Value)
	case itemop.AttrAbsent:
		return missing
	case itemop.AttrAbsentOrCompares:
		return engine.Any{missing, compare(r.Attr, r.By, r.Value)}
	default: // AttrCompares; an unknown one has no operator, which is malformed
		return compare(r.Attr, r.By, r.Value)
	}
}

// where returns the user's condition.
func where(c model.Condition) (all engine.All) {
	for _, t := range c {
		all = append(all, term(t))
	}
	return all
}

func term(t model.Term) engine.Condition {
	switch t.Op {
	case model.Exists:
		return engine.Exists(t.Field)
	case model.Missing:
		return engine.Missing(t.Field)
	case model.NotEqual: // in DynamoDB an absent attribute differs from every value
		return engine.All{engine.Exists(t.Field), compare(t.Field, t.Op, item.FromValue(t.Value))}
	default:
		return compare(t.Field, t.Op, item.FromValue(t.Value))
	}
}

func compare(attr string, op model.Op, v item.Value) engine.Condition {
	return engine.Compare{Left: engine.Attr(attr), Op: op, Right: engine.Value(v)}
}
