package timeseriestest

import (
	"slices"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/storetest"
)

// failedRead is the fault of reads. The others are of writes.
const failedRead = "failed read"

// writeFault is a fault of a write, by its name.
type writeFault struct {
	name string
	is   storetest.WriteFault
}

// writeFaults are the faults of writes, in the order in which they are used up.
var writeFaults = []writeFault{
	{name: "busy", is: storetest.Throttle},
	{name: "contended", is: storetest.Conflict},
	{name: "lost request", is: storetest.LoseRequest},
	{name: "lost response", is: storetest.LoseResponse},
}

// Fail lets the next n writes, or reads, of all programs on the table have a fault, by its name:
//
//	busy           the write is not stored: the table is busy
//	contended      the write is not stored: another transaction writes the same item
//	lost request   the write is not stored, and the program does not learn it
//	lost response  the write is stored, and the program does not learn it
//	failed read    the read has no result
//
// It replaces the number of an earlier call with this fault; 0 ends it. A program repeats a request after
// each of them, so a single one is rarely visible: set timeseries.Options.Attempts to 1, or let more
// requests fail. Another name ends the test.
func (t *Table) Fail(fault string, n int) {
	t.tb.Helper()
	names := lists.Map(writeFaults, func(f writeFault) string { return f.name })
	if names = append(names, failedRead); !slices.Contains(names, fault) {
		t.tb.Fatalf("timeseriestest: unknown fault %q: want one of %s", fault, strings.Join(names, ", "))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults[fault] = n
}

// nextWrite returns the fault of the next write.
func (t *Table) nextWrite(storetest.Call) storetest.WriteFault {
	for _, f := range writeFaults {
		if t.use(f.name) {
			return f.is
		}
	}
	return storetest.NoFault
}

// nextRead reports whether the next read fails.
func (t *Table) nextRead(storetest.Call) bool { return t.use(failedRead) }

// use counts one request with a fault, and reports whether there was one left.
func (t *Table) use(fault string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.faults[fault] == 0 {
		return false
	}
	t.faults[fault]--
	return true
}
