package item

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// maxDepth is the number of lists and maps that may contain each other, as DynamoDB allows.
const maxDepth = 31

// ErrNotNested reports that text is not a list or a map that can be stored.
var ErrNotNested = errors.New("is not a list or a map that can be stored")

// ParseNested parses a list or a map in JSON: a []any or a map[string]any of such, of string,
// bool, nil and model.Decimal. The error wraps ErrNotNested and says what is wrong.
func ParseNested(text string) (tree any, err error) {
	if err = json.Unmarshal([]byte(text), new(json.RawMessage)); err == nil {
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		tree, err = parseTree(d, 0)
	}
	switch tree.(type) {
	case []any, map[string]any:
		return tree, nil
	}
	if err == nil {
		return nil, ErrNotNested
	}
	return nil, fmt.Errorf("%w: %w", ErrNotNested, err)
}

// NestedText returns a tree in its only JSON form: sorted names, exact decimals, no space.
func NestedText(tree any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(tree) // plain data in memory: cannot fail
	return strings.TrimSuffix(b.String(), "\n")
}

// parseTree parses the next value of JSON that is valid.
func parseTree(d *json.Decoder, depth int) (any, error) {
	token, err := d.Token()
	switch t := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return nil, fmt.Errorf("more than %d lists and maps in each other: send fewer levels", maxDepth)
		}
		return parseMembers(d, depth, t == '[')
	case json.Number:
		return model.ParseDecimal(t.String())
	}
	return token, err
}

func parseMembers(d *json.Decoder, depth int, isList bool) (any, error) {
	list, members := []any{}, map[string]any{}
	for d.More() {
		var name string
		if !isList {
			token, _ := d.Token()
			name, _ = token.(string)
			if _, twice := members[name]; twice || name == "" {
				return nil, fmt.Errorf("the name %.64q is empty or appears twice: give each member one name", name)
			}
		}
		value, err := parseTree(d, depth+1)
		if err != nil {
			return nil, err
		}
		list, members[name] = append(list, value), value
	}
	_, err := d.Token()
	if isList {
		return list, err
	}
	return members, err
}
