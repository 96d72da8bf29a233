package customprop_test

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/customprop"
)

func TestParse_IsTheInverseOfString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := customprop.Prop{Event: rapid.String().Draw(t, "event"), Name: rapid.String().Draw(t, "name"), Value: rapid.String().Draw(t, "value")}
		if got, ok := parse(p.String()); !ok || got != p {
			t.Fatalf("%q is %+v, %v; want %+v", p, got, ok, p)
		}
	})
}

func TestString_IsReadable(t *testing.T) {
	for want, p := range map[string]customprop.Prop{
		"Sign up?plan=pro":   {Event: "Sign up", Name: "plan", Value: "pro"},
		"a%3Db?c%3F=d?e=f%g": {Event: "a=b", Name: "c?", Value: "d?e=f%g"},
	} {
		if p.String() != want {
			t.Errorf("%+v is %q, want %q", p, p, want)
		}
	}
}

func TestParse_RejectsOtherTexts(t *testing.T) {
	for _, text := range []string{"", "plan", "plan=pro", "Sign up?plan", "a%zz?b=c", "a?b%zz=c"} {
		if p, ok := parse(text); ok {
			t.Errorf("%q is %+v, want none", text, p)
		}
	}
}

// parse reads the text of a property. ok is false if it is none.
func parse(text string) (p customprop.Prop, ok bool) {
	names, value, hasValue := strings.Cut(text, "=")
	event, name, hasName := strings.Cut(names, "?")
	if !hasValue || !hasName {
		return p, false
	}
	event, errEvent := url.PathUnescape(event)
	name, errName := url.PathUnescape(name)
	return customprop.Prop{Event: event, Name: name, Value: value}, errEvent == nil && errName == nil
}
