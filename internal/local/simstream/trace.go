package simstream

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Trace is the log of one history.
type Trace struct {
	Seed    uint64
	Choices int   // choices in it that are not the default
	Whole   int   // the same before shrinking
	Runs    int   // histories simulated to shrink it
	Failure error // of the check that failed; nil if none did
	Lines   []Line
}

// Line is one line of a trace.
type Line struct {
	At   model.Time
	Who  string // the actor, or ""
	Text string
}

// add adds a line at the end.
func (st *Trace) add(at model.Time, who, text string) {
	st.Lines = append(st.Lines, Line{At: at, Who: who, Text: text})
}

// String returns the trace with a heading: the seed, the failure and the number of choices.
// Faults are marked with two exclamation marks.
func (st *Trace) String() string {
	var b strings.Builder
	switch {
	case st.Failure == nil:
		fmt.Fprintf(&b, "seed %d passes:\n", st.Seed)
	default:
		fmt.Fprintf(&b, "seed %d fails: %v\n", st.Seed, st.Failure)
		fmt.Fprintf(&b, "%d of its %d choices are enough to fail:\n", st.Choices, st.Whole)
	}
	day := ""
	for _, l := range st.Lines {
		at := l.At.Time()
		if d := at.Format(time.DateOnly); d != day {
			day = d
			fmt.Fprintf(&b, "%s\n", day)
		}
		fmt.Fprintf(&b, "  %s  %s\n", at.Format("15:04:05.000"), strings.TrimSpace(l.Who+" "+l.Text))
	}
	if st.Failure != nil {
		fmt.Fprintf(&b, "failed: %v\n", st.Failure)
	}
	return b.String()
}
