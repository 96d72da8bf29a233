package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

// secondProbes are about rules of AWS IoT that send batches to the API, on the second stage.
var secondProbes = []probe{
	{
		name: "batched", page: "use/SENDERS.md", suites: onResponses, run: batched,
		assumes: "AWS IoT confirms the API as a destination of rules, and delivers batches to it",
		how: "with `batched: true`, the destination is enabled, and each of 10 readings, published " +
			"together, is stored once",
	},
	{
		name: "forged-request", page: "run/SECURITY.md", suites: onResponses, run: forgedRequest,
		assumes: "API Gateway refuses a batch of rules without the signature of their role",
		how:     "a message of a rule, to the routes of batches (403) and of confirmations (400)",
	},
}

// second returns the second stage. Its outputs are not read yet.
func (a *account) second() *account {
	b := *a
	b.stage += "b"
	b.stack = "tidemark-" + b.stage
	b.outputs = map[string]string{}
	return &b
}

// status returns the status of the stack; "" if there is none, or nothing of it is created yet.
func (a *account) status(ctx context.Context) (string, error) {
	status, err := a.aws(ctx, "cloudformation", "describe-stacks", "--stack-name", a.stack, "--query",
		"Stacks[0].StackStatus")
	if err != nil && strings.Contains(err.Error(), "does not exist") || status == "REVIEW_IN_PROGRESS" {
		return "", nil
	}
	return status, err
}

// settled returns whether CloudFormation has created or updated the stack. The error reports a stack for
// which it has not, and will not.
func (a *account) settled(ctx context.Context) (bool, error) {
	status, err := a.status(ctx)
	switch {
	case err != nil:
		return false, err
	case status == "CREATE_COMPLETE", strings.HasPrefix(status, "UPDATE_COMPLETE"):
		return true, nil
	case status == "CREATE_IN_PROGRESS", status == "UPDATE_IN_PROGRESS":
		return false, nil
	}
	return false, fmt.Errorf("the stack %s has the status %q", a.stack, status)
}

// start makes CloudFormation create or update the stack, and does not wait for the end.
func (a *account) start(ctx context.Context) error {
	_, err := a.command(ctx, a.checkout, "make", "deploy", "STAGE="+a.stage, "CHANGES=1")
	if err == nil {
		_, err = a.aws(ctx, "cloudformation", "execute-change-set", "--stack-name", a.stack,
			"--change-set-name", "tidemark-review")
	}
	return err
}

// createSecond begins the creation of the second stage, unless an interrupted run has begun it.
func createSecond(ctx context.Context, a *account) error {
	b := a.second()
	status, err := b.status(ctx)
	if err != nil || status != "" {
		return err
	}
	return b.start(ctx)
}

// awaitSecond waits until the second stage is created, and applies the configuration to its table.
func awaitSecond(ctx context.Context, a *account) error {
	b := a.second()
	err := b.until(ctx, 6*time.Minute, func() (bool, error) { return b.settled(ctx) })
	if err == nil {
		_, err = b.command(ctx, b.checkout, "bin/tidemark", "config", "apply", "--stack", b.stack)
	}
	return err
}

// deleteSecond begins the deletion of the second stage, if CloudFormation is not working on it. The removal
// of the run waits for it.
func deleteSecond(ctx context.Context, a *account) error {
	_, err := a.aws(ctx, "cloudformation", "delete-stack", "--stack-name", a.second().stack)
	if err != nil && strings.Contains(err.Error(), "_IN_PROGRESS") {
		return nil
	}
	return err
}

func batched(ctx context.Context, a *account) (string, error) {
	b := a.second()
	if err := b.readOutputs(ctx); err != nil {
		return "", err
	}
	status := ""
	err := b.until(ctx, time.Minute, func() (_ bool, err error) {
		status, err = b.aws(ctx, "iot", "list-topic-rule-destinations", "--query", fmt.Sprintf(
			"destinationSummaries[?httpUrlSummary.confirmationUrl=='%s'].status",
			b.outputs["ApiUrl"]+envelope.PathConfirmation))
		return status != "IN_PROGRESS", err
	})
	if err == nil && status != "ENABLED" || errors.Is(err, errNotSeen) {
		err = fmt.Errorf("the destination of the rules has the status %q, want ENABLED", status)
	}
	if err != nil {
		return "", err
	}
	rule, err := b.aws(ctx, "iot", "get-topic-rule", "--rule-name", b.rule(), "--query",
		"rule.[ruleDisabled,actions[0].http.enableBatching]")
	if err == nil && strings.Join(strings.Fields(rule), " ") != "False True" {
		err = fmt.Errorf("of the rule %s, ruleDisabled and enableBatching are %q, want False and True",
			b.rule(), rule)
	}
	if err != nil {
		return "", err
	}
	const readings = 10 // of the largest batch
	payloads := make([]string, readings)
	for i := range payloads {
		payloads[i] = b.reading("", 60+i)
	}
	if err := b.publishAll(ctx, b.topic("live-batched"), payloads...); err != nil {
		return "", err
	}
	return fmt.Sprintf("ENABLED, %d readings stored", readings), b.awaitEvents(ctx, "live-batched", readings)
}

func forgedRequest(ctx context.Context, a *account) (string, error) {
	b := a.second()
	if err := b.readOutputs(ctx); err != nil {
		return "", err
	}
	const victim = "live-victim"
	message, err := json.Marshal([]map[string]any{{
		envelope.RuleSubject: victim, envelope.RuleKind: "READING", "value": 1,
		"timestamp": b.now().Add(-time.Minute).UTC().Format(time.RFC3339),
	}})
	if err != nil {
		return "", err
	}
	for _, want := range []struct {
		path   string
		status int
	}{{envelope.PathMessages, http.StatusForbidden}, {envelope.PathConfirmation, http.StatusBadRequest}} {
		status, body, err := b.send(ctx, want.path, string(message), "")
		if err == nil && status != want.status {
			err = fmt.Errorf("POST %s: status %d, want %d: %s", want.path, status, want.status, body)
		}
		if err != nil {
			return "", err
		}
	}
	if n, err := b.events(ctx, victim); err != nil || n > 0 {
		return "", errors.Join(fmt.Errorf("%d events of the forged device", n), err)
	}
	return "403 and 400, and nothing is stored", nil
}
