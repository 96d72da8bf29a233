// Command stack deploys a stage and deletes it, with the AWS and CDK command lines. It runs
// in the root of the repository; make deploy and make destroy call it.
//
//	stack deploy STAGE            asks before it widens privileges
//	stack -yes deploy STAGE       asks nothing, for CI
//	stack -changes deploy STAGE   only prepares change sets, for review
//	stack destroy STAGE           names what blocks the deletion, and detaches it with -yes
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func main() {
	yes := flag.Bool("yes", false, "ask nothing: approve wider privileges, detach what blocks a deletion")
	changes := flag.Bool("changes", false, "only prepare a change set")
	flag.Parse()
	settings, err := configfile.Load(configfile.FileName, domains.Kinds()...)
	if err == nil {
		err = run(settings, flag.Args(), options{yes: *yes, changes: *changes, out: os.Stdout, command: execute})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "stack:", err)
		os.Exit(1)
	}
}

type options struct {
	yes, changes bool
	out          io.Writer
	// command runs a program. It returns what it prints if quiet; otherwise the user sees it.
	command func(quiet bool, dir string, words ...string) (string, error)
}

func execute(quiet bool, dir string, words ...string) (string, error) {
	c := exec.Command(words[0], words[1:]...)
	c.Dir = dir
	c.Stdin = os.Stdin
	c.Stderr = os.Stderr
	if quiet {
		var errText strings.Builder
		c.Stderr = &errText
		out, err := c.Output()
		if err != nil {
			err = fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(errText.String()))
		}
		return string(out), err
	}
	c.Stdout = os.Stdout
	return "", c.Run()
}

var errUsage = errors.New("unknown arguments: want deploy STAGE or destroy STAGE")

func run(settings *config.Config, words []string, o options) error {
	if len(words) != 2 {
		return errUsage
	}
	for _, stage := range settings.Stages {
		if stage.Name != words[1] {
			continue
		}
		t := target{options: o, stage: stage, stack: "tidemark-" + stage.Name}
		switch words[0] {
		case "deploy":
			return t.deploy()
		case "destroy":
			return t.destroy()
		}
		return errUsage
	}
	return fmt.Errorf("no stage %q in %s", words[1], configfile.FileName)
}

// target is the stack of a stage.
type target struct {
	options
	stage config.Stage
	stack string
}

// aws runs the AWS command line in the stage's region, and returns what it prints.
func (t *target) aws(words ...string) (string, error) {
	words = append([]string{"aws"}, words...)
	if t.stage.Region != "" {
		words = append(words, "--region", t.stage.Region)
	}
	text, err := t.command(true, ".", append(words, "--output", "text")...)
	return strings.TrimSpace(text), err
}

// checkPlace refuses credentials of an account that the stage does not name.
func (t *target) checkPlace() error {
	if t.stage.Account == "" {
		return nil
	}
	account, err := t.aws("sts", "get-caller-identity", "--query", "Account")
	if err != nil {
		return err
	}
	if account != t.stage.Account {
		return fmt.Errorf("stage %s belongs to account %s, but the credentials are of %s: set "+
			"AWS_PROFILE, or change stages.%s.account", t.stage.Name, t.stage.Account, account, t.stage.Name)
	}
	return nil
}

// status returns the status of the stack, "" if there is none.
func (t *target) status() (string, error) {
	status, err := t.aws("cloudformation", "describe-stacks", "--stack-name", t.stack, "--query",
		"Stacks[0].StackStatus")
	if err != nil && strings.Contains(err.Error(), "does not exist") {
		return "", nil
	}
	return status, err
}
