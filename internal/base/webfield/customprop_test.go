package webfield_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/internal/base/webfield"
)

func TestParseProp_IsTheInverseOfString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := webfield.Prop{Event: rapid.String().Draw(t, "event"), Name: rapid.String().Draw(t, "name"),
			Value: rapid.String().Draw(t, "value")}
		if got, ok := webfield.ParseProp(p.String()); !ok || got != p {
			t.Fatalf("%q is %+v, %v; want %+v", p, got, ok, p)
		}
	})
}

func TestString_IsReadable(t *testing.T) {
	for want, p := range map[string]webfield.Prop{
		"Sign up?plan=pro":   {Event: "Sign up", Name: "plan", Value: "pro"},
		"a%3Db?c%3F=d?e=f%g": {Event: "a=b", Name: "c?", Value: "d?e=f%g"},
	} {
		if p.String() != want {
			t.Errorf("%+v is %q, want %q", p, p, want)
		}
	}
}

func TestParseProp_RejectsOtherTexts(t *testing.T) {
	for _, text := range []string{"", "plan", "plan=pro", "Sign up?plan", "a%zz?b=c", "a?b%zz=c"} {
		if p, ok := webfield.ParseProp(text); ok {
			t.Errorf("%q is %+v, want none", text, p)
		}
	}
}
