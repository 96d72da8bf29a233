package streamtest

import (
	"fmt"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Story is a failing history told for a reader: what happened when, who did it, and
// what was wrong in the end.
type Story struct {
	Seed    uint64
	Choices int   // how many choices are left in it
	Whole   int   // how many there were before it was shrunk
	Runs    int   // how many histories it took to shrink it
	Failure error // what was wrong
	Lines   []Line
}

// Line is one thing that happened.
type Line struct {
	At   model.Time
	Who  string // "" for what simply happens
	Text string
}

// add puts a line at the end.
func (st *Story) add(at model.Time, who, text string) {
	st.Lines = append(st.Lines, Line{At: at, Who: who, Text: text})
}

// String is the story with its heading: the seed, how much is left of the history,
// and what fails. Faults stand out by two exclamation marks.
func (st *Story) String() string {
	var b strings.Builder
	switch {
	case st.Failure == nil:
		fmt.Fprintf(&b, "seed %d holds:\n", st.Seed)
	default:
		fmt.Fprintf(&b, "seed %d fails: %v\n", st.Seed, st.Failure)
		fmt.Fprintf(&b, "%d of its %d choices are enough:\n", st.Choices, st.Whole)
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
		fmt.Fprintf(&b, "which is wrong: %v\n", st.Failure)
	}
	return b.String()
}
