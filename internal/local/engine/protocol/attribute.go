package protocol

import (
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// attributes are an item in a request or a response.
type attributes item.Item

// UnmarshalJSON decodes an item. It returns the errors that DynamoDB returns for values that it rejects.
func (a *attributes) UnmarshalJSON(b []byte) error {
	if jsonscan.Null(b, 0) {
		return nil
	}
	*a = attributes{}
	return members(b, 0, func(name string, i int) (next int, err error) {
		(*a)[name], next, err = scanValue(b, i)
		return next, err
	})
}

// MarshalJSON encodes an item, with its attributes in sorted order.
func (a attributes) MarshalJSON() ([]byte, error) { return appendItem(nil, item.Item(a)), nil }

// value is one attribute value in a request.
type value item.Value

// UnmarshalJSON decodes a value.
func (v *value) UnmarshalJSON(b []byte) error {
	got, _, err := scanValue(b, 0)
	*v = value(got)
	return err
}

// members calls do with the name of each member of the object at i and the index of its value. do returns the
// index after it. The text is valid JSON.
func members(b []byte, i int, do func(name string, i int) (int, error)) error {
	i = jsonscan.Space(b, i)
	if !jsonscan.Is(b, i, '{') {
		return &failure{serialization, "Start of structure or map found where not expected"}
	}
	i++
	for first := true; ; first = false {
		at, more := jsonscan.Sibling(b, i, first, '}')
		if !more {
			return nil
		}
		raw, at := jsonscan.Name(b, at)
		if at == jsonscan.Invalid {
			return &failure{serialization, "Unexpected token in a map"}
		}
		name, _ := decodeText(raw)
		next, err := do(name, at)
		if err != nil {
			return err
		}
		i = next
	}
}

func decodeText(raw jsonscan.Raw) (string, bool) {
	if raw.Plain {
		return string(raw.Bytes), true
	}
	text, ok := jsonscan.Unescape(nil, raw.Bytes)
	return string(text), ok
}

// scanValue decodes the value at i, which is an object with one member.
func scanValue(b []byte, i int) (v item.Value, next int, err error) {
	found := 0
	err = members(b, i, func(typ string, at int) (int, error) {
		found++
		raw := b[at:]
		end := jsonscan.Skip(b, at)
		v, err = decodeValue(typ, raw[:end-at])
		return end, err
	})
	switch {
	case err != nil:
		return v, i, err
	case found == 0:
		return v, i, invalid(
			"Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	case found > 1:
		return v, i, invalid(
			"Supplied AttributeValue has more than one datatypes set, must contain exactly one of the " +
				"supported datatypes")
	}
	return v, jsonscan.Skip(b, jsonscan.Space(b, i)), nil
}

// decodeValue decodes the JSON of a value of a type.
func decodeValue(typ string, b []byte) (v item.Value, err error) {
	var s string
	switch typ {
	case "S", "N", "B":
		raw, _ := jsonscan.Text(b, 0)
		if raw.Bytes == nil && string(b) != `""` {
			return v, &failure{serialization, "NUMBER_VALUE cannot be converted to String"}
		}
		s, _ = decodeText(raw)
	case "BOOL":
		v.Type, v.Bool = item.Bool, string(b) == "true"
		return v, nil
	case "NULL":
		if string(b) != "true" {
			return v, invalid("One or more parameter values were invalid: Null attribute value types " +
				"must have the value of true")
		}
		v.Type = item.Null
		return v, nil
	case "L", "M", "SS", "NS", "BS":
		return decodeTree(typ, b)
	default:
		return v, invalid("Supplied AttributeValue is empty, must contain exactly one of the supported datatypes")
	}
	switch typ {
	case "N":
		v.Type = item.N
		v.S, err = number(s)
	case "B":
		v.Type = item.B
		if v.B, err = base64.StdEncoding.DecodeString(s); err != nil {
			err = &failure{serialization, "'" + s + "' can not be converted to a Blob: it is no base64"}
		}
	default:
		v.Type, v.S = item.S, s
	}
	return v, err
}

// number returns a number in the form in which it is stored.
func number(s string) (string, error) {
	if d, err := model.ParseDecimal(s); err == nil {
		return d.String(), nil
	}
	return "", numberError(s)
}

// numberError says as DynamoDB does what is wrong with a number.
func numberError(s string) error {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(strings.TrimLeft(s, "+-")), "e")
	digits := strings.Trim(strings.Replace(mantissa, ".", "", 1), "0")
	isNumber := json.Unmarshal([]byte("0"+strings.Replace(mantissa, ".", "", 1)+"e0"), new(float64)) == nil ||
		mantissa != "" && strings.Trim(mantissa, "0123456789.") == ""
	switch {
	case !isNumber || strings.Trim(exponent, "+-0123456789") != "":
		return invalid("The parameter cannot be converted to a numeric value: " + s)
	case len(digits) > 38:
		return invalid("Attempting to store more than 38 significant digits in a Number")
	case strings.HasPrefix(exponent, "-") ||
		exponent == "" && strings.HasPrefix(strings.TrimLeft(mantissa, "0"), "."):
		return invalid("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	default:
		return invalid("Number overflow. Attempting to store a number with magnitude larger than supported range")
	}
}
