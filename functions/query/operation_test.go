package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// A name that nothing has would be left out of the description.
func TestOperations_NameWhatExists(t *testing.T) {
	d := newDocument()
	for action := range operations {
		row := findOperation(action)
		if row.Summary == "" || d.Components.Schemas[row.Result] == nil {
			t.Errorf("%s has the summary %q and the result %q", action, row.Summary, row.Result)
		}
		for _, name := range row.Parameters {
			if d.Components.Parameters[name].Name != name {
				t.Errorf("%s has the parameter %s, which openapi.json does not have", action, name)
			}
		}
	}
	if got := findOperation(httpapi.Append).Parameters; !slices.Equal(got, httpapi.AppendParameters) {
		t.Errorf("append has the parameters %v, it accepts %v", got, httpapi.AppendParameters)
	}
}

// The description states limits and forms that are defined elsewhere.
func TestParameters_StateWhatIsAccepted(t *testing.T) {
	d := newDocument()
	parameters := d.Components.Parameters
	for name, form := range map[string]string{"from": times.Forms, "last": times.Durations,
		"where": httpapi.WhereForms} {
		if !strings.Contains(parameters[name].Description, form) {
			t.Errorf("%s does not say %q: %s", name, form, parameters[name].Description)
		}
	}
	var units []any
	for _, u := range tier.Units() {
		units = append(units, u.String())
	}
	for got, want := range map[*any]any{
		new(parameters["limit"].Schema["maximum"]):      float64(maxLimit),
		new(parameters["points"].Schema["maximum"]):     float64(maxPoints),
		new(parameters["points"].Schema["default"]):     float64(query.DefaultPoints),
		new(parameters["index"].Schema["enum"]):         []any{catalog.FirstIndex, catalog.SecondIndex},
		new(parameters["tier"].Schema["enum"]):          units,
		new(fragments().PathParameters["tier"]["enum"]): units,
	} {
		if fmt.Sprint(*got) != fmt.Sprint(want) {
			t.Errorf("stated: %v, accepted: %v", *got, want)
		}
	}
}
