package printing_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/quarantine"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// printed returns what print writes.
func printed(print func(w *strings.Builder)) string {
	var out strings.Builder
	print(&out)
	return out.String()
}

func TestRedrive_SaysHowManyMessagesThereWere(t *testing.T) {
	for name, c := range map[string]struct {
		report repair.RedriveReport
		dryRun bool
		err    error
		want   string
	}{
		"none":      {want: "batches: there are none\n"},
		"processed": {report: repair.RedriveReport{Found: 1200, Processed: 1200}, want: "batches: 1,200 processed and removed\n"},
		"dry run":   {report: repair.RedriveReport{Found: 2}, dryRun: true, want: "batches: 2 to process; nothing was changed\n"},
		"failed":    {report: repair.RedriveReport{Found: 2}, err: errors.New("table unreachable")},
	} {
		got := printed(func(w *strings.Builder) { printing.Redrive(w, &c.report, c.dryRun, c.err) })
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestChanges_PrintsRefusedOnesFirst(t *testing.T) {
	changes := []config.Change{{Class: config.Safe, Path: "limits"}, {Class: config.Refused, Path: "kinds"}}
	var refused int
	lines := strings.Split(printed(func(w *strings.Builder) { refused = printing.Changes(w, changes) }), "\n")
	if refused != 1 || !strings.Contains(lines[0], "kinds") ||
		lines[2] != "2 changes: 1 safe, 0 need a rebuild, 1 refused" {
		t.Errorf("%d refused:\n%s", refused, strings.Join(lines, "\n"))
	}
}

func TestRetryText_SaysWhyAnEntryStays(t *testing.T) {
	for want, c := range map[string]struct {
		result quarantine.Result
		err    error
	}{
		"processed 3 changes":      {result: quarantine.Result{Changes: 3}},
		"applied, late":            {result: quarantine.Result{Outcomes: []model.Outcome{model.Applied, model.Late}}},
		"stays: table unreachable": {err: errors.New("table unreachable")},
	} {
		if got := printing.RetryText(c.result, c.err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestRules_NameTheirStreams(t *testing.T) {
	rules := []storage.Rule{{Name: "a", AnyStream: true, Severity: storage.Warning},
		{Name: "b", Stream: "status", Severity: storage.Critical}}
	got := printed(func(w *strings.Builder) {
		if err := printing.Rules(w, rules); err != nil {
			t.Error(err)
		}
	})
	if lines := strings.Split(got, "\n"); len(lines) != 4 || !strings.Contains(lines[1], "any stream") ||
		!strings.Contains(lines[2], `stream "status"`) {
		t.Errorf("got\n%s", got)
	}
}
