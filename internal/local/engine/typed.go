package engine

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// Typed is the Opaque of a value whose type Tidemark does not use, such as a set: its JSON in DynamoDB's
// protocol, in the one form that equal values have.
type Typed string

// Size returns the bytes of the value as DynamoDB counts them: the sum of its elements, and for a list or a
// map three in addition and one for each element.
func (t Typed) Size() int { return typedSize([]byte(t)) }

func typedSize(text []byte) (size int) {
	var v struct {
		S, N, B    string
		SS, NS, BS []string
		L          []json.RawMessage
		M          map[string]json.RawMessage
	}
	if json.Unmarshal(text, &v) != nil {
		return len(text)
	}
	for _, s := range append(v.SS, v.S) {
		size += len(s)
	}
	for _, n := range append(v.NS, v.N) {
		size += (len(n) + 1) / 2
	}
	for _, b := range append(v.BS, v.B) {
		size += base64.RawStdEncoding.DecodedLen(len(strings.TrimRight(b, "=")))
	}
	for _, element := range v.L {
		size += 1 + typedSize(element)
	}
	for name, element := range v.M {
		size += 1 + len(name) + typedSize(element)
	}
	if v.L != nil || v.M != nil {
		size += 3
	}
	return max(1, size)
}
