package printing

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// QuarantineCells returns a line for each entry.
func QuarantineCells(all []quarantine.Entry) httpapi.Table {
	return httpapi.Table{Header: []string{"arrived", "source", "subject", "id", "reason"}, Rows: lists.Map(all, func(e quarantine.Entry) []string {
		return []string{e.ArrivedAt.String(), e.Source, subjectText(e.Subject), e.ID, entryReason(&e)}
	})}
}

func subjectText(s model.Subject) string {
	if s == (model.Subject{}) {
		return "-"
	}
	return terminal.Printable(s.String())
}

func entryReason(e *quarantine.Entry) string {
	if e.Damaged != nil {
		return e.Damaged.Error()
	}
	return e.Reason
}

// QuarantineEntry prints one entry with its errors and its payload.
func QuarantineEntry(w io.Writer, e *quarantine.Entry) {
	fmt.Fprintf(w, "id       %s\narrived  %s\nsource   %s\nsubject  %s\nreason   %s\n",
		terminal.Printable(e.ID), e.ArrivedAt, terminal.Printable(e.Source), subjectText(e.Subject), terminal.Printable(entryReason(e)))
	if e.ExpiresAt != 0 {
		fmt.Fprintf(w, "kept to  %s\n", model.Time(e.ExpiresAt)*1000)
	}
	for _, f := range e.Errors {
		fmt.Fprintf(w, "error    %s (%s)\n", terminal.Printable(f.Error()), terminal.Printable(f.Code))
	}
	fmt.Fprintf(w, "payload  %s bytes\n\n%s\n", terminal.Grouped(len(e.Payload)), strings.TrimRight(terminal.Payload(e.Payload), "\n"))
}

// RetryText describes the result of one entry.
func RetryText(r quarantine.Result, err error) string {
	undeclared := (*quarantine.UndeclaredKindError)(nil)
	switch {
	case errors.As(err, &undeclared):
		return "stays: " + err.Error() + ": declare it in tidemark.yaml, or name another with --kind"
	case err != nil:
		return "stays: " + err.Error()
	case len(r.Outcomes) == 0:
		return fmt.Sprintf("processed %d changes", r.Changes)
	}
	return strings.Join(lists.Map(r.Outcomes, func(o model.Outcome) string { return string(o) }), ", ")
}
