package customprop_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/customprop"
)

func TestParse_IsTheInverseOfString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := customprop.Prop{Event: rapid.String().Draw(t, "event"), Name: rapid.String().Draw(t, "name"), Value: rapid.String().Draw(t, "value")}
		if got, ok := customprop.Parse(p.String()); !ok || got != p {
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
		if p, ok := customprop.Parse(text); ok {
			t.Errorf("%q is %+v, want none", text, p)
		}
	}
}
