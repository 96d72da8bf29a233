package plausible

import (
	"bytes"
	"encoding/json"
	"strings"
)

// This file refuses JSON of which package json would take one part and drop another without an error.

// strict returns an error for a member that occurs twice, of which the last one would count, and for null in
// a list, which would be a blank text. The text is JSON.
func strict(text []byte) error {
	if n := depth(text); n > maxDepth {
		return refuse("%d brackets are nested, at most %d: nest fewer filters", n, maxDepth)
	}
	return strictValue(json.NewDecoder(bytes.NewReader(text)), false)
}

func strictValue(d *json.Decoder, listed bool) error {
	token, err := d.Token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		return strictParts(d, func() error { return strictValue(d, true) })
	case json.Delim('{'):
		seen := map[string]bool{}
		return strictParts(d, func() error {
			name, err := d.Token()
			if err != nil {
				return err
			}
			text, _ := name.(string)
			folded := strings.ToLower(text) // package json takes Filters for filters
			if seen[folded] {
				return refuse("member %.64q is repeated: send it once", text)
			}
			seen[folded] = true
			return strictValue(d, listed)
		})
	case nil:
		if listed {
			return refuse("a list has null: leave it out")
		}
	}
	return nil
}

// strictParts reads the parts of a list or an object, and its end.
func strictParts(d *json.Decoder, part func() error) error {
	for d.More() {
		if err := part(); err != nil {
			return err
		}
	}
	_, err := d.Token()
	return err
}
