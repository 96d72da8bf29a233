package main

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/goal"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

func shipped(t *testing.T) *catalog.Catalog {
	t.Helper()
	all := domains.Kinds()
	for i := range all {
		if all[i].Name == iot.Readings.Name {
			all[i].Groups = []string{"site"}
			energy := rollup.MeasureSpec{Name: "energy", Counter: true}
			all[i].Measures = append(slices.Clone(all[i].Measures), energy)
		}
	}
	kinds, err := config.Default(all...).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

type described struct {
	Paths map[string]map[string]struct {
		OperationID string
		Description string
		Parameters  []struct {
			Ref string `json:"$ref"`
		}
		Responses map[string]json.RawMessage
	}
	Components struct{ Schemas, Parameters map[string]json.RawMessage }
}

// A repeated observation creates a second event if ids are generated: the description must
// not call it safe.
func TestDescribe_CallsRepeatsSafeOnlyIfTheyAre(t *testing.T) {
	note := iot.Readings
	note.Name = "NOTE"
	note.Path = "notes"
	note.IDs = catalog.MintedID
	kinds, err := catalog.New(iot.Readings, note)
	if err != nil {
		t.Fatal(err)
	}
	text, err := describe(kinds)
	if err != nil {
		t.Fatal(err)
	}
	var got described
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	const safe = "Repeating the request is always safe."
	for i := range kinds.Kinds {
		kind := &kinds.Kinds[i]
		post := got.Paths["/v1/"+kind.Path]["post"]
		want := kind.IDs != catalog.MintedID
		if says := strings.Contains(post.Description, safe); says != want {
			t.Errorf("ids %s: calls a repeat safe: %t, want %t:\n%s", kind.IDs, says, want, post.Description)
		}
		if says := strings.Contains(string(post.Responses["503"]), safe); says != want {
			t.Errorf("ids %s, 503: calls a repeat safe: %t, want %t:\n%s", kind.IDs, says, want, post.Responses["503"])
		}
	}
}

func TestDescribe_HasExactlyTheRoutes(t *testing.T) {
	kinds := shipped(t)
	text, err := describe(kinds)
	if err != nil {
		t.Fatal(err)
	}
	var got described
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	var want, have []string
	ids := map[string]bool{}
	for _, r := range httpapi.Routes(kinds) {
		want = append(want, r.Method+" "+r.Path)
		if findOperation(r.Action).Summary == "" {
			t.Errorf("%s has no operation", r.Action)
		}
	}
	for path, methods := range got.Paths {
		for method, o := range methods {
			have = append(have, strings.ToUpper(method)+" "+path)
			if ids[o.OperationID] {
				t.Errorf("%s is the id of two operations", o.OperationID)
			}
			ids[o.OperationID] = true
		}
	}
	slices.Sort(want)
	slices.Sort(have)
	if !slices.Equal(want, have) {
		t.Errorf("described:\n%s\nserved:\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
}

// Every schema and parameter that an operation references exists, and is referenced.
func TestDescribe_ReferencesExistingComponents(t *testing.T) {
	text, err := describe(shipped(t))
	if err != nil {
		t.Fatal(err)
	}
	var got described
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for kind, all := range map[string]map[string]json.RawMessage{"schemas": got.Components.Schemas,
		"parameters": got.Components.Parameters} {
		for name := range all {
			if !strings.Contains(string(text), `"#/components/`+kind+`/`+name+`"`) {
				t.Errorf("%s %s: not referenced", kind, name)
			}
		}
	}
	for _, part := range strings.Split(string(text), `"$ref":"#/components/`)[1:] {
		kind, rest, _ := strings.Cut(part, "/")
		name, _, _ := strings.Cut(rest, `"`)
		if got.Components.Schemas[name] == nil && got.Components.Parameters[name] == nil {
			t.Errorf("%s/%s is referenced and does not exist", kind, name)
		}
	}
}

// The pages show any kind by this list: sites are the subjects whose kinds have sessions.
func TestDescribe_ListsWhatIsKeptOfEachKind(t *testing.T) {
	t.Parallel()
	text, err := describe(shipped(t))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Kinds []describedKind `json:"x-tidemark-kinds"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	byName := map[string]describedKind{}
	for _, k := range got.Kinds {
		byName[k.Kind] = k
	}
	const day = 86400
	readings := byName["READING"]
	for i, want := range []struct {
		tier string
		days int64
	}{{"raw", 30}, {"hour", 90}, {"day", 730}} {
		if tier := readings.Tiers[i]; tier.Tier != want.tier || *tier.Retention != want.days*day ||
			tier.Deferred != (i > 0) {
			t.Errorf("tier %d is %+v, want %s for %d days", i, tier, want.tier, want.days)
		}
	}
	if months := readings.Tiers[3]; months.Retention != nil {
		t.Errorf("months are kept for %d s, want null for ever", *months.Retention)
	}
	sessions := byName["SESSION"]
	units := map[string]string{"duration": "ms"}
	if !maps.Equal(sessions.Units, units) || len(readings.Units) > 0 {
		t.Errorf("units %v and %v, want %v and none", sessions.Units, readings.Units, units)
	}
	if sessions.SessionsOf != "PAGEVIEW" || sessions.Subjects != "sites" ||
		!slices.Contains(sessions.Dimensions, "entry") || !slices.Equal(sessions.Distinct, []string{"visitor"}) {
		t.Errorf("sessions are %+v", sessions)
	}
	if sessions.Tiers[0].Tier != "hour" || sessions.Tiers[0].Grace == 0 {
		t.Errorf("sessions have the first tier %+v, want hours with a grace: they have no events",
			sessions.Tiers[0])
	}
}

// A goal of one step without patterns is met by any event of a kind, and one without steps by its
// duration.
func TestDescribe_ListsTheStepsOfGoals(t *testing.T) {
	t.Parallel()
	view := goal.Step{Of: "PAGEVIEW",
		Where: []goal.Match{{Field: "channel", Pattern: "Direct"}, {Field: "path", Pattern: "/pricing/**"}}}
	sessions := &catalog.Kind{Goals: []goal.Goal{
		{Name: "long", MinDuration: 5 * time.Minute},
		{Name: "purchase", Steps: []goal.Step{view, {Of: "CUSTOMEVENT"}}, Value: "revenue_EUR"},
	}}
	want := []describedGoal{
		{Name: "long", Steps: []describedStep{{"at least 5m0s", "goal_long"}}},
		{Name: "purchase", Steps: []describedStep{{"Direct, /pricing/**", "goal_purchase_1"}, {"CUSTOMEVENT", "goal_purchase"}}, Value: "goal_purchase_value"},
	}
	if diff := cmp.Diff(want, describeGoals(sessions)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, g := range describeGoals(sessions) {
		for _, s := range g.Steps {
			if !slices.ContainsFunc(sessions.Goals, func(d goal.Goal) bool {
				return slices.Contains(d.Fields(), s.Measure)
			}) {
				t.Errorf("%s of %s is no measure of the sessions", s.Measure, g.Name)
			}
		}
	}
}
