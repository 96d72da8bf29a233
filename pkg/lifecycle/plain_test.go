package lifecycle_test

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// plain is a life as anybody would write it down: no table, no transaction, no faults.
type plain struct {
	state   string // "", standing, deleted
	fields  map[string]string
	version int64
	kept    []string // what each version came of
	until   model.Time
}

func clash(a, b map[string]string) bool {
	email := a["email"] != "" && strings.EqualFold(a["email"], b["email"])
	name := a["first"] != "" && a["last"] != "" && a["first"] == b["first"] && a["last"] == b["last"]
	return email || name
}

func mapOf(attrs model.Attrs) map[string]string {
	out := map[string]string{}
	for _, a := range attrs {
		if a.Value.Text != "" {
			out[a.Name] = a.Value.Text
		}
	}
	return out
}

func merged(old, patch map[string]string) map[string]string {
	out := map[string]string{}
	for k, v := range old {
		out[k] = v
	}
	for k, v := range patch {
		out[k] = v
		if v == "" {
			delete(out, k)
		}
	}
	return out
}

func attrsOf(fields map[string]string) (attrs model.Attrs) {
	for k, v := range fields {
		value := model.Value{}
		if v != "" {
			value = model.TextValue(v)
		}
		attrs = append(attrs, model.Attr{Name: k, Value: value})
	}
	attrs.Sort()
	return attrs
}

func someFields(t *rapid.T) map[string]string {
	out := map[string]string{}
	for _, f := range [][]string{
		{"email", "-", "", "x@acme", "X@Acme", "y@acme"}, {"first", "-", "", "Ann"}, {"last", "-", "", "Lee", "Ray"},
		{"status", "-", "", "active", "away"}, {"team", "-", "red", "blue"},
	} {
		if v := rapid.SampledFrom(f[1:]).Draw(t, f[0]); v != "-" {
			out[f[0]] = v
		}
	}
	return out
}

// done notes a change that was made.
func (p *plain) done(what string) {
	p.version++
	p.kept = append(p.kept, what)
}

// dead reports whether the life was deleted so long ago that it has expired.
func (m *machine) dead(p *plain) bool { return p.state == "deleted" && p.until <= m.now }

// wantVerdict compares; where it was asked again, what is said of a thing done already
// will do too.
func wantVerdict(t *rapid.T, got, want lifecycle.Verdict, again bool, already ...lifecycle.Verdict) {
	if got != want && !(again && slices.Contains(already, got)) {
		t.Fatalf("verdict %s, want %s (asked again: %v)", got, want, again)
	}
}

func wantSame(t *rapid.T, what string, got *model.Profile, life *plain, want bool) {
	if (got != nil) != want {
		t.Fatalf("%s is %+v, want one: %v", what, got, want)
	}
	if got == nil {
		return
	}
	if diff := cmp.Diff(life.fields, mapOf(got.Attrs)); diff != "" || got.Version != life.version {
		t.Fatalf("%s is at version %d, want %d (-want +got):\n%s", what, got.Version, life.version, diff)
	}
}
