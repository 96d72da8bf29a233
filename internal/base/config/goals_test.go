package config_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/goal"
)

const goalsOfVoyages = `
    goals:
      harbour: {of: POSITION, where: {place: "harbour/**", flag: NO}}
      long: {minDuration: 2h}
      sale:
        steps:
          - {of: POSITION, where: {place: market}}
          - {of: SALE}
        value: revenue_EUR
`

func withGoals(goals string) string {
	return voyages("30m") + "  SALE: {subject: {name: SHIP}}\n" +
		"  CRUISE:\n    subject: {name: SHIP}\n    latest: none\n    tiers: {raw: 30d, hour: {retention: 90d, grace: 40m}}\n    sessionsOf: {kind: POSITION, by: crew, gap: 30m}" + goals
}

func TestKinds_ReadGoals(t *testing.T) {
	want := []goal.Goal{
		{Name: "harbour", Steps: []goal.Step{{Of: "POSITION", Where: []goal.Match{{Field: "flag", Pattern: "NO"}, {Field: "place", Pattern: "harbour/**"}}}}},
		{Name: "long", MinDuration: 2 * time.Hour},
		{Name: "sale", Steps: []goal.Step{{Of: "POSITION", Where: []goal.Match{{Field: "place", Pattern: "market"}}}, {Of: "SALE"}}, Value: "revenue_EUR"},
	}
	text := withGoals(goalsOfVoyages)
	if diff := cmp.Diff(want, kind(t, parse(t, text), "CRUISE").Goals); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := schema(t).Validate(document(t, []byte(text))); err != nil {
		t.Errorf("the schema: %v", err)
	}
}

// Paths are stored as the address bar shows them; a goal may be written as it was copied.
func TestKinds_GoalsOfPathsMatchInAnyEncoding(t *testing.T) {
	text := withGoals(`
    goals:
      coffee: {of: POSITION, where: {path: "/caf%c3%a9/**", place: "caf%C3%A9"}}
`)
	want := []goal.Match{{Field: "path", Pattern: "/café/**"}, {Field: "place", Pattern: "caf%C3%A9"}}
	if diff := cmp.Diff(want, kind(t, parse(t, text), "CRUISE").Goals[0].Steps[0].Where); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
