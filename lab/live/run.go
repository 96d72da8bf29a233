package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Limits of a run from its beginning, interruptions included. After probesFor, the step that runs is ended,
// what is left is skipped and the stages are removed, which takes about six minutes.
const (
	probesFor = 22 * time.Minute
	dollars   = 1.0
)

// Results of a step.
const (
	holds      = "holds"
	notHolding = "does not hold"
	notSeen    = "not seen"
	skipped    = "not reached"
)

// done is the result of a step in the journal.
type done struct {
	Step, Result, Evidence string
	Seconds                int
}

// run is one check of a stage. Its journal survives an interruption.
type run struct {
	*account
	out             io.Writer
	journal, report string
	removeOnly      bool

	Began  time.Time
	Commit string
	Done   []done
	Oracle window // when the oracle's events were sent, for the bill
}

// window is a span of time with a number of events.
type window struct {
	From, To time.Time
	Events   int
}

// openRun continues the run of a stage that was interrupted, or begins one.
func openRun(a *account, root string, removeOnly bool) (*run, error) {
	dir, err := filepath.Abs(filepath.Join(root, a.stage))
	if err != nil {
		return nil, err
	}
	a.checkout, a.files = filepath.Join(dir, "checkout"), dir
	r := &run{account: a, out: os.Stdout, journal: filepath.Join(dir, "journal.json"),
		report: filepath.Join(dir, "report.md"), removeOnly: removeOnly}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(r.journal)
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("read the journal %s: %w", r.journal, err)
	}
	if errors.Is(err, os.ErrNotExist) || r.find("remove") != nil {
		r.Began, r.Done = a.now(), nil
	}
	return r, nil
}

func (r *run) find(step string) *done {
	for i := range r.Done {
		if r.Done[i].Step == step {
			return &r.Done[i]
		}
	}
	return nil
}

// broken reports whether a step does not hold.
func (r *run) broken() bool {
	for _, d := range r.Done {
		if d.Result == notHolding {
			return true
		}
	}
	return false
}

// save writes the journal, and the report of what is done so far.
func (r *run) save() error {
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.journal, text, 0o600); err != nil {
		return err
	}
	return os.WriteFile(r.report, []byte(r.text()), 0o600)
}

// step runs a step that is not done yet, until the time of the run is over. Its error is a result; only an
// interruption, or a journal that cannot be written, ends the run.
func (r *run) step(ctx context.Context, name string, do func(context.Context) (string, error)) error {
	if r.find(name) != nil {
		return nil
	}
	d, began := done{Step: name, Result: holds}, r.now()
	if left := r.Began.Add(probesFor).Sub(began); r.removeOnly || left <= 0 {
		d.Result = skipped
	} else {
		limited, cancel := context.WithTimeout(ctx, left)
		defer cancel()
		var err error
		d.Evidence, err = do(limited)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil && limited.Err() != nil:
			d.Result, d.Evidence = notSeen, "the time of the run was over: "+err.Error()
		case errors.Is(err, errNotSeen):
			d.Result, d.Evidence = notSeen, err.Error()
		case err != nil:
			d.Result, d.Evidence = notHolding, err.Error()
		}
	}
	d.Seconds = int(r.now().Sub(began).Seconds())
	fmt.Fprintf(r.out, "%-24s %-14s %s\n", d.Step, d.Result, firstLine(d.Evidence))
	r.Done = append(r.Done, d)
	return r.save()
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// all runs every step, and removes the stage at the end, also if it could not be deployed.
func (r *run) all(ctx context.Context) error {
	if err := r.step(ctx, "deploy", r.deploy); err != nil {
		return err
	}
	if r.find("deploy").Result == holds {
		if err := r.checks(ctx); err != nil {
			return err
		}
	}
	return r.remove(ctx)
}

func (r *run) checks(ctx context.Context) error {
	if r.outputs["TableName"] == "" {
		if err := r.readOutputs(ctx); err != nil {
			fmt.Fprintln(r.out, "no checks:", err) // the stack is deleted already
			return nil
		}
	}
	for _, s := range []struct {
		name string
		do   func(context.Context) (string, error)
	}{{"smoke", r.smoke}, {"oracle", r.oracle}} {
		if err := r.step(ctx, s.name, s.do); err != nil {
			return err
		}
	}
	for _, s := range scenes {
		if err := r.play(ctx, s); err != nil {
			return err
		}
	}
	return r.step(ctx, "bill", r.bill)
}

// play runs the probes of a scene that are not done. A scene that cannot begin is the result of each.
func (r *run) play(ctx context.Context, s scene) error {
	var cannot error
	begun := false
	for _, p := range s.probes {
		err := r.step(ctx, p.name, func(ctx context.Context) (string, error) {
			if !begun && s.begin != nil {
				cannot = s.begin(ctx, r.account)
			}
			if begun = true; cannot != nil {
				return "", fmt.Errorf("begin %s: %w", s.name, cannot)
			}
			return p.run(ctx, r.account)
		})
		if err != nil {
			return err
		}
	}
	if begun && s.end != nil {
		if err := s.end(ctx, r.account); err != nil {
			return fmt.Errorf("end %s: %w", s.name, err)
		}
	}
	return nil
}
