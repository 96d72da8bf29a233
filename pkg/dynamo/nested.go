package dynamo

import (
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// nested returns a tree of item.ParseNested in the SDK's form.
func nested(tree any) types.AttributeValue {
	switch t := tree.(type) {
	case []any:
		return &types.AttributeValueMemberL{Value: lists.Map(t, nested)}
	case map[string]any:
		members := make(map[string]types.AttributeValue, len(t))
		for name, member := range t {
			members[name] = nested(member)
		}
		return &types.AttributeValueMemberM{Value: members}
	case model.Decimal:
		return &types.AttributeValueMemberN{Value: t.String()}
	case string:
		return text(t)
	case bool:
		return &types.AttributeValueMemberBOOL{Value: t}
	default:
		return &types.AttributeValueMemberNULL{Value: true}
	}
}

// newTree is the inverse of nested. ok is false if a contains bytes or sets.
func newTree(a types.AttributeValue) (tree any, ok bool) {
	switch a := a.(type) {
	case *types.AttributeValueMemberL:
		list := make([]any, len(a.Value))
		for i, element := range a.Value {
			if list[i], ok = newTree(element); !ok {
				return nil, false
			}
		}
		return list, true
	case *types.AttributeValueMemberM:
		members := make(map[string]any, len(a.Value))
		for name, member := range a.Value {
			if members[name], ok = newTree(member); !ok {
				return nil, false
			}
		}
		return members, true
	}
	v, ok := item.ToValue(decodeValue(a))
	return map[model.ValueKind]any{model.Number: v.Number, model.Text: v.Text, model.Bool: v.Bool}[v.Kind], ok
}
