package main

import (
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// The screen of a table: what is not known needs no person, and a gap does.
func TestStatus_ExitsWithOneIfAPartNeedsAPerson(t *testing.T) {
	b := newBench(t)
	b.expect(0, words("status"), "table "+b.table.Name(),
		"not known  table stream       nothing was processed yet", "not known  alarms",
		"ok         quarantine         empty", "for a person: 0, not readable: 0")
	at := wallClock()
	b.put(item.FromStreamProgress(at))
	b.expect(0, words("status"), "ok         table stream       processed through "+at.String())
	b.put(item.FromGap(storage.Gap{From: at.Add(-time.Hour), To: at}))
	b.expect(1, words("status"), "ACT        table stream       gap: changes from",
		"run: tidemark rebuild --gap recorded --dry-run",
		"for a person: 1")
	b.expect(1, words("status --output json"), `"table":"`+b.table.Name()+`","parts":[{"part":"table stream",`+
		`"state":"ok","text":"processed through `+at.String(), `"state":"act"`,
		`"command":"tidemark rebuild --gap recorded --dry-run"}`, `"act":1,"unread":0,"notKnown":`)
	b.expect(2, words("status --output csv"), "want table or json")
	b.expect(2, words("status --output json --wait 2026-01-01"), "no --wait")
	b.expect(2, words("status --wait 2999-01-01"), "want a time that has passed")
	b.expect(1, words("status --wait 2026-01-01 --timeout 0s"), "not reached")
	b.expect(2, words("status now"), "See: tidemark status --help")
}
