package live

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
)

// newRun returns a run of a stack that responds so, with a journal in a folder.
func newRun(t *testing.T, root string, removeOnly bool, responses ...response) (*run, *cloud) {
	t.Helper()
	a, c := fakeStack(t, responses...)
	local := onLocal(t)
	a.db, a.streams = local.db, local.streams
	r, err := openRun(a, root, removeOnly)
	if err != nil {
		t.Fatal(err)
	}
	r.out = io.Discard
	return r, c
}

// checkout makes the clone of a run that exists.
func checkout(t *testing.T, root string) {
	t.Helper()
	dir := filepath.Join(root, "check", "checkout")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "tidemark.yaml"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
}

func ran(c *cloud, part string) bool {
	return slices.ContainsFunc(c.ran, func(line string) bool { return strings.Contains(line, part) })
}

const outputs = "TableName\tT\nApiUrl\thttp://127.0.0.1:1\n"

func TestRun_AnInterruptionIsContinuedAfterTheLastStep(t *testing.T) {
	ddbtest.ForTest(t)
	root := t.TempDir()
	checkout(t, root)
	r, c := newRun(t, root, false, one("describe-stacks", outputs), one("rev-parse", "abc123\n"))
	ctx, interrupt := context.WithCancel(t.Context())
	if err := r.step(ctx, "deploy", r.deploy); err != nil || !ran(c, "make deploy STAGE=check YES=1") {
		t.Fatalf("%v after %q", err, c.ran)
	}
	if text, err := os.ReadFile(filepath.Join(r.checkout, "tidemark.yaml")); err != nil ||
		!strings.Contains(string(text), "\n  check:\n") {
		t.Errorf("the configuration is %s (%v)", text, err)
	}
	interrupt()
	if err := r.step(ctx, "smoke", r.smoke); err == nil || r.find("smoke") != nil {
		t.Fatalf("interrupted: %v, %+v", err, r.Done)
	}

	again, c := newRun(t, root, false, one("describe-stacks", outputs),
		one("bin/tidemark smoke", "error 2 buckets are wrong"))
	if again.Commit != "abc123\n" || !again.Began.Equal(r.Began) {
		t.Errorf("the journal has %+v", again)
	}
	if err := again.all(t.Context()); err != nil {
		t.Fatal(err)
	}
	if ran(c, "make deploy STAGE=check YES=1") || !ran(c, "make destroy STAGE=check YES=1") ||
		!ran(c, "make destroy STAGE=checkb YES=1") || !again.broken() {
		t.Errorf("it ran %q", c.ran)
	}
	if d := again.find("smoke"); d.Result != notHolding || !strings.Contains(d.Evidence, "2 buckets are wrong") {
		t.Errorf("smoke: %+v", d)
	}
	for _, p := range allProbes() {
		if again.find(p.name) == nil {
			t.Errorf("%s was not run", p.name)
		}
	}
	if fresh, _ := newRun(t, root, false); len(fresh.Done) > 0 {
		t.Errorf("a run after the removal begins with %+v", fresh.Done)
	}
}

func TestRun_ADeploymentThatFailsIsRemoved(t *testing.T) {
	ddbtest.ForTest(t)
	for _, responses := range [][]response{
		{one("make deploy", "error it failed")}, {one("rev-parse", "error no repository")},
		{one("git status", " M tidemark.yaml\n")}, {one("describe-stacks", "")},
	} {
		root := t.TempDir()
		checkout(t, root)
		r, c := newRun(t, root, false, responses...)
		clear(r.outputs)
		if err := r.all(t.Context()); err != nil || !ran(c, "make destroy") || !r.broken() ||
			r.find("smoke") != nil {
			t.Errorf("%v: %v, %+v", responses, err, r.Done)
		}
	}
}

func TestRun_AfterItsTimeItSkipsAndRemoves(t *testing.T) {
	ddbtest.ForTest(t)
	for _, removeOnly := range []bool{false, true} {
		root := t.TempDir()
		checkout(t, root)
		r, c := newRun(t, root, removeOnly, one("describe-stacks", outputs))
		if err := r.step(t.Context(), "deploy", func(context.Context) (string, error) {
			return "deployed", nil
		}); err != nil {
			t.Fatal(err)
		}
		if !removeOnly {
			c.at = c.at.Add(probesFor + time.Second)
		}
		r.find("deploy").Result = holds
		c.ran = nil
		if err := r.all(t.Context()); err != nil || r.find("smoke").Result != skipped ||
			r.find("kms").Result != skipped || !ran(c, "make destroy") || ran(c, "put-role-policy") {
			t.Errorf("%v after %q", err, c.ran)
		}
	}
}

