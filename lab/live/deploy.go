package live

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// stageConfig is the configuration of two stages. The first has every source, a customer key, traces and a
// topic for alarms, whose mail is never confirmed. The second has what excludes something of the first:
// rules that send batches, and canaries. An update of it changes its traces.
const stageConfig = `stages:
  STAGE:
    removal: destroy
    logRetention: 1d
    customerKey: true
    tracing: true
    alarmMail: live-check@example.com
    sources: {things: [DEVICE], topic: tidemark-STAGE, pages: true, senders: true, sqs: true, kinesis: true}
  SECOND:
    removal: destroy
    logRetention: 1d
    monitoring: lean
    canary: true
    tracing: TRACED
    sources: {things: [DEVICE], topic: tidemark-SECOND, batched: true, pages: false, senders: false}
mapping: {maxRetries: 1}
`

// writeConfig writes the configuration of the stages into the clone.
func (a *account) writeConfig(traced bool) error {
	text := strings.NewReplacer("STAGE", a.stage, "SECOND", a.second().stage, "TRACED",
		fmt.Sprint(traced)).Replace(stageConfig)
	return os.WriteFile(filepath.Join(a.checkout, "tidemark.yaml"), []byte(text), 0o600)
}

// deploy clones the commit, adds the stages and deploys the first, while CloudFormation creates the second.
// The user's checkout stays as it is.
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
	if err := r.writeConfig(false); err != nil {
		return "", err
	}
	evidence := "deployed"
	if err := createSecond(ctx, r.account); err != nil {
		evidence += ", but the second stage cannot begin: " + err.Error()
	}
	if _, err := r.command(ctx, r.checkout, "make", "deploy", "STAGE="+r.stage, "YES=1"); err != nil {
		return "", err
	}
	return evidence, r.readOutputs(ctx)
}

// remove undoes what the probes have changed, deletes everything and says what is left. It is not
// skipped, and is repeated until it succeeds.
func (r *run) remove(ctx context.Context) error {
	d, began := done{Step: "remove", Result: holds}, r.now()
	for _, undo := range []func(context.Context, *account) error{deleteSecond, accept, endPlatform, endAlarms,
		deleteProbeTable} {
		if err := undo(ctx, r.account); err != nil && !strings.Contains(err.Error(), "ResourceNotFound") {
			return fmt.Errorf("remove stage %s: %w", r.stage, err)
		}
	}
	if _, err := os.Stat(r.checkout); err == nil {
		for _, stage := range []string{r.stage, r.second().stage} {
			if _, err := r.command(ctx, r.checkout, "make", "destroy", "STAGE="+stage, "YES=1"); err != nil {
				return fmt.Errorf("remove stage %s: %w", stage, err)
			}
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

// left deletes the secrets that stages keep, and returns the other resources that have their tags. A
// key that waits for its deletion costs nothing, and index entries of the tables are gone in minutes.
func (r *run) left(ctx context.Context) (all []string, err error) {
	text, err := r.aws(ctx, "resourcegroupstaggingapi", "get-resources",
		"--tag-filters", "Key=application,Values=tidemark",
		"Key=stage,Values="+r.stage+","+r.second().stage, "--query",
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
