package main

import (
	"errors"
	"fmt"
	"strings"
)

var errBlocked = errors.New("the stack cannot be deleted yet")

// destroy deletes the stack. It names what CloudFormation would fail on after it has deleted
// half of the stack: termination protection, which only its owner switches off, and
// certificates that use the policies of things, which are detached with -yes.
func (t *target) destroy() error {
	if err := t.checkPlace(); err != nil {
		return err
	}
	status, err := t.status()
	if err != nil {
		return err
	}
	if status == "" {
		fmt.Fprintf(t.out, "%s does not exist\n", t.stack)
		return nil
	}
	blocked, err := t.protection()
	if err != nil {
		return err
	}
	attached, err := t.certificates()
	if err != nil {
		return err
	}
	for _, a := range attached {
		if t.yes && !blocked {
			if _, err := t.aws("iot", "detach-policy", "--policy-name", a.policy, "--target",
				a.certificate); err != nil {
				return err
			}
			fmt.Fprintf(t.out, "detached %s from %s\n", a.policy, a.certificate)
			continue
		}
		fmt.Fprintf(t.out, "blocked by certificate %s, which uses policy %s: run again with YES=1 to detach it\n",
			a.certificate, a.policy)
		blocked = true
	}
	if blocked {
		return errBlocked
	}
	words := []string{cdk, "destroy", t.stack}
	if t.yes {
		words = append(words, "--force")
	}
	if _, err := t.command(false, "infra", words...); err != nil {
		return fmt.Errorf("delete %s: %w", t.stack, err)
	}
	t.listRetained()
	return nil
}

// protection reports whether the stack has termination protection, and how to disable it.
func (t *target) protection() (blocked bool, err error) {
	on, err := t.aws("cloudformation", "describe-stacks", "--stack-name", t.stack, "--query",
		"Stacks[0].EnableTerminationProtection")
	if err != nil || !strings.EqualFold(on, "true") {
		return false, err
	}
	fmt.Fprintf(t.out, "blocked by termination protection: aws cloudformation "+
		"update-termination-protection --no-enable-termination-protection --stack-name %s\n", t.stack)
	return true, nil
}

// attachment is a policy of things on a certificate.
type attachment struct{ policy, certificate string }

// certificates returns the attachments of the stack's policies of things.
func (t *target) certificates() (all []attachment, err error) {
	policies, err := t.aws("cloudformation", "list-stack-resources", "--stack-name", t.stack,
		"--query", "StackResourceSummaries[?ResourceType=='AWS::IoT::Policy'].PhysicalResourceId")
	if err != nil {
		return nil, err
	}
	for _, policy := range strings.Fields(policies) {
		targets, err := t.aws("iot", "list-targets-for-policy", "--policy-name", policy, "--query", "targets")
		if err != nil {
			return nil, err
		}
		for _, certificate := range strings.Fields(targets) {
			all = append(all, attachment{policy, certificate})
		}
	}
	return all, nil
}

// listRetained prints what the deletion left, which still costs. The stack is gone already, so
// that a failure changes nothing.
func (t *target) listRetained() {
	left, err := t.aws("resourcegroupstaggingapi", "get-resources",
		"--tag-filters", "Key=application,Values=tidemark", "Key=stage,Values="+t.stage.Name, "--query",
		"ResourceTagMappingList[].ResourceARN")
	if err != nil {
		fmt.Fprintf(t.out, "what remains cannot be listed: %v\n", err)
		return
	}
	for _, arn := range strings.Fields(left) {
		fmt.Fprintf(t.out, "remains, and costs until you delete it: %s\n", arn)
	}
}
