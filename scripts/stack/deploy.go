package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

const (
	cdk      = "../node_modules/.bin/cdk"
	tidemark = "bin/tidemark"
)

// deploy deploys the stack and applies the configuration to the table. A first deployment
// of a stage whose table is retained takes two steps: AWS deletes neither a protected stack nor a
// protected table, so neither may be protected while the deployment can still fail.
func (t *target) deploy() error {
	if err := t.checkPlace(); err != nil {
		return err
	}
	if err := t.checkTable(); err != nil {
		return err
	}
	status, err := t.status()
	if err != nil {
		return err
	}
	// The last two are of a stack without resources.
	deployed := status != "" && status != "ROLLBACK_COMPLETE" && status != "REVIEW_IN_PROGRESS"
	if deployed {
		if err := t.apply("--dry-run"); err != nil {
			return err
		}
	}
	protected := t.stage.Removal == config.Retain
	if !deployed && protected {
		if err := t.cdkDeploy("-c", config.Unprotected+"=true"); err != nil || t.changes {
			return err
		}
		fmt.Fprintln(t.out, "the stack is created; now it and its table are protected from deletion")
	}
	if err := t.cdkDeploy(); err != nil || t.changes {
		return err
	}
	return t.apply()
}

// checkTable refuses a stage whose existing table lacks what a stack gives its own.
func (t *target) checkTable() error {
	arn, stream, _ := strings.Cut(t.stage.Table, "/stream/")
	_, name, named := strings.Cut(arn, ":table/")
	if !named {
		return nil // the stack creates the table
	}
	for _, c := range []struct{ request, query, want string }{
		{"describe-table --table-name " + name,
			"Table.[StreamSpecification.StreamViewType,LatestStreamLabel,DeletionProtectionEnabled]",
			"NEW_AND_OLD_IMAGES\t" + stream + "\t" +
				map[bool]string{true: "True", false: "False"}[t.stage.Removal == config.Retain]},
		{"describe-time-to-live --table-name " + name, "TimeToLiveDescription.[AttributeName,TimeToLiveStatus]",
			keys.AttrExpiresAt + "\tENABLED"},
		{"describe-continuous-backups --table-name " + name,
			"ContinuousBackupsDescription.PointInTimeRecoveryDescription.PointInTimeRecoveryStatus", "ENABLED"},
		{"list-tags-of-resource --resource-arn " + arn, "Tags[?Key=='stage'].Value", t.stage.Name},
	} {
		got, err := t.aws(append([]string{"dynamodb", "--query", c.query}, strings.Fields(c.request)...)...)
		if err != nil || got != c.want {
			return errors.Join(fmt.Errorf(
				"table %s has %s %q, stage %s needs %q: run tidemark restore --restored --stage %s --table %s", name,
				c.query, got, t.stage.Name, c.want, t.stage.Name, name), err)
		}
	}
	return nil
}

// cdkDeploy runs the CDK with more options.
func (t *target) cdkDeploy(more ...string) error {
	words := append([]string{cdk, "deploy", t.stack}, more...)
	if t.yes || t.changes {
		words = append(words, "--require-approval", "never")
	}
	if t.changes {
		words = append(words, "--method", "prepare-change-set", "--change-set-name", changeSet)
	}
	if _, err := t.command(false, "infra", words...); err != nil {
		return fmt.Errorf("deploy %s: %w", t.stack, err)
	}
	if t.changes {
		fmt.Fprintf(t.out, "review it, then execute it: aws cloudformation execute-change-set "+
			"--stack-name %s --change-set-name %s\n", t.stack, changeSet)
	}
	return nil
}

// changeSet is the name of the change set that is prepared for review.
const changeSet = "tidemark-review"

func (t *target) apply(more ...string) error {
	words := append([]string{tidemark, "config", "apply", "--stack", t.stack}, more...)
	if _, err := t.command(false, ".", words...); err != nil {
		return fmt.Errorf("apply the configuration to the table of %s: %w; the functions keep the "+
			"configuration of the table until make deploy succeeds", t.stack, err)
	}
	return nil
}
