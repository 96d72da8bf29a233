package dynamo

import (
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// attributes returns an item in the SDK's form. It leaves out values of type Other that no table
// has read, which have no such form; storable rejects them where it matters.
func attributes(it item.Item) map[string]types.AttributeValue {
	out := make(map[string]types.AttributeValue, len(it))
	for name, v := range it {
		if a := attribute(v); a != nil {
			out[name] = a
		}
	}
	return out
}

func attribute(v item.Value) types.AttributeValue {
	switch v.Type {
	case item.S:
		return &types.AttributeValueMemberS{Value: v.S}
	case item.N:
		return &types.AttributeValueMemberN{Value: v.S}
	case item.B:
		return &types.AttributeValueMemberB{Value: v.B}
	case item.Bool:
		return &types.AttributeValueMemberBOOL{Value: v.Bool}
	case item.Null:
		return &types.AttributeValueMemberNULL{Value: true}
	case item.Nested:
		if tree, err := item.ParseNested(v.S); err == nil {
			return nested(tree)
		}
		return nil
	default:
		asRead, _ := v.Opaque.(types.AttributeValue)
		return asRead
	}
}

// storable rejects an item with a value that a write would lose.
func storable(it item.Item) error {
	for name, v := range it {
		if attribute(v) == nil {
			return fmt.Errorf("attribute %q has a type that Tidemark does not store: remove it, "+
				"or write the item with another tool", name)
		}
	}
	return nil
}

// decodeItem returns an item from the SDK's form; nil if it has no attributes.
func decodeItem(attributes map[string]types.AttributeValue) item.Item {
	if len(attributes) == 0 {
		return nil
	}
	out := make(item.Item, len(attributes))
	for name, a := range attributes {
		out[name] = decodeValue(a)
	}
	return out
}

func decodeItems(list []map[string]types.AttributeValue) []item.Item {
	return lists.Map(list, decodeItem)
}

func decodeValue(a types.AttributeValue) item.Value {
	switch a := a.(type) {
	case *types.AttributeValueMemberS:
		return item.Value{Type: item.S, S: a.Value}
	case *types.AttributeValueMemberN:
		return item.Value{Type: item.N, S: a.Value}
	case *types.AttributeValueMemberB:
		return item.Value{Type: item.B, B: a.Value}
	case *types.AttributeValueMemberBOOL:
		return item.Value{Type: item.Bool, Bool: a.Value}
	case *types.AttributeValueMemberNULL:
		return item.Value{Type: item.Null}
	case *types.AttributeValueMemberL, *types.AttributeValueMemberM:
		if tree, ok := newTree(a); ok {
			return item.Value{Type: item.Nested, S: item.NestedText(tree)}
		}
	}
	return item.Value{Type: item.Other, Opaque: a}
}

// primary returns a key in the SDK's form.
func primary(k keys.Key) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{keys.AttrPK: text(k.PK), keys.AttrSK: text(k.SK)}
}

func text(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
