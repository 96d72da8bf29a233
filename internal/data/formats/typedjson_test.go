package formats

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The pages of both databases write values so; typedjson.go names them.
func TestWithoutTypes_ReadsTheJSONOfDatabases(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ sent, want string }{
		{`{"Item":{"a":{"S":"x"},"n":{"N":"-1.50"},"b":{"BOOL":false},"z":{"NULL":true}}}`,
			`{"a":"x","n":-1.50,"b":false,"z":null}`},
		{`{"m":{"M":{"x":{"N":"1"},"y":{"L":[{"S":"N"},{"N":"2"}]}}}}`, `{"m":{"x":1,"y":["N",2]}}`},
		{`{"s":{"SS":["a","b"]},"n":{"NS":["1","2.5"]},"raw":{"B":"AAE="}}`,
			`{"s":["a","b"],"n":[1,2.5],"raw":"AAE="}`},
		{`{"a": {"N": "1"} , "b c" : {"S":"q\"uo\\te"}}`, `{"a":1,"b c":"q\"uo\\te"}`},
		{`{"_id":{"$oid":"65"},"t":{"$date":"2026-11-01T10:00:00Z"},"x":1.50}`,
			`{"_id":"65","t":"2026-11-01T10:00:00Z","x":1.50}`},
		{`{"n":{"N":"true"},"x":{"N":""}}`, `{"n":"true","x":""}`},
		{`{"t":{"$date":{"$numberLong":"1793527200000"}},"n":{"$numberInt":"5"}}`, `{"t":1793527200000,"n":5}`},
		{`{"d":{"$numberDecimal":"21.50"},"x":{"$numberDouble":"NaN"},"p":{"q":[{"$numberInt":"1"}]}}`,
			`{"d":21.50,"x":"NaN","p":{"q":[1]}}`},
	} {
		if got := string(withoutTypes([]byte(c.sent))); got != c.want {
			t.Errorf("%s\n was read as %s\n want        %s", c.sent, got, c.want)
		}
	}
}

// Objects that only look so stay as they are, byte by byte.
func TestWithoutTypes_LeavesOtherObjects(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{
		``, `{}`, `[]`, `null`, `{"Item":5}`, `{"Item":{}}`, `{"wind":{"N":3}}`, `{"a":{"S":"x"},"b":1}`,
		`{"a":{"N":"1","S":"x"}}`, `{"a":{"N":"1"}`, `{"cost":"$5"}`, `{"a":{"BOOL":"x"}}`,
		`{ "a" : { "N" : 1 } }`,
		`{"a":"$5"`, `{"a":{"$date":1}`, `["$x"]`, `"$x"`, `{"a":{"S":"x"},}`, `[{"a":{"S":"x"}}]`,
		`[{"a":{"$date":1}}]`,
	} {
		if got := string(withoutTypes([]byte(sent))); got != sent {
			t.Errorf("%s was read as %s", sent, got)
		}
	}
	name := rapid.SampledFrom([]string{"S", "N", "M", "L", "Item", "BOOL", "a", "oid", ""})
	var value *rapid.Generator[string]
	object := rapid.Custom(func(t *rapid.T) string {
		var members []string
		for range rapid.IntRange(0, 3).Draw(t, "members") {
			members = append(members, fmt.Sprintf("%q: %s", name.Draw(t, "name"), value.Draw(t, "value")))
		}
		return "{" + strings.Join(members, ", ") + "}"
	})
	value = rapid.OneOf(rapid.SampledFrom([]string{"1", "null", `"x"`, "true", "[]", "{}"}),
		rapid.Deferred(func() *rapid.Generator[string] { return object }))
	rapid.Check(t, func(r *rapid.T) {
		sent := object.Draw(r, "object")
		got := withoutTypes([]byte(sent))
		if !json.Valid(got) {
			r.Fatalf("%s became %s", sent, got)
		}
		isTyped := isItem([]byte(sent)) || strings.HasPrefix(sent, `{"Item": `)
		if !isTyped && string(got) != sent {
			r.Fatalf("%s became %s", sent, got)
		}
	})
}
