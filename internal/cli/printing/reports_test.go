package printing_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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

func TestStreamState_SaysWhatToDoOnlyIfChangesMayBeMissing(t *testing.T) {
	gap := storage.Gap{From: testNow.Add(-3 * time.Hour), To: testNow.Add(-time.Hour)}
	state := func(s storage.StreamState) repair.StreamState { return repair.StreamState{StreamState: s} }
	for name, c := range map[string]struct {
		state repair.StreamState
		want  string
	}{
		"nothing yet": {repair.StreamState{}, "nothing has been processed yet: progress is recorded from the first batch on\n"},
		"up to date": {
			state(storage.StreamState{Progress: testNow.Add(-time.Second)}),
			"processed up to 2026-04-20T14:29:59.000Z (1s ago)\n",
		},
		"a blocked batch": {
			state(storage.StreamState{Progress: testNow, Blocked: []storage.Blocked{{Seq: "7", Gap: gap}}}),
			"processed up to 2026-04-20T11:30:00.000Z (3h0m0s ago)\n" +
				"blocked: 2026-04-20T11:30:00.000Z..2026-04-20T13:30:00.000Z: a batch fails and is repeated, or waits " +
				"in the on-failure queue: tidemark redrive\n" +
				"check what is missing, without writing: tidemark rebuild --gap recorded --dry-run\n",
		},
		"a gap": {state(storage.StreamState{Gaps: []storage.Gap{gap}}), "gap: 2026-04-20T11:30:00.000Z.." +
			"2026-04-20T13:30:00.000Z (2h0m0s)\n" +
			"check what is missing, without writing: tidemark rebuild --gap recorded --dry-run\n"},
	} {
		got := printed(func(w *strings.Builder) { printing.StreamState(w, c.state, testNow) })
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestRedrive_SaysHowManyMessagesThereWere(t *testing.T) {
	for name, c := range map[string]struct {
		report repair.RedriveReport
		dryRun bool
		err    error
		want   string
	}{
		"none":      {want: "there are no messages\n"},
		"processed": {report: repair.RedriveReport{Found: 1200, Processed: 1200}, want: "1,200 messages processed and removed\n"},
		"dry run":   {report: repair.RedriveReport{Found: 2}, dryRun: true, want: "2 messages to process; nothing was changed\n"},
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
	if refused != 1 || !strings.Contains(lines[0], "kinds") || lines[2] != "2 changes: 1 safe, 0 need a rebuild, 1 refused" {
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
	rules := []storage.Rule{{Name: "a", AnyStream: true, Severity: storage.Warning}, {Name: "b", Stream: "status", Severity: storage.Critical}}
	got := printed(func(w *strings.Builder) {
		if err := printing.Rules(w, rules); err != nil {
			t.Error(err)
		}
	})
	if lines := strings.Split(got, "\n"); len(lines) != 4 || !strings.Contains(lines[1], "any stream") || !strings.Contains(lines[2], `stream "status"`) {
		t.Errorf("got\n%s", got)
	}
}
