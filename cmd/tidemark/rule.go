package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/user"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/base/names"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

const ruleHelp = `Add, list and remove alert rules

Manage alert rules: thresholds on a measure that raise an alert.

SUBJECTS is a subject type, such as devices, for a rule that applies to all of them, or
one subject, such as devices/sensor_01. A rule tests the events of the hour before it was
added, the newest event of its own subject, and later ones. A rule that is added again with
another threshold becomes the next revision of that rule; open alerts of the previous
revision end. Its kind, measure and stream stay: for others, choose another name.

Exit status: 0 done; 1 not possible, or there is no such rule; 2 wrong usage; 3 failed.

Examples:
  tidemark rule add devices too-hot --measure temperature --above 30 --severity critical
  tidemark rule add devices/sensor_01 comfort --measure temperature --outside 18,24 --severity info
  tidemark rule add devices calm --measure temperature --above 30 --clear 28 --for 10m
  tidemark rule add devices offline --silent 30m
  tidemark rule add devices climbing --measure temperature --rate --above 2
  tidemark rule add by-site warm --measure temperature.avg --above 30
  tidemark rule list devices
  tidemark rule remove devices too-hot`

func ruleCommand(to *connection) *cobra.Command {
	return group("rule", ruleHelp, ruleAdd(to), ruleList(to), ruleRemove(to))
}

// ruleFlags describe a rule.
type ruleFlags struct {
	kind, stream, measure, above, below, outside, clear, severity, by string
	lasting, silent                                                   times.Span
	rate, anyway                                                      bool
}

const ruleAddHelp = `Add a rule, or change its threshold

Add a rule, or change the threshold of the rule with this name. It tests the
events of the last hour at once, and those that arrive from now on.`

func ruleAdd(to *connection) *cobra.Command {
	var f ruleFlags
	cmd := &cobra.Command{
		Use:  "add SUBJECTS NAME",
		Long: ruleAddHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			service, kinds, err := to.openAlerts(cmd.Context())
			if err != nil {
				return err
			}
			rule, err := f.rule(kinds, args[0], args[1], cmd.Flags().Changed("stream"))
			if err != nil {
				return err
			}
			if known, err := service.KnowsMeasure(cmd.Context(), rule); err != nil {
				return err
			} else if !known && !f.anyway {
				kind, _ := kinds.Kind(rule.Kind) // it is declared, or its measure would be known
				measures := lists.Map(kind.Measures, func(m rollup.MeasureSpec) string { return m.Name })
				return usagef("%s is not a measure of %s that is declared or was seen in a latest item%s: "+
					"correct the name, or add the rule with --anyway", rule.Measure, rule.Kind,
					names.DidYouMean(rule.Measure, measures))
			}
			added, invalid, err := service.AddRule(cmd.Context(), rule)
			if err != nil {
				return err
			}
			for _, e := range invalid {
				fmt.Fprintf(cmd.ErrOrStderr(), "tidemark: %s\n", e.Error())
			}
			if invalid != nil {
				return &failure{status: ruleStatus(invalid)}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s, from %s\n", added.ID(), added.Measure, added.Limit(), added.From)
			return nil
		},
	}
	cmd.Flags().StringVar(&f.kind, "kind", "", "`kind` of event; required if several kinds can have rules")
	cmd.Flags().StringVar(&f.stream, "stream", "", "only events of this `stream` (default: of any stream)")
	cmd.Flags().StringVar(&f.measure, "measure", "",
		"the `measure` to test; of groups, with a figure, such as temperature.avg, or events")
	cmd.Flags().StringVar(&f.above, "above", "", "raise an alert if it is more than this `number`")
	cmd.Flags().StringVar(&f.below, "below", "", "raise an alert if it is less than this `number`")
	cmd.Flags().StringVar(&f.outside, "outside", "",
		"raise an alert if it is outside of this `range`, such as 18,24")
	cmd.Flags().StringVar(&f.clear, "clear", "",
		"end an alert only at this `number`; two with --outside (default: the bounds)")
	cmd.Flags().Var(&f.lasting, "for",
		"raise an alert only if all readings of this `duration` are beyond the bounds, such as 10m")
	cmd.Flags().Var(&f.silent, "silent", "raise an alert if there is no event for this `duration`, such as 30m")
	cmd.Flags().BoolVar(&f.rate, "rate", false, "test the change since the reading before, per minute")
	cmd.Flags().StringVar(&f.severity, "severity", string(storage.Warning),
		"`severity` of the alerts: critical, warning or info")
	cmd.Flags().StringVar(&f.by, "by", "", "`name` to record (default: your user name)")
	cmd.Flags().BoolVar(&f.anyway, "anyway", false, "add a rule for a measure that was never seen")
	return cmd
}

