package docs_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/ops/docs"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// source is the data source of a panel or variable.
type source struct{ Type, UID string }

// model is what Grafana's import needs of a dashboard. Its schema is published as types of
// TypeScript only.
type model struct {
	UID, Title    string
	SchemaVersion int
	Templating    struct {
		List []struct {
			Name, Type string
			Query      json.RawMessage
			Datasource source
		}
	}
	Panels []struct {
		ID          int
		Title, Type string
		GridPos     struct{ X, Y, W, H int }
		Datasource  source
		Targets     []struct{ RefID, Expr, LegendFormat string }
		FieldConfig struct{ Defaults struct{ Unit string } }
	}
}

func dashboard(t *testing.T, kind *catalog.Kind) (d model) {
	t.Helper()
	var text bytes.Buffer
	if err := docs.Dashboard(&text, kind); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text.Bytes(), &d); err != nil {
		t.Fatalf("%s: %v\n%s", kind.Name, err, text.String())
	}
	return d
}

func TestDashboard_HasWhatTheImportNeeds(t *testing.T) {
	t.Parallel()
	kinds, err := catalog.New(domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	uids := map[string]bool{}
	for i := range kinds.Kinds {
		kind := &kinds.Kinds[i]
		d := dashboard(t, kind)
		if d.UID == "" || len(d.UID) > 40 || uids[d.UID] || d.Title == "" || d.SchemaVersion == 0 {
			t.Errorf("%s: %+v; want a title and an own uid of at most 40 characters", kind.Name, d)
		}
		uids[d.UID] = true
		if len(d.Templating.List) != 2 || d.Templating.List[0].Type != "datasource" ||
			d.Templating.List[1].Type != "query" {
			t.Errorf("%s: variables %+v, want the data source and the subject", kind.Name, d.Templating.List)
		}
		if want := len(kind.Measures) + 2; len(d.Panels) != want {
			t.Errorf("%s: %d panels, want %d: events, inexact buckets and each measure", kind.Name, len(d.Panels),
				want)
		}
		ids, cells := map[int]bool{}, map[[2]int]string{}
		for _, p := range d.Panels {
			if ids[p.ID] || p.Type != "timeseries" || p.Title == "" ||
				p.Datasource != (source{"prometheus", "${datasource}"}) || len(p.Targets) == 0 {
				t.Errorf("%s: panel %+v", kind.Name, p)
			}
			ids[p.ID] = true
			at := p.GridPos
			if at.W < 1 || at.H < 1 || at.X < 0 || at.X+at.W > 24 {
				t.Errorf("%s: %s is at %+v, outside the grid of 24 columns", kind.Name, p.Title, at)
			}
			for x := range at.W {
				for y := range at.H {
					cell := [2]int{at.X + x, at.Y + y}
					if other, taken := cells[cell]; taken {
						t.Fatalf("%s: %s covers %s", kind.Name, p.Title, other)
					}
					cells[cell] = p.Title
				}
			}
			var refs []string
			for _, target := range p.Targets {
				refs = append(refs, target.RefID)
				if !strings.Contains(target.Expr, `kind="`+kind.Name+`",subject=~"$subject"`) ||
					target.LegendFormat == "" {
					t.Errorf("%s: %s has the query %s", kind.Name, p.Title, target.Expr)
				}
			}
			if slices.Sort(refs); len(slices.Compact(refs)) != len(p.Targets) {
				t.Errorf("%s: %s has a refId twice: %v", kind.Name, p.Title, refs)
			}
		}
	}
}

func TestDashboard_HasTheUnitsOfMeasures(t *testing.T) {
	t.Parallel()
	kinds, err := catalog.New(catalog.Kind{
		Name: "SOIL", Subject: catalog.SubjectType{Name: "FIELD"}, Groups: []string{"farm"},
		Measures: []rollup.MeasureSpec{
			{Name: "temperature", Unit: "°C"}, {Name: "salinity", Unit: `g/kg "dry"`}, {Name: "depth"},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"temperature": "celsius", "salinity": `suffix:g/kg "dry"`}
	for title, unit := range maps.Clone(want) {
		want[title+" by-farm"] = unit
	}
	panels := dashboard(t, &kinds.Kinds[0]).Panels
	if len(panels) != 2+3+3 {
		t.Errorf("%d panels, want 8", len(panels))
	}
	for _, p := range panels {
		if got := p.FieldConfig.Defaults.Unit; got != want[p.Title] {
			t.Errorf("%s: unit %q, want %q", p.Title, got, want[p.Title])
		}
	}
}

func TestDashboard_NamesOfMeasuresAreMetricNames(t *testing.T) {
	t.Parallel()
	d := dashboard(t, &catalog.Kind{Name: "PUMP", Path: "pumps",
		Measures: []rollup.MeasureSpec{{Name: `flow."l/min"`, Percentiles: true}}})
	panel := d.Panels[2]
	if want := `flow.\"l/min\"`; panel.Title != strings.ReplaceAll(want, `\`, "") {
		t.Errorf("the title is %s", panel.Title)
	}
	if want := `flow__l_min_{kind="PUMP",subject=~"$subject",statistic="p95"}`; len(panel.Targets) != 4 ||
		panel.Targets[3].Expr != want {
		t.Errorf("the queries are %+v, want %s as the last", panel.Targets, want)
	}
}

// A dashboard of a kind with groups has a variable over the groups of each level, and a panel of each measure
// of theirs, below the others.
func TestDashboard_HasAVariableOverEachLevelOfGroups(t *testing.T) {
	t.Parallel()
	reading := catalog.Kind{Name: "READING", Subject: catalog.SubjectType{Name: "DEVICE"},
		Measures: []rollup.MeasureSpec{{Name: "temperature"}, {Name: "humidity"}},
		Groups:   []string{"site", "site/line"}}
	kinds, err := catalog.New(reading)
	if err != nil {
		t.Fatal(err)
	}
	d := dashboard(t, &kinds.Kinds[0])
	if len(d.Templating.List) != 4 || len(d.Panels) != 2+3*2 {
		t.Fatalf("%d variables and %d panels, want 4 and 8", len(d.Templating.List), len(d.Panels))
	}
	ids, places := map[int]bool{}, map[int]bool{}
	for _, p := range d.Panels[2:] {
		ids[p.ID], places[p.GridPos.Y] = true, true
	}
	if len(ids) != 6 || len(places) != 6 {
		t.Errorf("ids %v, places %v: want 6 of each", ids, places)
	}
	last := d.Panels[7]
	want := `humidity{kind="READING_BY_SITE_LINE",subject=~"$by_site_line",statistic="avg"}`
	if last.Targets[0].Expr != want || last.Title != "humidity by-site-line" {
		t.Errorf("the last panel is %+v, want %s", last, want)
	}
	if v := d.Templating.List[3]; v.Name != "by_site_line" ||
		!strings.Contains(string(v.Query), `kind=\"READING_BY_SITE_LINE\"`) {
		t.Errorf("the last variable is %+v", v)
	}
}
