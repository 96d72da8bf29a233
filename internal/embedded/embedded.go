// Package embedded decodes the tables that are embedded in the program as JSON.
package embedded

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// JSON decodes an embedded file. It panics if the file does not fit T or has an unknown field, which
// is a mistake in the program that the tests find.
func JSON[T any](text []byte) (v T) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&v); err != nil {
		panic(fmt.Sprintf("decode an embedded file as %T: %v", v, err))
	}
	return v
}