func TestStep_IsEndedWithTheTimeOfTheRun(t *testing.T) {
	r, c := newRun(t, t.TempDir(), false)
	c.at = c.at.Add(probesFor - 20*time.Millisecond)
	err := r.step(t.Context(), "waits", func(ctx context.Context) (string, error) {
		<-ctx.Done()
		return "", fmt.Errorf("0 events: %w", ctx.Err())
	})
	if d := r.find("waits"); err != nil || d.Result != notSeen || !strings.Contains(d.Evidence, "0 events") {
		t.Errorf("%v, %+v; want %s", err, r.Done, notSeen)
	}
}

func TestDeploy_SaysThatTheSecondStageCannotBegin(t *testing.T) {
	ddbtest.ForTest(t)
	root := t.TempDir()
	checkout(t, root)
	r, c := newRun(t, root, false, one("make deploy STAGE=checkb CHANGES=1", "error no assets"),
		one("StackStatus", "error does not exist"), one("describe-stacks", outputs))
	err := r.step(t.Context(), "deploy", r.deploy)
	if err != nil || !ran(c, "make deploy STAGE=check YES=1") {
		t.Fatalf("%v after %q", err, c.ran)
	}
	if d := r.find("deploy"); d.Result != holds || !strings.Contains(d.Evidence, "no assets") {
		t.Errorf("%+v", d)
	}
}

func TestRemove_FailsUntilNothingIsLeft(t *testing.T) {
	ddbtest.ForTest(t)
	for part, output := range map[string]string{"make destroy STAGE=check ": "error blocked",
		"make destroy STAGE=checkb": "error blocked", "get-queue-url": "error denied",
		"get-resources":      "error denied",
		"delete-role-policy": "error denied", "delete-secret": "error denied"} {
		root := t.TempDir()
		checkout(t, root)
		r, _ := newRun(t, root, true, one(part, output),
			one("get-resources", "arn:aws:secretsmanager:x:1:secret:s"))
		if err := r.remove(t.Context()); err == nil || r.find("remove") != nil {
			t.Errorf("%s: %v, %+v", part, err, r.Done)
		}
	}
	r, c := newRun(t, t.TempDir(), true,
		one("get-resources",
			"arn:aws:kms:x:1:key/k\tarn:aws:secretsmanager:x:1:secret:s\tarn:aws:sqs:x:111122223333:q\n"), one("--query Role", "error ResourceNotFoundException"))
	if err := r.remove(t.Context()); err != nil || !r.broken() ||
		!ran(c, "delete-secret --secret-id arn:aws:secretsmanager:x:1:secret:s") {
		t.Fatalf("%v after %q", err, c.ran)
	}
	report, err := os.ReadFile(r.report)
	if err != nil || !strings.Contains(string(report), "arn:aws:sqs:x:ACCOUNT:q") ||
		strings.Contains(string(report), "111122223333") {
		t.Errorf("%v: the report must name what is left, without the account:\n%s", err, report)
	}
}

func TestScene_ThatCannotBeginIsTheResultOfItsProbes(t *testing.T) {
	ddbtest.ForTest(t)
	r, _ := newRun(t, t.TempDir(), false, one("--query Role", "error denied"))
	s := scene{name: "refused", begin: refuse, end: func(context.Context, *account) error { return nil },
		probes: refusedProbes[:2]}
	if err := r.play(t.Context(), s); err != nil || r.find("partial-response").Result != notHolding ||
		r.find("on-failure-inbox").Result != notHolding {
		t.Errorf("%v, %+v", err, r.Done)
	}
}

func TestJournal_ThatCannotBeReadIsAnError(t *testing.T) {
	root := t.TempDir()
	checkout(t, root)
	if err := os.WriteFile(filepath.Join(root, "check", "journal.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	a, _ := fakeStack(t)
	if _, err := openRun(a, root, false); err == nil {
		t.Error("want an error")
	}
}

func TestBill_ComparesWithTheForecast(t *testing.T) {
	a, _ := fakeStack(t, one("ConsumedWriteCapacityUnits", "60000"), one("get-metric-statistics", "1000"),
		one("tidemark cost", "READING 2.35\n"))
	r := &run{account: a, Oracle: window{Events: 20000}}
	text, err := r.bill(t.Context())
	if err != nil || !strings.Contains(text, "3.00 write units") || !strings.Contains(text, "READING 2.35") {
		t.Errorf("%v: %s", err, text)
	}
	a, _ = fakeStack(t, one("get-metric-statistics", "2000000"))
	if _, err := (&run{account: a}).bill(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "more than $1") {
		t.Errorf("a run that costs more than a dollar: %v", err)
	}
	for _, part := range []string{"get-metric-statistics", "tidemark cost"} {
		a, _ := fakeStack(t, one(part, "error denied"))
		if _, err := (&run{account: a}).bill(t.Context()); err == nil {
			t.Errorf("%s fails: want an error", part)
		}
	}
}
