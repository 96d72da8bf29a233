package guide

import (
	"context"
	"fmt"
	"regexp"
	"strings"
)

// deploy prints the resources of a stage and their price, and deploys them when the user agrees.
func (g *Guide) deploy(ctx context.Context) error {
	stage := g.stage()
	fmt.Fprintln(g.Out, "\nwhat is deployed, and what it costs:")
	if err := g.makes(ctx, "deploy-dry", "STAGE="+stage.Name); err != nil {
		return err
	}
	if err := g.Price(g.settings); err != nil {
		return err
	}
	words := []string{"deploy", "STAGE=" + stage.Name}
	if g.Unattended {
		words = append(words, "YES=1")
	} else {
		fmt.Fprintf(g.Out, "\nDeploy tidemark-%s to %s %s? [y/N]: ", stage.Name, stage.Account, stage.Region)
		if line, err := g.line(ctx); err != nil || strings.ToLower(line) != "y" {
			return fmt.Errorf("%w; to go on: make deploy STAGE=%s", errStopped, stage.Name)
		}
	}
	return g.makes(ctx, words...)
}

// makes runs make in sight of the user.
func (g *Guide) makes(ctx context.Context, words ...string) error {
	_, err := g.Command(ctx, false, append([]string{"make", "--no-print-directory"}, words...)...)
	return err
}

// namedAlarm finds the name of an alarm in the rule of a composite alarm: ALARM("arn:…:alarm:NAME").
var namedAlarm = regexp.MustCompile(`:alarm:([^"]+)"`)

// testAlarm sets one alarm of the stack off, so that a person sees that the mail arrives. Composite alarms
// notify, so it is one of an alarm that no other suppresses. CloudWatch sets it back when it evaluates it
// again, within minutes.
func (g *Guide) testAlarm(ctx context.Context, stack string) error {
	stage := g.stage()
	if stage.AlarmMail == "" {
		fmt.Fprintf(g.Out, "\nno alarm is mailed: set stages.%s.alarmMail\n", stage.Name)
		return nil
	}
	if !g.Unattended {
		fmt.Fprintf(g.Out, "\nAWS has sent a mail to %s. Confirm its subscription, then press Enter: ",
			stage.AlarmMail)
		if _, err := g.line(ctx); err != nil {
			return err
		}
	}
	rules, err := g.cloudWatch(ctx, "describe-alarms", "--alarm-types", "CompositeAlarm",
		"--alarm-name-prefix", stack+"-", "--query",
		"CompositeAlarms[?!ActionsSuppressor && AlarmActions[0]].AlarmRule")
	if err != nil {
		return err
	}
	alarm := namedAlarm.FindStringSubmatch(rules)
	if alarm == nil {
		return fmt.Errorf("the stack %s has no alarm that notifies at once", stack)
	}
	if _, err := g.cloudWatch(ctx, "set-alarm-state", "--alarm-name", alarm[1], "--state-value", "ALARM",
		"--state-reason", "a test by tidemark deploy: nothing is wrong"); err != nil {
		return err
	}
	fmt.Fprintf(g.Out, "the alarm %s was set off as a test: its mail arrives within a minute\n", alarm[1])
	return nil
}

// cloudWatch runs a command of the AWS command line in the Region of the stage.
func (g *Guide) cloudWatch(ctx context.Context, words ...string) (string, error) {
	words = append([]string{"aws", "cloudwatch"}, words...)
	return g.Command(ctx, true, append(words, "--region", g.stage().Region, "--output", "text")...)
}

// place returns the account and Region of the stage, or else of the credentials; "" if they are not known.
func (g *Guide) place() string {
	if s := g.stage(); s.Account != "" && s.Region != "" {
		return s.Account + " " + s.Region
	}
	ctx := context.Background()
	account, err := g.Command(ctx, true,
		"aws", "sts", "get-caller-identity", "--query", "Account", "--output", "text")
	if err != nil {
		return ""
	}
	region, err := g.Command(ctx, true, "aws", "configure", "get", "region")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(account) + " " + strings.TrimSpace(region)
}
