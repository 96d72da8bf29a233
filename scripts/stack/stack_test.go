package main

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// machine replaces the command lines. output maps a part of a command to what it prints; a
// text that begins with "error" fails.
type machine struct {
	ran    []string
	output map[string]string
}

func (m *machine) command(_ bool, _ string, words ...string) (string, error) {
	line := strings.Join(words, " ")
	m.ran = append(m.ran, line)
	for part, text := range m.output {
		if strings.Contains(line, part) {
			if text, failed := strings.CutPrefix(text, "error "); failed {
				return "", errors.New(text)
			}
			return text, nil
		}
	}
	return "", nil
}

// changing returns the commands that change something.
func (m *machine) changing() (all []string) {
	for _, line := range m.ran {
		if !strings.Contains(line, "describe-") && !strings.Contains(line, " get-") &&
			!strings.Contains(line, " list-") {
			all = append(all, line)
		}
	}
	return all
}

func settings() *config.Config {
	c := config.Default()
	c.Stages[1].Account, c.Stages[1].Region = "111122223333", "eu-central-1"
	return c
}

func stack(t *testing.T, o options, output map[string]string,
	words ...string) (ran []string, out string, err error) {
	t.Helper()
	m := &machine{output: map[string]string{"get-caller-identity": "111122223333\n",
		"StackStatus": "UPDATE_COMPLETE"}}
	for part, text := range output {
		m.output[part] = text
	}
	var text bytes.Buffer
	o.out, o.command = &text, m.command
	err = run(settings(), words, o)
	return m.changing(), text.String(), err
}

func check(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s ran\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const missing = "error Stack with id tidemark-prod does not exist"

func TestDeploy_AFirstDeploymentProtectsTheTableLast(t *testing.T) {
	for _, status := range []string{missing, "ROLLBACK_COMPLETE", "REVIEW_IN_PROGRESS"} {
		got, _, err := stack(t, options{yes: true}, map[string]string{"StackStatus": status}, "deploy", "prod")
		if err != nil {
			t.Fatal(err)
		}
		check(t, "the first deployment, "+status, got, []string{
			cdk + " deploy tidemark-prod -c unprotected=true --require-approval never",
			cdk + " deploy tidemark-prod --require-approval never",
			"bin/tidemark config apply --stack tidemark-prod",
		})
	}
}

func TestDeploy_OfAnExistingStackChecksTheConfigurationFirst(t *testing.T) {
	got, _, err := stack(t, options{}, map[string]string{"StackStatus": "UPDATE_COMPLETE"}, "deploy", "prod")
	if err != nil {
		t.Fatal(err)
	}
	check(t, "the deployment", got, []string{
		"bin/tidemark config apply --stack tidemark-prod --dry-run",
		cdk + " deploy tidemark-prod",
		"bin/tidemark config apply --stack tidemark-prod",
	})
}

func TestDeploy_EndsAtTheFirstFailure(t *testing.T) {
	for part, want := range map[string]int{"--dry-run": 1, "cdk deploy": 2, "StackStatus": 0,
		"get-caller-identity": 0} {
		got, _, err := stack(t, options{}, map[string]string{part: "error refused"}, "deploy", "prod")
		if err == nil || len(got) != want {
			t.Errorf("with a failure of %s: %v after %q, want an error after %d commands", part, err, got, want)
		}
	}
}

func TestDeploy_PreparesAChangeSetForReview(t *testing.T) {
	got, out, err := stack(t, options{changes: true}, map[string]string{"StackStatus": "UPDATE_COMPLETE"},
		"deploy", "prod")
	if err != nil || len(got) != 2 || !strings.Contains(got[1], "--method prepare-change-set") ||
		!strings.Contains(out, "execute-change-set --stack-name tidemark-prod") {
		t.Errorf("ran %q, printed %q (%v)", got, out, err)
	}
}

func TestPlace_OfAnotherAccountIsRefused(t *testing.T) {
	for _, command := range []string{"deploy", "destroy"} {
		got, _, err := stack(t, options{yes: true}, map[string]string{"get-caller-identity": "999988887777"},
			command, "prod")
		if err == nil || !strings.Contains(err.Error(), "999988887777") || len(got) > 0 {
			t.Errorf("%s: %v after %q, want a refusal that names the account", command, err, got)
		}
	}
}

func TestPlace_EveryRequestGoesToTheStagesRegion(t *testing.T) {
	m := &machine{output: map[string]string{"get-caller-identity": "111122223333"}}
	if err := run(settings(), []string{"deploy", "prod"},
		options{out: &bytes.Buffer{}, command: m.command}); err != nil {
		t.Fatal(err)
	}
	for _, line := range m.ran {
		if strings.HasPrefix(line, "aws ") && !strings.Contains(line, "--region eu-central-1") {
			t.Errorf("%s: want the region of the stage", line)
		}
	}
}

// blocking are the output of a stack that cannot be deleted.
var blocking = map[string]string{
	"AWS::IoT::Policy":        "tidemark-prod-devices\n",
	"list-targets-for-policy": "arn:cert/1\tarn:cert/2\n",
}

func TestDestroy_NamesWhatBlocksItAndChangesNothing(t *testing.T) {
	output := map[string]string{"EnableTerminationProtection": "True"}
	for part, text := range blocking {
		output[part] = text
	}
	for _, yes := range []bool{false, true} {
		got, out, err := stack(t, options{yes: yes}, output, "destroy", "prod")
		if !errors.Is(err, errBlocked) || len(got) > 0 {
			t.Errorf("%v after %q, want %v", err, got, errBlocked)
		}
		for _, want := range []string{"termination protection", "arn:cert/1", "arn:cert/2",
			"tidemark-prod-devices"} {
			if !strings.Contains(out, want) {
				t.Errorf("the output lacks %s: %s", want, out)
			}
		}
	}
}

func TestDestroy_DetachesCertificatesAndListsWhatRemains(t *testing.T) {
	output := map[string]string{"resourcegroupstaggingapi": "arn:table\n"}
	for part, text := range blocking {
		output[part] = text
	}
	got, out, err := stack(t, options{yes: true}, output, "destroy", "prod")
	if err != nil || len(got) != 3 ||
		!strings.Contains(got[0], "detach-policy --policy-name tidemark-prod-devices --target arn:cert/1") ||
		got[2] != cdk+" destroy tidemark-prod --force" {
		t.Errorf("ran %q (%v)", got, err)
	}
	if !strings.Contains(out, "remains, and costs until you delete it: arn:table") {
		t.Errorf("printed %s", out)
	}
}

func TestDestroy_OfAStackThatDoesNotExistIsDone(t *testing.T) {
	if got, _, err := stack(t, options{}, map[string]string{"StackStatus": missing}, "destroy",
		"prod"); err != nil || len(got) > 0 {
		t.Errorf("%v after %q", err, got)
	}
}

func TestRun_RejectsOtherArguments(t *testing.T) {
	for _, words := range [][]string{nil, {"deploy"}, {"undo", "prod"}, {"deploy", "nowhere"}} {
		if _, _, err := stack(t, options{}, nil, words...); err == nil {
			t.Errorf("%q: want an error", words)
		}
	}
}
