package status

import (
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Report is the screen as JSON, for programs that watch a table.
type Report struct {
	At       model.Time `json:"at"`
	Table    string     `json:"table"`
	Stack    string     `json:"stack,omitempty"`
	Parts    []Part     `json:"parts"`
	Act      int        `json:"act"`      // parts that need a person
	Unread   int        `json:"unread"`   // parts that could not be read
	NotKnown int        `json:"notKnown"` // parts of which nothing tells
}

// Part is a line as JSON. State is ok, act, not known or unread.
type Part struct {
	Part    string `json:"part"`
	State   string `json:"state"`
	Text    string `json:"text"`
	Command string `json:"command,omitempty"` // what to run next
}

// NewReport returns lines that were read at a time as a report.
func NewReport(at model.Time, table, stack string, lines []Line) Report {
	return Report{
		At: at, Table: table, Stack: stack,
		Parts: lists.Map(lines, func(l Line) Part {
			return Part{Part: l.Part, State: strings.ToLower(string(l.State)), Text: l.Text, Command: l.Command}
		}),
		Act: Count(lines, Act), Unread: Count(lines, Unread), NotKnown: Count(lines, NotKnown),
	}
}
