package item

import (
	"slices"
	"strconv"

	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Number returns the stored form of a whole number.
func Number(n int64) Value { return Value{Type: N, S: strconv.FormatInt(n, 10)} }

func stringValue(s string) Value   { return Value{Type: S, S: s} }
func boolValue(b bool) Value       { return Value{Type: Bool, Bool: b} }
func timeValue(t model.Time) Value { return stringValue(t.String()) }

// bytesValue returns the stored form of b. An item shares no memory with its entity.
func bytesValue(b []byte) Value { return Value{Type: B, B: slices.Clone(b)} }

// FromValue returns the stored form of a field's value.
func FromValue(v model.Value) Value {
	switch v.Kind {
	case model.Number:
		return Value{Type: N, S: v.Number.String()}
	case model.Text:
		return stringValue(v.Text)
	case model.Bool:
		return boolValue(v.Bool)
	case model.Nested:
		return Value{Type: Nested, S: v.Text}
	default:
		return Value{Type: Null}
	}
}

// ToValue is the inverse of FromValue for fields of events. ok is false for a type that these
// cannot have, and for a number that a model.Decimal cannot hold.
func ToValue(v Value) (_ model.Value, ok bool) {
	switch v.Type {
	case N:
		d, err := model.ParseDecimal(v.S)
		return model.NumberValue(d), err == nil
	case S:
		return model.TextValue(v.S), true
	case Bool:
		return model.BoolValue(v.Bool), true
	case Null:
		return model.Value{}, true
	default:
		return model.Value{}, false
	}
}

// setAttrs sets fields in addition to our own attributes. Fields with reserved names are skipped:
// validation rejects them, and they must never overwrite a key.
func (it Item) setAttrs(attrs model.Attrs) {
	for _, a := range attrs {
		if !keys.Reserved(a.Name) {
			it[a.Name] = FromValue(a.Value)
		}
	}
}

// attrs returns the fields of the item, sorted. complete is false if some could not be decoded
// and are left out.
func (it Item) attrs() (attrs model.Attrs, complete bool) {
	complete = true
	for name, stored := range it {
		if keys.Reserved(name) {
			continue
		}
		v, ok := ToValue(stored)
		if !ok {
			complete = false
			continue
		}
		attrs = append(attrs, model.Attr{Name: name, Value: v})
	}
	attrs.Sort()
	return attrs, complete
}
