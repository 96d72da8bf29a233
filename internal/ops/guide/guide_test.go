package guide_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/internal/ops/guide"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// guided is a guide whose programs only leave their words.
type guided struct {
	*guide.Guide
	out bytes.Buffer
	ran []string
}

// newGuide returns a guide for a copy of the tidemark.yaml of the repository, with the lines of a user.
func newGuide(t *testing.T, lines ...string) *guided {
	t.Helper()
	text, err := os.ReadFile("../../../tidemark.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "tidemark.yaml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	g := &guided{}
	g.Guide = &guide.Guide{
		File: file, In: strings.NewReader(strings.Join(lines, "\n") + "\n"), Out: &g.out,
		Parse: func(text []byte) (*config.Config, error) {
			return configfile.Parse(file, text, domains.Kinds()...)
		},
		Command: func(_ context.Context, _ bool, words ...string) (string, error) {
			text := strings.Join(words, " ")
			g.ran = append(g.ran, text)
			switch {
			case strings.HasPrefix(text, "aws sts"):
				return "111122223333\n", nil
			case strings.HasPrefix(text, "aws configure"):
				return "eu-west-1\n", nil
			case strings.HasPrefix(text, "aws cloudwatch describe-alarms"):
				const arn = "arn:aws:cloudwatch:eu-west-1:111122223333:alarm:tidemark-prod-"
				return `(ALARM("` + arn + `lost") OR ALARM("` + arn + `stopped"))` + "\n", nil
			}
			return "", nil
		},
		Price: func(*config.Config) error { g.ran = append(g.ran, "price"); return nil },
		Verify: func(_ context.Context, stack, region string) error {
			g.ran = append(g.ran, "verify "+stack+" in "+region)
			return nil
		},
	}
	return g
}

func (g *guided) stage(t *testing.T, name string) config.Stage {
	t.Helper()
	settings, err := configfile.Load(g.File, domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range settings.Stages {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no stage %s", name)
	return config.Stage{}
}

func TestGuide_WritesDeploysAndVerifies(t *testing.T) {
	g := newGuide(t, "", "", "things, sqs", "20d", "https://login.example.com tidemark",
		"team@example.com", "y", "")
	if err := g.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &g.out)
	}
	want := g.stage(t, "prod")
	if want.Account != "111122223333" || want.Region != "eu-west-1" || want.AlarmMail != "team@example.com" ||
		want.Access.Issuer != "https://login.example.com" || want.Access.Audience[0] != "tidemark" {
		t.Errorf("%+v", want)
	}
	sources := config.Sources{Things: []string{"DEVICE"}, SQS: true, Topic: want.Sources.Topic}
	if diff := cmp.Diff(sources, want.Sources); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}
	ran := []string{
		"aws sts get-caller-identity --query Account --output text",
		"aws configure get region",
		"make --no-print-directory deploy-dry STAGE=prod",
		"price",
		"make --no-print-directory deploy STAGE=prod",
		"aws cloudwatch describe-alarms --alarm-types CompositeAlarm --alarm-name-prefix tidemark-prod- " +
			"--query CompositeAlarms[?!ActionsSuppressor && AlarmActions[0]].AlarmRule --region eu-west-1 --output text",
		"aws cloudwatch set-alarm-state --alarm-name tidemark-prod-lost --state-value ALARM " +
			"--state-reason a test by tidemark deploy: nothing is wrong --region eu-west-1 --output text",
		"verify tidemark-prod in eu-west-1",
	}
	if diff := cmp.Diff(ran, g.ran); diff != "" {
		t.Errorf("commands (-want +got):\n%s", diff)
	}
}

// The rest of the file is what it was, with its comments.
func TestGuide_ChangesOnlyWhatWasChosen(t *testing.T) {
	g := newGuide(t)
	before, err := os.ReadFile(g.File)
	if err != nil {
		t.Fatal(err)
	}
	g.Unattended, g.Known = true, guide.Choices{"stage": "house", "alarmMail": "a@example.com"}
	if err := g.Run(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, &g.out)
	}
	after, err := os.ReadFile(g.File)
	if err != nil {
		t.Fatal(err)
	}
	rest := string(after)
	for line := range strings.SplitSeq(string(before), "\n") {
		at := strings.Index(rest, line)
		if at < 0 {
			t.Fatalf("the line %q is lost", line)
		}
		rest = rest[at+len(line):]
	}
	if s := g.stage(t, "house"); s.Removal != config.Retain || s.AlarmMail != "a@example.com" {
		t.Errorf("%+v", s)
	}
}

// A wrong choice is asked for again; it is not written.
func TestGuide_AsksAgain(t *testing.T) {
	g := newGuide(t, "Prod!", "prod", "12 x", "111122223333 eu-west-1", "mqtt", "none",
		"forever", "400d", "30d", "me", "iam", "team", "none", "n")
	err := g.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "nothing was deployed") {
		t.Errorf("%v, want that nothing was deployed", err)
	}
	for _, want := range []string{
		`"Prod!": want up to 20 small letters`, `"12 x": want 12 digits`, `"mqtt" is not a source`,
		`"forever": want days`, `"400d": `, `"me": want iam, or an issuer`, `"team": want one address`,
	} {
		if !strings.Contains(g.out.String(), want) {
			t.Errorf("the output lacks %q:\n%s", want, &g.out)
		}
	}
	for _, ran := range g.ran {
		if strings.HasPrefix(ran, "make --no-print-directory deploy STAGE") {
			t.Error("it was deployed")
		}
	}
}

func TestGuide_NoTerminal(t *testing.T) {
	g := newGuide(t)
	g.In = strings.NewReader("")
	before, _ := os.ReadFile(g.File)
	if err := g.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "--choices FILE and --yes") {
		t.Errorf("%v, want how to deploy without a person", err)
	}
	g = newGuide(t)
	g.Unattended, g.Known = true, guide.Choices{"readers": "everybody"}
	err := g.Run(t.Context())
	if err == nil || !strings.Contains(err.Error(), `readers: "everybody": want iam`) {
		t.Errorf("%v, want which choice is wrong", err)
	}
	if after, err := os.ReadFile(g.File); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the file was changed (%v)", err)
	}
}

// What fails stops the guide: nothing later runs.
func TestGuide_StopsAtAFailure(t *testing.T) {
	failed := errors.New("refused")
	for i, step := range []string{
		"make --no-print-directory deploy-dry", "make --no-print-directory deploy STAGE",
		"aws cloudwatch set-alarm",
	} {
		g := newGuide(t)
		run := g.Command
		g.Unattended, g.Known = true, guide.Choices{"alarmMail": "a@example.com"}
		g.Command = func(ctx context.Context, quiet bool, words ...string) (string, error) {
			if strings.HasPrefix(strings.Join(words, " "), step) {
				return "", failed
			}
			return run(ctx, quiet, words...)
		}
		if err := g.Run(t.Context()); !errors.Is(err, failed) {
			t.Errorf("%d: %v, want the failure", i, err)
		}
		for _, ran := range g.ran {
			if strings.HasPrefix(ran, "verify") {
				t.Errorf("%s failed, and the installation was verified", step)
			}
		}
	}
}
