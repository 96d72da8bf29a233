package printing

import (
	"fmt"
	"io"

	"github.com/tidemark-db/tidemark/internal/repair"
	"github.com/tidemark-db/tidemark/internal/terminal"
)

// RedriveMessage prints what was done with one message.
func RedriveMessage(w io.Writer, m repair.MessageResult, dryRun bool) {
	g := m.Range
	what := fmt.Sprintf("shard %s from %s to %s (%s to %s)", g.Shard, g.First, g.Last, g.FirstAt, g.LastAt)
	switch {
	case m.Err != nil:
		fmt.Fprintf(w, "message %s: not processed: %v\n", m.ID, m.Err)
	case m.Trimmed != nil:
		fmt.Fprintf(w, "message %s: the table stream no longer has %s to %s: repairing by arrival%s\n", m.ID, g.FirstAt, g.LastAt, deadline(m.Trimmed))
	case dryRun:
		fmt.Fprintf(w, "message %s: %s changes to process of %s\n", m.ID, terminal.Grouped(m.Changes), what)
	default:
		fmt.Fprintf(w, "message %s: processed %s changes of %s: %s rows written, %s unchanged, %s sealed\n", m.ID, terminal.Grouped(m.Changes), what,
			terminal.Grouped(m.Counts.Written), terminal.Grouped(m.Counts.Unchanged), terminal.Grouped(m.Counts.Sealed))
	}
}

// deadline says by when a trimmed range must be repaired.
func deadline(t *repair.Trimmed) string {
	switch {
	case t.ExpiresAt == 0:
		return ""
	case t.Expired:
		return fmt.Sprintf("; its raw events began to expire on %s: rows that may miss one are marked exact: false", t.ExpiresAt)
	}
	return fmt.Sprintf("; it must be done before its raw events expire, on %s", t.ExpiresAt)
}

// Redrive prints the report of a redrive that ended with err.
func Redrive(w io.Writer, r *repair.RedriveReport, dryRun bool, err error) {
	if r.Arrival != nil && (err == nil || r.Arrival.Items > 0) {
		Arrivals(w, r.Arrival, dryRun)
	}
	for _, m := range r.Marked {
		fmt.Fprintf(w, "marked the rows that may miss an event of %s to %s exact: false: %s buckets recomputed, %s rows changed\n",
			m.Range.FirstAt, m.Range.LastAt, terminal.Grouped(m.Recomputed), terminal.Grouped(m.Changed))
	}
	switch {
	case err != nil:
	case r.Found == 0:
		fmt.Fprintln(w, "there are no messages")
	case dryRun:
		fmt.Fprintf(w, "%s messages to process; nothing was changed\n", terminal.Grouped(r.Found))
	default:
		fmt.Fprintf(w, "%s messages processed and removed\n", terminal.Grouped(r.Processed))
	}
}
