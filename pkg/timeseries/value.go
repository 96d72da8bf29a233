package timeseries

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// form is the conversion between a Go type and a stored value.
type form uint8

const (
	noForm form = iota
	decimalForm
	floatForm
	intForm
	uintForm
	textForm
	boolForm
	timeForm
	nestedForm    // lists and maps, in profiles
	marshaledForm // text, by MarshalText
)

func (f form) number() bool { return f >= decimalForm && f <= uintForm }

var kindForms = map[reflect.Kind]form{
	reflect.Float32: floatForm, reflect.Float64: floatForm,
	reflect.Int: intForm, reflect.Int8: intForm, reflect.Int16: intForm, reflect.Int32: intForm,
	reflect.Int64: intForm, reflect.Uint: uintForm, reflect.Uint8: uintForm, reflect.Uint16: uintForm,
	reflect.Uint32: uintForm, reflect.Uint64: uintForm, reflect.String: textForm, reflect.Bool: boolForm,
}

// formFor returns the form of a type or of what it points to.
func formFor(t reflect.Type) form {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case decimalType:
		return decimalForm
	case timeType:
		return timeForm
	case reflect.TypeFor[model.Time]():
		return noForm // time.Time is the one type of times
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Map, reflect.Struct, reflect.Array:
		return structuredForm(t)
	}
	if isMarshaled(t) {
		return marshaledForm
	}
	return kindForms[t.Kind()]
}

// encode returns the stored value of a Go field in a form. ok is false if it is absent: a nil pointer, slice
// or map, an empty string or a zero time. A pointer to one of the latter two is present.
func encode(v reflect.Value, form form) (value model.Value, ok bool, err error) {
	pointed := v.Kind() == reflect.Pointer
	if pointed {
		if v.IsNil() {
			return model.Value{}, false, nil
		}
		v = v.Elem()
	}
	switch form {
	case decimalForm:
		return model.NumberValue(v.Interface().(model.Decimal)), true, nil
	case floatForm:
		value, err = encodeFloat(v.Float(), v.Type().Bits())
		return value, true, err
	case intForm:
		return model.NumberValue(model.NewDecimal(v.Int())), true, nil
	case uintForm:
		d, err := model.ParseDecimal(strconv.FormatUint(v.Uint(), 10))
		return model.NumberValue(d), true, err
	case boolForm:
		return model.BoolValue(v.Bool()), true, nil
	case timeForm:
		at := v.Interface().(time.Time).UTC()
		if at.Year() < 0 || at.Year() > lastYear {
			err = fmt.Errorf("%w, and is %d: leave the field out for no time", errYear, at.Year())
		}
		return model.TextValue(at.Format(fieldTimeLayout)), pointed || !at.IsZero(), err
	case marshaledForm:
		value, err = encodeMarshaled(v)
		return value, pointed || value.Text != "", err
	case nestedForm:
		value, err = encodeNested(v)
		return value, value.Text != "null", err
	default:
		return model.TextValue(v.String()), pointed || v.Len() > 0, nil
	}
}

// encodeNested returns a list or a map as encoding/json writes it, which is null if it is nil.
// Text that is not UTF-8 is an error: encoding/json would replace it.
func encodeNested(v reflect.Value) (model.Value, error) {
	text, err := json.Marshal(v.Interface())
	if err == nil && strings.Contains(strings.ReplaceAll(string(text), `\\`, ""), `\ufffd`) {
		err = errors.New("contains bytes that are not UTF-8: encode it as UTF-8")
	}
	return model.Value{Kind: model.Nested, Text: string(text)}, err
}

// encodeFloat returns the number with the shortest decimal text for f. NaN and infinities are
// stored as text, as when a device sends them.
func encodeFloat(f float64, bits int) (model.Value, error) {
	text := strconv.FormatFloat(f, 'g', -1, bits)
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return model.TextValue(text), nil
	}
	d, err := model.ParseDecimal(text)
	return model.NumberValue(d), err
}

// Errors of reading a stored value into a Go field.
var (
	errForm  = errors.New("the stored value has another type: use a pointer, or a type that can hold the value")
	errRange = errors.New("the stored number does not fit the Go type: use model.Decimal")
)

// decode sets a Go field to a stored value. Null, and text in place of a number (a measure that could not be
// parsed), become nil in a pointer and NaN in a float. Other types return an error.
func decode(value model.Value, v reflect.Value, form form) error {
	if v.Kind() == reflect.Pointer {
		target := reflect.New(v.Type().Elem())
		if value.Kind == model.Null || form.number() && value.Kind != model.Number {
			return nil
		}
		v.Set(target)
		v = target.Elem()
	}
	if form == marshaledForm && value.Kind == model.Number { // as releases before stored a named number
		form = kindForms[v.Kind()]
	}
	if form.number() {
		return decodeNumber(value, form, v)
	}
	switch {
	case value.Kind == model.Null:
		return nil
	case form == boolForm && value.Kind == model.Bool:
		v.SetBool(value.Bool)
	case form == textForm && value.Kind == model.Text:
		v.SetString(value.Text)
	case form == timeForm && value.Kind == model.Text:
		at, err := time.Parse(time.RFC3339Nano, value.Text)
		if err != nil {
			return errForm
		}
		v.Set(reflect.ValueOf(at))
	case form == marshaledForm && value.Kind == model.Text:
		if v.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(value.Text)) != nil {
			return errForm
		}
	case form == nestedForm && value.Kind == model.Nested:
		if json.Unmarshal([]byte(value.Text), v.Addr().Interface()) != nil {
			return errForm
		}
	default:
		return errForm
	}
	return nil
}

func decodeNumber(value model.Value, form form, v reflect.Value) error {
	if value.Kind != model.Number {
		if form != floatForm {
			return errForm
		}
		v.SetFloat(math.NaN())
		return nil
	}
	text := value.Number.String()
	switch form {
	case decimalForm:
		v.Set(reflect.ValueOf(value.Number))
	case floatForm:
		f := value.Number.Float64()
		if v.OverflowFloat(f) {
			return errRange
		}
		v.SetFloat(f)
	case intForm:
		n, err := strconv.ParseInt(text, 10, v.Type().Bits())
		if err != nil {
			return errRange
		}
		v.SetInt(n)
	default:
		n, err := strconv.ParseUint(text, 10, v.Type().Bits())
		if err != nil {
			return errRange
		}
		v.SetUint(n)
	}
	return nil
}
