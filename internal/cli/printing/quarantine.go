package printing

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/terminal"
	"github.com/tidemark-db/tidemark/internal/ops/repair/onfailure"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/internal/ops/repair/undelivered"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// FailedCells returns a line for each batch, undelivered message and rejected entry.
func FailedCells(
	batches []onfailure.Message, messages []undelivered.Message, rejected []quarantine.Entry,
) views.Table {
	found := views.Table{Header: []string{"arrived", "source", "subject", "id", "reason"}}
	for _, m := range batches {
		at, reason := unknown, ""
		lost, err := tablestream.DecodeFailedRange(m.Body)
		if err != nil {
			reason = err.Error()
		} else {
			at = lost.FirstAt.String()
			reason = fmt.Sprintf("%s: %d records of %s", lost.Condition, lost.Records, lost.Shard)
		}
		found.Rows = append(found.Rows, []string{at, "batches", unknown, m.ID, reason})
	}
	for _, m := range messages {
		reason := strings.TrimSpace(fmt.Sprintf("%s %s", m.Form, m.Detail))
		if m.Err != nil {
			reason += ": cannot be retried as it is: " + m.Err.Error()
		}
		found.Rows = append(found.Rows, []string{unknown, "undelivered", unknown, m.ID, reason})
	}
	for i := range rejected {
		e := &rejected[i]
		found.Rows = append(found.Rows, []string{
			e.ArrivedAt.String(), e.Source, subjectText(e.Subject), e.ID, entryReason(e),
		})
	}
	return found
}

// unknown is the cell of what an entry does not have.
const unknown = "-"

func subjectText(s model.Subject) string {
	if s == (model.Subject{}) {
		return unknown
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
		terminal.Printable(e.ID), e.ArrivedAt, terminal.Printable(e.Source), subjectText(e.Subject),
		terminal.Printable(entryReason(e)))
	if e.ExpiresAt != 0 {
		fmt.Fprintf(w, "kept to  %s\n", model.Time(e.ExpiresAt)*1000)
	}
	for _, f := range e.Errors {
		fmt.Fprintf(w, "error    %s (%s)\n", terminal.Printable(f.Error()), terminal.Printable(f.Code))
	}
	fmt.Fprintf(w, "payload  %s bytes\n\n%s\n", terminal.Grouped(len(e.Payload)),
		strings.TrimRight(terminal.Payload(e.Payload), "\n"))
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
