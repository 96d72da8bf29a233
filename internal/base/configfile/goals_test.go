package configfile_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/goal"
)

const cruiseGoals = `
    goals:
      harbour: {of: POSITION, where: {place: "harbour/**", flag: NO}}
      long: {minDuration: 2h}
      sale:
        steps:
          - {of: POSITION, where: {place: market}}
          - {of: SALE}
        value: revenue_EUR
`

// cruises returns a kind of sessions with goals.
func cruises(goals string) string {
	return `kinds:
  POSITION: {subject: {name: SHIP}}
  SALE: {subject: {name: SHIP}}
  CRUISE:
    subject: {name: SHIP}
    latest: none
    tiers: {raw: 30d, hour: {retention: 90d, grace: 40m}}
    sessionsOf: {kind: POSITION, by: crew, gap: 30m}` + goals
}

func TestKinds_ReadGoals(t *testing.T) {
	want := []goal.Goal{
		{Name: "harbour", Steps: []goal.Step{{Of: "POSITION", Where: []goal.Match{{Field: "flag", Pattern: "NO"}, {Field: "place", Pattern: "harbour/**"}}}}},
		{Name: "long", MinDuration: 2 * time.Hour},
		{Name: "sale", Steps: []goal.Step{{Of: "POSITION", Where: []goal.Match{{Field: "place", Pattern: "market"}}}, {Of: "SALE"}}, Value: "revenue_EUR"},
	}
	text := cruises(cruiseGoals)
	if diff := cmp.Diff(want, kind(t, parse(t, text), "CRUISE").Goals); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := schema(t).Validate(document(t, []byte(text))); err != nil {
		t.Errorf("the schema: %v", err)
	}
}

// Paths are stored as the address bar shows them; a goal may be written as it was copied.
func TestKinds_GoalsOfPathsMatchInAnyEncoding(t *testing.T) {
	text := cruises(`
    goals:
      coffee: {of: POSITION, where: {path: "/caf%c3%a9/**", place: "caf%C3%A9"}}
`)
	want := []goal.Match{{Field: "path", Pattern: "/café/**"}, {Field: "place", Pattern: "caf%C3%A9"}}
	if diff := cmp.Diff(want, kind(t, parse(t, text), "CRUISE").Goals[0].Steps[0].Where); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
