package collector

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
)

// whole is a whole number, also of one with decimals, or in a text.
type whole int64

// UnmarshalJSON implements json.Unmarshaler.
func (w *whole) UnmarshalJSON(sent []byte) error {
	text := string(unquoted(sent))
	n, err := strconv.ParseFloat(text, 64)
	if text == "null" {
		return nil
	}
	if err != nil || math.Abs(n) >= 1<<53 {
		return &json.UnmarshalTypeError{Value: "the value " + text, Type: reflect.TypeFor[whole]()}
	}
	*w = whole(math.Round(n))
	return nil
}

// known is a whole number of which 0 is not the same as none.
type known struct {
	n    whole
	sent bool
}

// UnmarshalJSON implements json.Unmarshaler.
func (k *known) UnmarshalJSON(text []byte) error {
	err := k.n.UnmarshalJSON(text)
	k.sent = err == nil
	return err
}

// label is a text, also of a number: pages send 404 as the name of an event.
type label string

// UnmarshalJSON implements json.Unmarshaler.
func (l *label) UnmarshalJSON(sent []byte) error {
	var number json.Number
	if sent[0] != '"' && json.Unmarshal(sent, &number) == nil {
		*l = label(number)
		return nil
	}
	return json.Unmarshal(sent, (*string)(l))
}
