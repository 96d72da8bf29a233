package item

import (
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// ParseImage parses an image of a record of the table stream: {"pk":{"S":"x"},"n":{"N":"1"}}. Sets, and lists
// and maps with values that no field can have, are Other, without their content. Errors wrap ErrDamaged.
func ParseImage(text []byte) (Item, error) {
	var attributes map[string]json.RawMessage
	if err := json.Unmarshal(text, &attributes); err != nil {
		return nil, fmt.Errorf("%w: the image is no JSON object: %w", ErrDamaged, err)
	}
	it := make(Item, len(attributes))
	for name, raw := range attributes {
		v, err := parseTyped(raw)
		if err != nil {
			return nil, fmt.Errorf("%w: attribute %.80q: %w", ErrDamaged, name, err)
		}
		it[name] = v.value()
	}
	return it, nil
}

// typed is an attribute value as the table stream writes it: exactly one member is set.
type typed struct {
	S    *string           `json:"S"`
	N    *string           `json:"N"`
	B    *[]byte           `json:"B"`
	Bool *bool             `json:"BOOL"`
	Null *bool             `json:"NULL"`
	List *[]typed          `json:"L"`
	Map  *map[string]typed `json:"M"`
}

func parseTyped(raw json.RawMessage) (v typed, _ error) { return v, json.Unmarshal(raw, &v) }

func (v typed) value() Value {
	switch {
	case v.S != nil:
		return stringValue(*v.S)
	case v.N != nil:
		return Value{Type: N, S: *v.N}
	case v.B != nil:
		return bytesValue(*v.B)
	case v.Bool != nil:
		return boolValue(*v.Bool)
	case v.Null != nil:
		return Value{Type: Null}
	}
	if tree, ok := v.tree(); ok {
		return Value{Type: Nested, S: NestedText(tree)}
	}
	return Value{}
}

// tree returns the value as ParseNested does; false if a field cannot have it.
func (v typed) tree() (tree any, ok bool) {
	switch {
	case v.S != nil:
		return *v.S, true
	case v.N != nil:
		n, err := model.ParseDecimal(*v.N)
		return n, err == nil
	case v.Bool != nil:
		return *v.Bool, true
	case v.Null != nil:
		return nil, true
	case v.List != nil:
		list := make([]any, len(*v.List))
		for i, element := range *v.List {
			if list[i], ok = element.tree(); !ok {
				return nil, false
			}
		}
		return list, true
	case v.Map != nil:
		members := make(map[string]any, len(*v.Map))
		for name, member := range *v.Map {
			if members[name], ok = member.tree(); !ok {
				return nil, false
			}
		}
		return members, true
	}
	return nil, false
}
