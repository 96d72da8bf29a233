package protocol

import (
	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const keyWhat = "KeyConditionExpression"

// keyRange parses a KeyConditionExpression: the partition key, and a condition on the sort key.
func keyRange(text *string, p *placeholders, partition, sort string) (r engine.Range, err error) {
	if text == nil {
		return r, invalid("Either the KeyConditions or KeyConditionExpression parameter must be " +
			"specified in the request.")
	}
	parsed, err := condition(keyWhat, text, p)
	if err != nil {
		return r, err
	}
	found := map[string]bool{}
	for _, c := range conjuncts(parsed) {
		name, err := restrict(&r, c, partition, sort)
		switch {
		case err != nil:
			return r, err
		case found[name]:
			return r, invalid("Invalid KeyConditionExpression: KeyConditionExpressions must only contain " +
				"one condition per key")
		}
		found[name] = true
	}
	if !found[partition] {
		return r, invalid("Query condition missed key schema element: " + partition)
	}
	return r, nil
}

// conjuncts returns the conditions that a condition joins by AND.
func conjuncts(c engine.Condition) (all []engine.Condition) {
	joined, ok := c.(engine.All)
	if !ok {
		return []engine.Condition{c}
	}
	for _, one := range joined {
		all = append(all, conjuncts(one)...)
	}
	return all
}

// restrict adds a condition on one key attribute to a range, and returns the attribute.
func restrict(r *engine.Range, c engine.Condition, partition, sort string) (name string, err error) {
	switch c := c.(type) {
	case engine.Between:
		if c.Value.Attr == "" || c.Low.Attr != "" || c.High.Attr != "" {
			return "", invalid("Invalid condition in KeyConditionExpression: BETWEEN operator must have " +
				"the attribute first, and values as its bounds")
		}
		if c.Value.Attr != sort || sort == "" {
			return "", notAKey(c.Value.Attr, partition)
		}
		r.From, r.To = c.Low.Value.S, c.High.Value.S
		return sort, keyValues(sort, c.Low.Value, c.High.Value)
	case engine.Compare:
		return compareKey(r, c, partition, sort)
	default:
		return "", invalid("Invalid operator used in KeyConditionExpression: " + operatorName(c))
	}
}

func operatorName(c engine.Condition) string {
	switch c.(type) {
	case engine.Any:
		return "OR"
	case engine.Not:
		return "NOT"
	case engine.Exists:
		return "attribute_exists"
	default:
		return "attribute_not_exists"
	}
}

func notAKey(name, partition string) error {
	if name == partition {
		return invalid("Query key condition not supported")
	}
	return invalid("Query condition missed key schema element: " + partition)
}

func compareKey(r *engine.Range, c engine.Compare, partition, sort string) (name string, err error) {
	if c.Left.Attr == "" && c.Right.Attr != "" {
		c.Left, c.Right = c.Right, c.Left
		c.Op = map[model.Op]model.Op{model.Less: model.Greater, model.AtMost: model.AtLeast,
			model.Greater: model.Less, model.AtLeast: model.AtMost, model.Equal: model.Equal}[c.Op]
	}
	name, v := c.Left.Attr, c.Right.Value
	switch {
	case name == "" || c.Right.Attr != "":
		return "", invalid("Invalid condition in KeyConditionExpression: No key attribute specified")
	case c.Op == model.NotEqual:
		return "", invalid("Unsupported operator on KeyCondition: NE")
	case name == partition && c.Op == model.Equal:
		r.Partition = v.S
		return name, keyValues(name, v)
	case name != sort || sort == "":
		return "", notAKey(name, partition)
	case c.Op == model.Begins:
		r.Prefix = v.S
	default:
		bound(r, c.Op, v.S)
	}
	return name, keyValues(name, v)
}

// bound restricts the sort key by a comparison.
func bound(r *engine.Range, op model.Op, v string) {
	if op == model.Equal || op == model.AtLeast || op == model.Greater {
		r.From, r.WithoutFrom = v, op == model.Greater
	}
	if op == model.Equal || op == model.AtMost || op == model.Less {
		r.To, r.WithoutTo = v, op == model.Less
	}
}

// keyValues rejects values that no key can have.
func keyValues(name string, values ...item.Value) error {
	for _, v := range values {
		if v.Type != item.S {
			return invalid("One or more parameter values were invalid: Condition parameter type does not " +
				"match schema type")
		}
		if v.S == "" {
			return invalid("One or more parameter values are not valid. The AttributeValue for a key " +
				"attribute cannot contain an empty string value. Key: " + name)
		}
	}
	return nil
}
