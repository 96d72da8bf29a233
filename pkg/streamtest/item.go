package streamtest

import (
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

// Item is an item by attribute name. Values are string, []byte, bool, nil, json.Number or any
// integer or float. Tables return every number as json.Number, and no lists or maps.
type Item map[string]any

func (it Item) encode() (item.Item, error) {
	if it == nil {
		return nil, nil
	}
	out := item.Item{}
	for name, v := range it {
		switch v := v.(type) {
		case string:
			out[name] = item.Value{Type: item.S, S: v}
		case []byte:
			out[name] = item.Value{Type: item.B, B: v}
		case bool:
			out[name] = item.Value{Type: item.Bool, Bool: v}
		case nil:
			out[name] = item.Value{Type: item.Null}
		case json.Number, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64, float32, float64:
			out[name] = item.Value{Type: item.N, S: fmt.Sprint(v)}
		default:
			return nil, fmt.Errorf("attribute %s has type %T: use a string, []byte, bool, nil or a number", name, v)
		}
	}
	return out, nil
}

func decode(it item.Item) Item {
	if it == nil {
		return nil
	}
	out := Item{}
	for name, v := range it {
		switch v.Type {
		case item.S:
			out[name] = v.S
		case item.N:
			out[name] = json.Number(v.S)
		case item.B:
			out[name] = v.B
		case item.Bool:
			out[name] = v.Bool
		default:
			out[name] = nil
		}
	}
	return out
}

func decodeAll(items []item.Item) []Item { return lists.Map(items, decode) }