// ruleStatus returns the exit status of a rule that was rejected: exitNo if the table does
// not allow it now, exitUsage if it is wrong.
func ruleStatus(errs []model.FieldError) int {
	for _, e := range errs {
		switch e.Code {
		case alert.CodeTooManyRules, alert.CodeRuleGone, alert.CodeRuleTaken:
		default:
			return exitUsage
		}
	}
	return exitNo
}

// rule returns the rule that the flags describe.
func (f *ruleFlags) rule(kinds *catalog.Catalog, subjects, name string,
	oneStream bool) (storage.Rule, error) {
	subject, err := arguments.RuleSubject(kinds, subjects)
	if err != nil {
		return storage.Rule{}, err
	}
	r := storage.Rule{Name: name, SubjectType: subject.Type, Subject: subject.ID, AnyStream: !oneStream,
		Stream:  f.stream,
		Measure: f.measure, For: f.lasting, Severity: storage.Severity(f.severity), By: orUserName(f.by)}
	if f.rate {
		r.Test = storage.TestRate
	}
	if f.silent > 0 {
		r.Test, r.For = storage.TestSilence, f.silent
	}
	if r.Kind, err = arguments.RuleKind(kinds, subject.Type, f.kind); err != nil {
		return r, err
	}
	if r.Test == storage.TestSilence {
		return r, nil
	}
	if r.Bounds, r.Low, r.High, err = arguments.Bounds(f.above, f.below, f.outside); err != nil {
		return r, err
	}
	r.ClearLow, r.ClearHigh, err = arguments.Clear(f.clear, r.Bounds)
	return r, err
}

// openRules returns a service for rules, and the subject or subject type of an argument.
func (c *connection) openRules(ctx context.Context, subjects string) (*alert.Service, model.Subject, error) {
	service, kinds, err := c.openAlerts(ctx)
	if err != nil {
		return nil, model.Subject{}, err
	}
	subject, err := arguments.RuleSubject(kinds, subjects)
	return service, subject, err
}

const ruleListHelp = `List the rules

List the rules of a subject type, or the rules that apply to one subject: its own, and the
rules of its type.

Examples:
  tidemark rule list devices
  tidemark rule list devices/sensor_01`

func ruleList(to *connection) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:  "list SUBJECTS",
		Long: ruleListHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			service, subject, err := to.openRules(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			rules, err := service.Rules(cmd.Context(), subject.Type, subject.ID)
			if err == nil && subject.ID != "" {
				var shared []storage.Rule
				shared, err = service.Rules(cmd.Context(), subject.Type, "")
				rules = append(rules, shared...)
			}
			if err != nil {
				return err
			}
			if output != tableOutput {
				return printAs(cmd, output, views.NewRules(rules))
			}
			if len(rules) == 0 {
				return printNone(cmd,
					"no rules: add one with tidemark rule add "+args[0]+" NAME --measure MEASURE --above NUMBER")
			}
			return printing.Rules(cmd.OutOrStdout(), rules)
		},
	}
	cmd.Flags().StringVar(&output, "output", tableOutput, "output `format`: table or json")
	return cmd
}

const ruleRemoveHelp = `Remove a rule; its open alerts end

Remove a rule. It tests no more events, and its open alerts end.`

func ruleRemove(to *connection) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use:  "remove SUBJECTS NAME",
		Long: ruleRemoveHelp,
		RunE: func(cmd *cobra.Command, args []string) error {
			service, subject, err := to.openRules(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			removed, err := service.RemoveRule(cmd.Context(), subject.Type, subject.ID, args[1], orUserName(by))
			if errors.Is(err, alert.ErrNoRule) {
				return no(cmd.ErrOrStderr(), "%s has no rule %s", args[0], args[1])
			}
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s removed\n", removed.ID())
			return nil
		},
	}
	cmd.Flags().StringVar(&by, "by", "", "`name` to record (default: your user name)")
	return cmd
}

// orUserName returns by, or the user name if it is empty.
func orUserName(by string) string { return cmp.Or(by, userName()) }

// userName returns the name of the user who runs the command, for records.
func userName() string {
	u, err := user.Current()
	if err != nil {
		return "command line"
	}
	return u.Username
}
