package live

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/local/ddbtest"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func TestConfig_DeclaresBothStages(t *testing.T) {
	for _, traced := range []bool{false, true} {
		a, _ := fakeStack(t)
		if err := a.writeConfig(traced); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(a.checkout, configfile.FileName))
		if err != nil {
			t.Fatal(err)
		}
		settings, err := configfile.Parse(configfile.FileName, text, domains.Kinds()...)
		if err != nil || len(settings.Stages) != 2 {
			t.Fatalf("%v in\n%s", err, text)
		}
		first, second := settings.Stages[0], settings.Stages[1]
		if first.Name != a.stage || first.AlarmMail == "" || first.Sources.Batched || first.Canary {
			t.Errorf("the first stage is %+v", first)
		}
		if second.Name != a.second().stage || !second.Sources.Batched || !second.Canary ||
			second.Tracing != traced || second.Sources.Topic == first.Sources.Topic {
			t.Errorf("the second stage is %+v, want traces: %v", second, traced)
		}
	}
}

// The second stage is created and updated once, also by a run that goes on.
func TestSecond_IsCreatedAndUpdatedWithoutWaiting(t *testing.T) {
	const (
		change  = "execute-change-set --stack-name tidemark-checkb"
		missing = "error tidemark-checkb does not exist"
	)
	for _, test := range []struct {
		do        func(context.Context, *account) error
		responses []response
		changes   bool
		config    string // "" for none
	}{
		{do: createSecond, responses: []response{one("StackStatus", missing)}, changes: true},
		{do: createSecond, responses: []response{one("StackStatus", "REVIEW_IN_PROGRESS")}, changes: true},
		{do: createSecond, responses: []response{one("StackStatus", "CREATE_IN_PROGRESS")}},
		{do: beginUpdate, responses: []response{one("StackStatus", "UPDATE_IN_PROGRESS")}},
		{do: beginUpdate, responses: []response{one("StackStatus", "CREATE_COMPLETE", "UPDATE_IN_PROGRESS"),
			one("TracingConfig.Mode", "PassThrough")}, changes: true, config: "tracing: true"},
		{do: beginUpdate, responses: []response{one("StackStatus", "UPDATE_COMPLETE", "UPDATE_IN_PROGRESS"),
			one("TracingConfig.Mode", "Active")}, changes: true, config: "tracing: false"},
	} {
		a, c := fakeStack(t, test.responses...)
		err := test.do(t.Context(), a)
		if err != nil || ran(c, change) != test.changes ||
			ran(c, "make deploy STAGE=checkb CHANGES=1") != test.changes {
			t.Errorf("%v: %v after %q", test.responses, err, c.ran)
		}
		text, err := os.ReadFile(filepath.Join(a.checkout, configfile.FileName))
		if written := err == nil; written != (test.config != "") || !strings.Contains(string(text), test.config) {
			t.Errorf("%v wrote %q, want %s", test.responses, text, test.config)
		}
	}
}

func TestSecond_HidesNoFailure(t *testing.T) {
	type step = func(context.Context, *account) error
	const status, existing = "StackStatus", "CREATE_COMPLETE"
	for name, test := range map[string]struct {
		do        step
		responses []response
		fine      bool
	}{
		"create, no status":     {do: createSecond, responses: []response{one(status, "error denied")}},
		"create, no change set": {do: createSecond, responses: []response{one("make deploy", "error denied")}},
		"create, no execution":  {do: createSecond, responses: []response{one("execute", "error denied")}},
		"created": {do: awaitSecond, fine: true,
			responses: []response{one(status, "CREATE_IN_PROGRESS", existing)}},
		"rolled back": {do: awaitSecond,
			responses: []response{one(status, "CREATE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS")}},
		"never begun": {do: awaitSecond, responses: []response{one(status, "REVIEW_IN_PROGRESS")}},
		"too long":    {do: awaitSecond, responses: []response{one(status, "CREATE_IN_PROGRESS")}},
		"not applied": {do: awaitSecond,
			responses: []response{one(status, existing), one("config apply", "error denied")}},
		"update, no status": {do: beginUpdate, responses: []response{one(status, "error denied")}},
		"update, no mode": {do: beginUpdate,
			responses: []response{one(status, existing), one("TracingConfig", "error denied")}},
		"update, no change set": {do: beginUpdate,
			responses: []response{one(status, existing), one("make deploy", "error denied")}},
		"update, not begun": {do: beginUpdate, responses: []response{one(status, existing)}},
		"delete":            {do: deleteSecond, responses: []response{one("delete-stack", "error denied")}},
		"delete in an update": {do: deleteSecond, fine: true,
			responses: []response{one("delete-stack", "error in the state UPDATE_IN_PROGRESS")}},
		"queue, no address":  {do: endAlarms, responses: []response{one("get-queue-url", "error denied")}},
		"queue, no deletion": {do: endAlarms, responses: []response{one("delete-queue", "error denied")}},
		"queue":              {do: endAlarms, fine: true},
		"no queue": {do: endAlarms, fine: true,
			responses: []response{one("get-queue-url", "error SQS.NonExistentQueue")}},
	} {
		a, c := fakeStack(t, test.responses...)
		if err := test.do(t.Context(), a); (err == nil) != test.fine {
			t.Errorf("%s: %v after %q", name, err, c.ran)
		}
	}
}

// The version that canary-split saw is in the journal, so that canary can compare it after an interruption.
func TestCanary_ComparesWithTheVersionInTheJournal(t *testing.T) {
	ddbtest.ForTest(t)
	root := t.TempDir()
	split := []response{one("StackStatus", "UPDATE_IN_PROGRESS"), one("get-alias", "41\t42\t0.1")}
	r, _ := newRun(t, root, false, split...)
	r.Shifted = ""
	if _, err := canary(t.Context(), r.account); err == nil || errors.Is(err, errNotSeen) {
		t.Errorf("before canary-split: %v", err)
	}
	s := scene{name: "update", probes: updateProbes}
	if err := r.play(t.Context(), s); err != nil || r.find("canary-split").Result != holds {
		t.Fatalf("%v, %+v", err, r.Done)
	}
	for version, want := range map[string]string{"42": holds, "41": notHolding, "43": notHolding} {
		again, _ := newRun(t, root, false, one("StackStatus", "UPDATE_COMPLETE"), one("get-alias", version),
			one("describe-stacks", outputs))
		again.journal = filepath.Join(t.TempDir(), "journal.json") // each begins with the same one
		if err := again.play(t.Context(), scene{name: "updated", probes: updatedProbes}); err != nil ||
			again.find("canary").Result != want {
			t.Errorf("version %s: %v, %+v, want it to be: %s", version, err, again.Done, want)
		}
	}
}
