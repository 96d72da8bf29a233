package lifecycle_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var limits = config.Default().Limits

// declared is a subject type whose fields have values and a default.
var declared = catalog.Profile{Declared: []catalog.ProfileField{
	{Name: "status", Values: []string{"active", "stopped"}, Default: "active"}, {Name: "name"},
	{Name: "site", Required: true},
}}

// code is the code of the only error; "" if the value was accepted.
func code(t *testing.T, err error) string {
	t.Helper()
	var problems model.FieldErrors
	if errors.As(err, &problems) && len(problems) == 1 {
		return problems[0].Code
	}
	if err != nil {
		t.Errorf("%v, want one error of a field", err)
	}
	return ""
}

func TestValidation_AcceptsWhatIsExactlyAtItsLimit(t *testing.T) {
	text := func(n int) string { return strings.Repeat("x", n) }
	many := func(n int) (all model.Attrs) {
		for i := range n {
			all = append(all, fields(fmt.Sprintf("f%03d", i), "x")...)
		}
		return all
	}
	for name, profile := range map[string]func(over int) (model.Subject, model.Attrs){
		"subject": func(over int) (model.Subject, model.Attrs) { return subject(text(limits.Subject + over)), nil },
		"name":    func(over int) (model.Subject, model.Attrs) { return alice, fields(text(limits.Name+over), "x") },
		"text":    func(over int) (model.Subject, model.Attrs) { return alice, fields("a", text(limits.Text+over)) },
		"fields":  func(over int) (model.Subject, model.Attrs) { return alice, many(limits.Fields + over) },
	} {
		w := newFixture(t, catalog.Profile{})
		s, attrs := profile(0)
		if _, err := w.Create(t.Context(), s, attrs); err != nil {
			t.Errorf("%s at its limit: %v", name, err)
		}
		w = newFixture(t, catalog.Profile{})
		s, attrs = profile(1)
		_, err := w.Create(t.Context(), s, attrs)
		if got := code(t, err); got != "too-long" && got != "too-many-fields" {
			t.Errorf("%s over its limit: code %q, want too-long or too-many-fields", name, got)
		}
	}
}

func TestValidation_DeclaredFieldsHaveTheirTypeValuesAndDefault(t *testing.T) {
	for name, c := range map[string]struct {
		attrs  model.Attrs
		code   string
		status string // stored
	}{
		"left out":          {nil, "", "active"},
		"an allowed value":  {fields("status", "stopped"), "", "stopped"},
		"another value":     {fields("status", "broken"), "not-allowed", ""},
		"another type":      {model.Attrs{{Name: "status", Value: model.BoolValue(true)}}, "wrong-type", ""},
		"any text of names": {fields("name", "broken"), "", "active"},
		"name as a number":  {model.Attrs{{Name: "name", Value: model.NumberValue(model.NewDecimal(1))}}, "wrong-type", ""},
		"control character": {fields("a\x01", "x"), "control-character", ""},
		"hidden character":  {fields("a\u2066", "x"), "control-character", ""},
		"required, null":    {model.Attrs{{Name: "site"}}, "missing", ""},
		"required, empty":   {fields("site", ""), "missing", ""},
	} {
		w := newFixture(t, declared)
		if _, ok := c.attrs.Get("site"); !ok {
			c.attrs = append(fields("site", "north"), c.attrs...)
		}
		out, err := w.Create(t.Context(), alice, c.attrs)
		if got := code(t, err); got != c.code {
			t.Errorf("%s: code %q, want %q", name, got, c.code)
		}
		if c.code != "" {
			continue
		}
		if v, _ := out.Profile.Attrs.Get("status"); out.Outcome != lifecycle.Created || v.Text != c.status {
			t.Errorf("%s: outcome %s with status %q, want created with %q", name, out.Outcome, v.Text, c.status)
		}
	}
}

// A field that is required later is so from the next change of a profile on.
func TestValidation_ARequiredFieldIsThatOfTheCompleteProfile(t *testing.T) {
	w := newFixture(t, catalog.Profile{})
	if _, err := w.Create(t.Context(), alice, fields("name", "Alice")); err != nil {
		t.Fatal(err)
	}
	w.spec = declared
	if _, err := w.Update(t.Context(), alice, fields("name", "Alicia"), 0); code(t, err) != "missing" {
		t.Errorf("a patch that leaves the field missing: %v", err)
	}
	if _, err := w.Update(t.Context(), alice, fields("name", "Alicia", "site", "north"), 0); err != nil {
		t.Errorf("a patch that sets it: %v", err)
	}
}

func TestValidation_AProfileThatIsTooLargeIsRejected(t *testing.T) {
	var attrs model.Attrs
	for i := range limits.Fields {
		attrs = append(attrs, fields(fmt.Sprintf("f%03d", i), strings.Repeat("x", limits.Text))...)
	}
	_, err := newFixture(t, catalog.Profile{}).Create(t.Context(), alice, attrs)
	if got := code(t, err); got != "too-large" {
		t.Errorf("code %q, want too-large", got)
	}
}

// A profile may take 256 KB, and no byte more.
func TestValidation_AProfileHasExactly256KB(t *testing.T) {
	create := func(last int) error {
		var attrs model.Attrs
		for i := range 63 {
			attrs = append(attrs, fields(fmt.Sprintf("f%03d", i), strings.Repeat("x", limits.Text))...)
		}
		attrs = append(attrs, fields("g", strings.Repeat("x", 2000), "h", strings.Repeat("x", last))...)
		_, err := newFixture(t, catalog.Profile{}).Create(t.Context(), alice, attrs)
		return err
	}
	var problems model.FieldErrors
	var size int
	if err := create(limits.Text); !errors.As(err, &problems) || len(problems) != 1 {
		t.Fatalf("%v, want the profile too large", err)
	} else if _, err := fmt.Sscanf(problems[0].Message, "the profile would take %d bytes", &size); err != nil {
		t.Fatal(err)
	}
	fits := limits.Text - (size - 256<<10)
	for n, want := range map[int]string{fits: "", fits + 1: "too-large"} {
		if got := code(t, create(n)); got != want {
			t.Errorf("%d bytes more than fit: code %q, want %q", n-fits, got, want)
		}
	}
}

// A profile with another text would make every read of local days of its subject fail.
func TestValidation_TheTimeZoneIsTheNameOfOne(t *testing.T) {
	for zone, valid := range map[string]bool{"Europe/Berlin": true, "UTC": true, "Berlin": false,
		"Mars/Olympus": false, "Local": false} {
		_, err := newFixture(t, catalog.Profile{}).Create(t.Context(), alice, fields("timezone", zone))
		if valid && err != nil || !valid && code(t, err) != "not-allowed" {
			t.Errorf("%q: %v, want valid %t", zone, err, valid)
		}
	}
}
