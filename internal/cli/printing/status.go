package printing

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/status"
)

// Status prints the state of each part, and below it the command to run. Lines are not cut: they are copied.
func Status(w io.Writer, lines []status.Line) {
	for _, l := range lines {
		fmt.Fprintf(w, "%-9s  %-17s  %s\n", l.State, l.Part, terminal.Printable(l.Text))
		if l.Command != "" {
			fmt.Fprintf(w, "%-9s  %-17s  run: %s\n", "", "", terminal.Printable(l.Command))
		}
	}
	fmt.Fprintf(w, "for a person: %d, not readable: %d, not known: %d\n", status.Count(lines, status.Act),
		status.Count(lines, status.Unread), status.Count(lines, status.NotKnown))
}
