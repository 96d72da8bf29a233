package protocol

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// decodeTree decodes a list, a map or a set. One that Tidemark can hold is Nested; others are kept as they
// are.
func decodeTree(typ string, b []byte) (item.Value, error) {
	canonical, tree, plain, err := canonicalTree(typ, b, 0)
	if err != nil {
		return item.Value{}, err
	}
	if plain {
		return item.Value{Type: item.Nested, S: item.NestedText(tree)}, nil
	}
	return item.Value{Type: item.Other, Opaque: engine.Typed(canonical)}, nil
}

// maxDepth is how many lists and maps may contain each other.
const maxDepth = 32

// canonicalTree returns the JSON of a value in its only form and, if plain, its tree as item.ParseNested has
// it.
func canonicalTree(typ string, b []byte, depth int) (canonical string, tree any, plain bool, err error) {
	if depth == maxDepth {
		return "", nil, false,
			invalid("Nesting Levels have exceeded supported limits: Attributes of the item has reached " +
				"the supported nesting levels of 32")
	}
	switch typ {
	case "L":
		return canonicalList(b, depth)
	case "M":
		return canonicalMap(b, depth)
	case "SS", "NS", "BS":
		canonical, err = canonicalSet(typ, b)
		return canonical, nil, false, err
	}
	v, err := decodeValue(typ, b)
	if err != nil {
		return "", nil, false, err
	}
	return string(appendValue(nil, v)), scalar(v), v.Type != item.B, nil
}

// scalar returns a value as item.ParseNested has it.
func scalar(v item.Value) any {
	switch v.Type {
	case item.S:
		return v.S
	case item.N:
		d, _ := model.ParseDecimal(v.S)
		return d
	case item.Bool:
		return v.Bool
	default:
		return nil
	}
}

// typed returns the type of a nested value, and its JSON.
func typed(b []byte) (typ string, inner json.RawMessage, err error) {
	var one map[string]json.RawMessage
	if json.Unmarshal(b, &one) != nil || len(one) != 1 {
		return "", nil, invalid(
			"Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	}
	for typ, inner = range one {
	}
	return typ, inner, nil
}

func canonicalList(b []byte, depth int) (_ string, _ any, plain bool, err error) {
	var elements []json.RawMessage
	if err := json.Unmarshal(b, &elements); err != nil {
		return "", nil, false, &failure{serialization, "a list is no array"}
	}
	texts, tree := make([]string, len(elements)), make([]any, len(elements))
	plain = true
	for i, element := range elements {
		typ, inner, err := typed(element)
		if err != nil {
			return "", nil, false, err
		}
		var one bool
		if texts[i], tree[i], one, err = canonicalTree(typ, inner, depth+1); err != nil {
			return "", nil, false, err
		}
		plain = plain && one
	}
	return `{"L":[` + strings.Join(texts, ",") + `]}`, tree, plain, nil
}

func canonicalMap(b []byte, depth int) (_ string, _ any, plain bool, err error) {
	var elements map[string]json.RawMessage
	if err := json.Unmarshal(b, &elements); err != nil {
		return "", nil, false, &failure{serialization, "a map is no object"}
	}
	texts, tree := make([]string, 0, len(elements)), map[string]any{}
	plain = true
	for _, name := range slices.Sorted(maps.Keys(elements)) {
		typ, inner, err := typed(elements[name])
		if err != nil {
			return "", nil, false, err
		}
		text, member, one, err := canonicalTree(typ, inner, depth+1)
		if err != nil {
			return "", nil, false, err
		}
		plain, tree[name] = plain && one && name != "", member
		texts = append(texts, string(appendQuoted(nil, name))+":"+text)
	}
	return `{"M":{` + strings.Join(texts, ",") + `}}`, tree, plain, nil
}

func canonicalSet(typ string, b []byte) (string, error) {
	var elements []string
	if err := json.Unmarshal(b, &elements); err != nil {
		return "", &failure{serialization, "a set is no array of strings"}
	}
	if len(elements) == 0 {
		empty := map[string]string{"SS": "An string set  may not be empty",
			"NS": "An number set  may not be empty", "BS": "Binary sets should not be empty"}[typ]
		return "", invalid("One or more parameter values were invalid: " + empty)
	}
	for i, e := range elements {
		if typ != "NS" {
			continue
		}
		n, err := number(e)
		if err != nil {
			return "", err
		}
		elements[i] = n
	}
	slices.Sort(elements)
	if len(slices.Compact(slices.Clone(elements))) != len(elements) {
		return "", invalid(fmt.Sprintf(
			"One or more parameter values were invalid: Input collection [%s] contains duplicates.",
			strings.Join(elements, ", ")))
	}
	quoted := make([]string, len(elements))
	for i, e := range elements {
		quoted[i] = string(appendQuoted(nil, e))
	}
	return `{"` + typ + `":[` + strings.Join(quoted, ",") + `]}`, nil
}
