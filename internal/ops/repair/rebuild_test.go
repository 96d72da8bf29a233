package repair_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/tidemark-db/tidemark/internal/engine/aggregate"
	"github.com/tidemark-db/tidemark/internal/ops/repair"
	"github.com/tidemark-db/tidemark/internal/ops/repair/verify"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var everything = verify.Scope{Span: verify.Always}

func (f *fixture) rebuilder() *repair.Repairer {
	return &repair.Repairer{Table: f.Table, Catalog: f.catalog, Aggregator: f.agg, Mark: aggregate.MarkNone,
		MaxNotes: 2}
}

func (f *fixture) checkpoint(path, job string) *repair.Checkpoint {
	f.Helper()
	at, err := repair.OpenCheckpoint(path, job, f.now)
	if err != nil {
		f.Fatal(err)
	}
	return at
}

func TestRebuilder_RepairsTheScopeAndDescribesWhatWasWrong(t *testing.T) {
	f := newFixture(t)
	f.process(f.store(deviceSeries("a"), "2026-04-20T10:00:00Z"))
	f.store(deviceSeries("a"), "2026-04-20T10:30:00Z")
	f.store(deviceSeries("b"), "2026-04-20T10:00:00Z")
	r := f.rebuilder()
	steps := 0
	r.Progress = func(s verify.Step) { steps += s.Added }

	r.DryRun = true
	report, err := r.Rebuild(t.Context(), everything, f.checkpoint("", ""))
	if err != nil || report.Changed == 0 {
		t.Fatalf("dry run: %+v, %v; want rows that would change", report, err)
	}
	f.wantWrong(6)

	r.DryRun = false
	scope := verify.Scope{Span: verify.Always, Subject: deviceSeries("a").Subject}
	report, err = r.Rebuild(t.Context(), scope, f.checkpoint("", ""))
	if err != nil || report.Series != 1 || report.Changed != 3 || len(report.Notes) != r.MaxNotes {
		t.Errorf("of one device: %+v, %v", report, err)
	}
	f.wantWrong(3)

	steps = 0
	report, err = r.Rebuild(t.Context(), everything, f.checkpoint("", ""))
	if err != nil || report.Series != 2 || report.Changed != 3 || steps != report.Recomputed {
		t.Errorf("of all: %+v, %v, progress counted %d", report, err, steps)
	}
	f.wantWrong(0)
}

func TestRebuilder_ResumesFromItsCheckpointAndRemovesIt(t *testing.T) {
	f := newFixture(t)
	for _, device := range []string{"a", "b"} {
		f.store(deviceSeries(device), "2026-04-20T10:00:00Z")
	}
	noise := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "c"}, Kind: "NOISE"}
	f.store(noise, "2026-04-20T10:00:00Z")
	path := filepath.Join(t.TempDir(), "rebuild.json")
	r := f.rebuilder()

	report, err := r.Rebuild(t.Context(), everything, f.checkpoint(path, "job"))
	var undeclared *repair.UndeclaredKindError
	if !errors.As(err, &undeclared) || undeclared.Series != noise || report.Series != 2 {
		t.Fatalf("report %+v, %v; want an UndeclaredKindError after two series", report, err)
	}
	if err := f.DeleteItem(t.Context(), eventKey(noise, "2026-04-20T10:00:00Z")); err != nil {
		t.Fatal(err)
	}
	if _, err := repair.OpenCheckpoint(path, "another job", f.now); !errors.Is(err, repair.ErrOtherJob) {
		t.Errorf("opened for another job: %v, want ErrOtherJob", err)
	}
	report, err = r.Rebuild(t.Context(), everything, f.checkpoint(path, "job"))
	if err != nil || report.Series != 0 {
		t.Errorf("resumed: %+v, %v; want no series left", report, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("the checkpoint of a finished rebuild: %v, want none", err)
	}
	f.wantWrong(0)
}

func TestOpenCheckpoint_RejectsAFileOfSomethingElse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(path, []byte("milk\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := repair.OpenCheckpoint(path, "job", nil); err == nil {
		t.Error("opened a file that no rebuild wrote")
	}
}
