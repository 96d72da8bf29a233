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

// Limits of a run from its beginning, interruptions included. After probesFor, what is left is skipped
// and the stage is removed, which takes about five minutes.
const (
	probesFor = 23 * time.Minute
	dollars   = 1.0
)

// stageConfig is the configuration of the stage: every source, a customer key and traces.
const stageConfig = `stages:
  STAGE:
    removal: destroy
    logRetention: 1d
    customerKey: true
    tracing: true
    sources: {things: [DEVICE], topic: tidemark-STAGE, pages: true, senders: true, sqs: true, kinesis: true}
mapping: {maxRetries: 1}
`

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

// step runs a step that is not done yet. Its error is a result; only an interruption, or a journal
// that cannot be written, ends the run.
func (r *run) step(ctx context.Context, name string, do func(context.Context) (string, error)) error {
	if r.find(name) != nil {
		return nil
	}
	d, began := done{Step: name, Result: holds}, r.now()
	if r.removeOnly || began.After(r.Began.Add(probesFor)) {
		d.Result = skipped
	} else {
		var err error
		d.Evidence, err = do(ctx)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
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

// deploy clones the commit, adds the stage and deploys it. The user's checkout stays as it is.
func (r *run) deploy(ctx context.Context) (string, error) {
	changed, err := r.command(ctx, ".", "git", "status", "--porcelain")
	if err == nil && changed != "" {
		err = errors.New("the checkout has changes that are not committed: live-check deploys a commit")
	}
	if err != nil {
		return "", err
	}
	if r.Commit, err = r.command(ctx, ".", "git", "rev-parse", "HEAD"); err != nil {
		return "", err
	}
	root, err := filepath.Abs(".")
	if err != nil {
		return "", err
	}
	config := filepath.Join(r.checkout, "tidemark.yaml")
	if _, err := os.Stat(config); err != nil {
		if _, err := r.command(ctx, ".", "git", "clone", "--quiet", root, r.checkout); err != nil {
			return "", err
		}
	}
	if err := os.WriteFile(config, []byte(strings.ReplaceAll(stageConfig, "STAGE", r.stage)),
		0o600); err != nil {
		return "", err
	}
	if _, err := r.command(ctx, r.checkout, "make", "deploy", "STAGE="+r.stage, "YES=1"); err != nil {
		return "", err
	}
	return "deployed", r.readOutputs(ctx)
}

// remove undoes what the probes have changed, deletes everything and says what is left. It is not
// skipped, and is repeated until it succeeds.
func (r *run) remove(ctx context.Context) error {
	d, began := done{Step: "remove", Result: holds}, r.now()
	for _, undo := range []func(context.Context, *account) error{accept, endPlatform, deleteProbeTable} {
		if err := undo(ctx, r.account); err != nil && !strings.Contains(err.Error(), "ResourceNotFound") {
			return fmt.Errorf("remove stage %s: %w", r.stage, err)
		}
	}
	if _, err := os.Stat(r.checkout); err == nil {
		if _, err := r.command(ctx, r.checkout, "make", "destroy", "STAGE="+r.stage, "YES=1"); err != nil {
			return fmt.Errorf("remove stage %s: %w", r.stage, err)
		}
	}
	left, err := r.left(ctx)
	if err != nil {
		return fmt.Errorf("look for what is left of stage %s: %w", r.stage, err)
	}
	if d.Evidence = "nothing is left"; len(left) > 0 {
		d.Result, d.Evidence = notHolding, "left, and to be deleted by hand: "+strings.Join(left, " ")
	}
	d.Seconds = int(r.now().Sub(began).Seconds())
	fmt.Fprintf(r.out, "%-24s %-14s %s\n", d.Step, d.Result, d.Evidence)
	r.Done = append(r.Done, d)
	return r.save()
}

// left deletes the secrets that a stage keeps, and returns the other resources that have its tags. A
// key that waits for its deletion costs nothing, and index entries of the tables are gone in minutes.
func (r *run) left(ctx context.Context) (all []string, err error) {
	text, err := r.aws(ctx, "resourcegroupstaggingapi", "get-resources",
		"--tag-filters", "Key=application,Values=tidemark", "Key=stage,Values="+r.stage, "--query",
		"ResourceTagMappingList[].ResourceARN")
	for arn := range strings.FieldsSeq(text) {
		switch {
		case strings.Contains(arn, ":kms:") || strings.Contains(arn, r.table) || strings.Contains(arn, r.failing()):
		case strings.Contains(arn, ":secretsmanager:"):
			if _, err := r.aws(ctx, "secretsmanager", "delete-secret", "--secret-id", arn,
				"--force-delete-without-recovery"); err != nil {
				return nil, err
			}
		default:
			all = append(all, arn)
		}
	}
	return all, err
}
