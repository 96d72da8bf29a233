package simulation

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Without a transaction an event is one write unit; its rollups and the latest item are folded when
// an hour closes.
func TestCost_AnEventCostsLittleMoreThanItsAppend(t *testing.T) {
	t.Parallel()
	for _, p := range pipelines() {
		u := measured(p.load)
		if w, r := u.allWrites(), u.perEvent(unitsRead); w > p.write || r > p.read {
			t.Errorf("%s: an event costs %.3f write and %.3f read units, want at most %.2f and %.2f", p.name, w, r,
				p.write, p.read)
		}
	}
}

// The line of docs/run/COST.md is the one that the code makes.
func TestCost_OfAMillionEventsADayIsInTheDocs(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/run/COST.md")
	if err != nil {
		t.Fatal(err)
	}
	words := strings.Join(strings.Fields(string(text)), " ")
	for _, source := range batchedSources {
		if line, dollars := millionADay(source); !strings.Contains(words, fmt.Sprintf("$%.2f", dollars)) {
			t.Errorf("docs/run/COST.md has not the total of: %s", line)
		}
	}
}

func TestCost_AMillionEventsADayCostAtMostSixtyDollarsAMonth(t *testing.T) {
	t.Parallel()
	for _, source := range batchedSources {
		line, dollars := millionADay(source)
		if t.Log(line); dollars > 60 || !strings.Contains(line, source) ||
			!strings.Contains(line, "events stored") {
			t.Errorf("%s: want at most $60, with the source and the storage", line)
		}
	}
}

// A read of an open hour folds its events, or the rows of its minutes and the events of the last ones.
func TestCost_AnOpenHourOfManyEventsIsReadByItsMinutes(t *testing.T) {
	t.Parallel()
	for _, events := range []int{60, 3_600, 50_000} {
		without, n := openHour(events, false)
		with, same := openHour(events, true)
		if n == 0 || n != same {
			t.Fatalf("%d and %d events", n, same)
		}
		if events >= 3_600 && with*10 > without {
			t.Errorf("an open hour of %d events is read by %d units with minutes and %d without, want a tenth", n,
				with, without)
		}
		if events == 60 && with > 2*without+10 {
			t.Errorf("an open hour of %d events is read by %d units with minutes and %d without", n, with, without)
		}
	}
}
