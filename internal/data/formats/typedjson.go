package formats

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/tidemark-db/tidemark/internal/store/jsonscan"
)

// Two databases write JSON in which each value says its type: DynamoDB, as exports to S3 and the AWS CLI have
// it, {"n": {"N": "1.50"}}, and MongoDB, in Extended JSON, {"n": {"$numberDouble": "1.5"}}.
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.LowLevelAPI.html
// https://github.com/mongodb/specifications/blob/master/source/extended-json/extended-json.md

// withoutTypes returns an object of either database with plain values, and any other text as it is. Only an
// object of which each member has a type is DynamoDB's: {"wind": {"N": 3}} is not.
func withoutTypes(text []byte) []byte {
	isMongo := bytes.Contains(text, []byte(`"$`))
	isObject := jsonscan.Is(text, jsonscan.Space(text, 0), '{')
	if !isObject || !isMongo && !beginsNested(text) || !json.Valid(text) {
		return text
	}
	item := text
	if name, inner, ok := onlyMember(text); ok && name == "Item" {
		item = inner
	}
	switch {
	case isItem(item):
		return withValues(item, dynamoValue)
	case isMongo:
		return withValues(text, mongoValue)
	}
	return text
}

// beginsNested reports whether the first member of an object is one, also in text that is not valid JSON.
func beginsNested(object []byte) bool {
	at, more := jsonscan.Sibling(object, jsonscan.Space(object, 0)+1, true, '}')
	if !more {
		return false
	}
	_, value := jsonscan.Name(object, at)
	return jsonscan.Is(object, value, '{')
}

// eachMember calls visit for the members of a value, which is valid JSON, until it returns false. A value
// that is no object has none.
func eachMember(object []byte, visit func(name, value []byte) bool) {
	begin := jsonscan.Space(object, 0)
	if !jsonscan.Is(object, begin, '{') {
		return
	}
	at, more := jsonscan.Sibling(object, begin+1, true, '}')
	for more {
		_, value := jsonscan.Name(object, at)
		end := jsonscan.Skip(object, value)
		name := bytes.TrimRight(object[at:value], ": \t\r\n")
		if !visit(name, object[value:end]) {
			return
		}
		at, more = jsonscan.Sibling(object, end, false, '}')
	}
}

// onlyMember returns the name and the value of the only member of an object.
func onlyMember(object []byte) (name string, value []byte, ok bool) {
	n := 0
	eachMember(object, func(quoted, v []byte) bool {
		n++
		name, value = string(bytes.Trim(quoted, `"`)), v
		return n < 2
	})
	return name, value, n == 1
}

// withValues returns an object with other values.
func withValues(object []byte, value func([]byte) []byte) []byte {
	out := []byte("{")
	eachMember(object, func(name, v []byte) bool {
		out = append(append(append(append(out, name...), ':'), value(v)...), ',')
		return true
	})
	return append(bytes.TrimSuffix(out, []byte(",")), '}')
}

// mapElements returns a list with other elements.
func mapElements(list []byte, value func([]byte) []byte) []byte {
	var elements []json.RawMessage
	if json.Unmarshal(list, &elements) != nil {
		return list
	}
	for i, e := range elements {
		elements[i] = value(e)
	}
	out, err := json.Marshal(elements)
	if err != nil {
		return list
	}
	return out
}

// isItem reports whether each member of an object is a value as DynamoDB writes it, and there is one.
func isItem(object []byte) bool {
	n, typed := 0, true
	eachMember(object, func(_, value []byte) bool {
		n++
		kind, v, ok := onlyMember(value)
		typed = ok && dynamoBegins[kind] != "" && bytes.ContainsAny(v[:1], dynamoBegins[kind])
		return typed
	})
	return n > 0 && typed
}

// dynamoBegins are the types of DynamoDB, and how a value of each begins.
var dynamoBegins = map[string]string{
	"S": `"`, "N": `"`, "B": `"`, "BOOL": "tf", "NULL": "t", "M": "{",
	"L": "[", "SS": "[", "NS": "[", "BS": "[",
}

func dynamoValue(value []byte) []byte {
	switch kind, v, _ := onlyMember(value); kind {
	case "N":
		return numberIn(v)
	case "NULL":
		return []byte("null")
	case "M":
		return withValues(v, dynamoValue)
	case "L":
		return mapElements(v, dynamoValue)
	case "NS":
		return mapElements(v, numberIn)
	case "S", "B", "BOOL", "SS", "BS":
		return v
	}
	return value
}

func mongoValue(value []byte) []byte {
	switch kind, v, _ := onlyMember(value); {
	case value[0] == '[':
		return mapElements(value, mongoValue)
	case value[0] != '{':
		return value
	case strings.HasPrefix(kind, "$number"): // Int, Long, Double, Decimal
		return numberIn(v)
	case kind == "$date":
		return mongoValue(v)
	case kind == "$oid", kind == "$uuid", kind == "$symbol":
		return v
	}
	return withValues(value, mongoValue)
}

// numberIn returns the number in a text, and the text itself of one that JSON has no number for, such as NaN.
func numberIn(text []byte) []byte {
	inner := bytes.Trim(text, `"`)
	if json.Valid(inner) && bytes.ContainsAny(inner[:1], "-0123456789") {
		return inner
	}
	return text
}
