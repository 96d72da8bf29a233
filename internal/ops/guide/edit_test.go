package guide

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"
)

const edited = `# of the house
stages:
  prod:   # the house
    account: ""       # set both
    access: iam       # or {issuer: "#"}
    "region": 'eu # x'
    sources:
      things: [DEVICE, "]"]  # all
      note: [a,
        b]
tiers: {raw: 30d}
`

func TestSet_ReplacesOneValue(t *testing.T) {
	for _, c := range []struct {
		path, value, was, want string
	}{
		{"stages.prod.account", `"123"`, `account: ""       # set both`, `account: "123"    # set both`},
		{"stages.prod.access", `{issuer: x}`, `access: iam       # or`, `access: {issuer: x} # or`},
		{"stages.prod.region", `us-east-1`, `'eu # x'`, `us-east-1`},
		{"stages.prod.sources.things", `[]`, `[DEVICE, "]"]  # all`, `[]             # all`},
		{"tiers", `{raw: 7d}`, `{raw: 30d}`, `{raw: 7d}`},
		{"stages.prod.sources.pages", `true`, "      things:", "      pages: true\n      things:"},
		{"stages.dev.removal", `destroy`, "  prod:", "  dev:\n    removal: destroy\n  prod:"},
	} {
		got, err := set([]byte(edited), c.value, strings.Split(c.path, ".")...)
		if err != nil {
			t.Errorf("%s: %v", c.path, err)
			continue
		}
		if diff := cmp.Diff(strings.Replace(edited, c.was, c.want, 1), string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.path, diff)
		}
	}
}

func TestSet_RefusesWhatIsOnSeveralLines(t *testing.T) {
	for _, path := range []string{
		"stages.prod.sources", "stages.prod.sources.note", "stages.prod.access.x", "tiers.raw",
	} {
		if got, err := set([]byte(edited), "1", strings.Split(path, ".")...); !errors.Is(err, errEdit) {
			t.Errorf("%s: %q, %v, want errEdit", path, got, err)
		}
	}
}

// What is set is read again, and everything else is what it was.
func TestSet_ChangesNothingElse(t *testing.T) {
	keys := rapid.SampledFrom([]string{"a", "b", "c"})
	scalar := rapid.SampledFrom([]string{"x", `"a # b"`, "'it''s'", "[1, {y: ']'}]", "{z: 1}", "é x"})
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		want := map[string]any{}
		for _, outer := range rapid.SliceOfNDistinct(keys, 1, 3, rapid.ID[string]).Draw(t, "outer") {
			text.WriteString(outer + ": # it\n")
			in := map[string]any{}
			for _, inner := range rapid.SliceOfNDistinct(keys, 1, 3, rapid.ID[string]).Draw(t, "inner") {
				value := scalar.Draw(t, "value")
				end := rapid.SampledFrom([]string{"", " ", "  # ]"}).Draw(t, "end")
				text.WriteString("  " + inner + ": " + value + end + "\n")
				in[inner] = parsed(t, value)
			}
			want[outer] = in
		}
		outer := keys.Draw(t, "set")
		inner := keys.Draw(t, "in")
		value := scalar.Draw(t, "to")
		got, err := set([]byte(text.String()), value, outer, inner)
		if err != nil {
			t.Fatal(err)
		}
		if want[outer] == nil {
			want[outer] = map[string]any{}
		}
		want[outer].(map[string]any)[inner] = parsed(t, value)
		if diff := cmp.Diff(any(want), parsed(t, string(got))); diff != "" {
			t.Fatalf("%s\nbecame\n%s(-want +got):\n%s", text.String(), got, diff)
		}
		if n := comments(string(got)); n != comments(text.String()) {
			t.Fatalf("%s\nlost a comment:\n%s", text.String(), got)
		}
	})
}

func parsed(t interface{ Fatal(...any) }, text string) (v any) {
	if err := yaml.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func comments(text string) int { return strings.Count(text, "# it") + strings.Count(text, "# ]") }
