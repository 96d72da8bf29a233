package lifecycle_test

import (
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// refProfile is the reference model of a subject: no table, no transactions, no faults.
type refProfile struct {
	state   string // "", active, deleted
	fields  map[string]string
	version int64
	kept    []string // the change of each version
	until   model.Time
}

func clash(a, b map[string]string) bool {
	email := a["email"] != "" && strings.EqualFold(a["email"], b["email"])
	name := a["first"] != "" && a["last"] != "" && a["first"] == b["first"] && a["last"] == b["last"]
	return email || name
}

func attrMap(attrs model.Attrs) map[string]string {
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

func newAttrs(fields map[string]string) (attrs model.Attrs) {
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
		{"name", "-", "", "Ann", strings.Repeat("Jürgen ", 20)}, // longer than the list has it
	} {
		if v := rapid.SampledFrom(f[1:]).Draw(t, f[0]); v != "-" {
			out[f[0]] = v
		}
	}
	return out
}

// addVersion records a change.
func (p *refProfile) addVersion(what string) {
	p.version++
	p.kept = append(p.kept, what)
}

// isExpired reports whether the profile was deleted and its tombstone has expired.
func (m *stateMachine) isExpired(p *refProfile) bool { return p.state == "deleted" && p.until <= m.now }

// checkOutcome compares outcomes. After a repeated request, the outcomes of a change that
// was already made are accepted too.
func checkOutcome(t *rapid.T, got, want lifecycle.Outcome, repeated bool, already ...lifecycle.Outcome) {
	if got != want && !(repeated && slices.Contains(already, got)) {
		t.Fatalf("outcome %s, want %s (repeated: %v)", got, want, repeated)
	}
}

func wantSame(t *rapid.T, what string, got *model.Profile, ref *refProfile, want bool) {
	if (got != nil) != want {
		t.Fatalf("%s is %+v, want one: %v", what, got, want)
	}
	if got == nil {
		return
	}
	if diff := cmp.Diff(ref.fields, attrMap(got.Attrs)); diff != "" || got.Version != ref.version {
		t.Fatalf("%s has version %d, want %d (-want +got):\n%s", what, got.Version, ref.version, diff)
	}
}
