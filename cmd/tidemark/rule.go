package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const ruleLong = `Say when the events of a series raise an alert.

SUBJECTS is a subject type, as devices, for a rule of all of them, or one subject, as
devices/sensor_01, for one of its own. A rule tests events from the moment it is added.
Added again with another threshold it is the next revision of the same name, and the
alerts that the old one leaves open end.

Exit status: 0 done; 1 it cannot be, or there is none; 2 asked wrongly; 3 could not be
done.`

func ruleCommand(to *connection) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rule",
		Short: "Add, list and remove alert rules",
		Long:  ruleLong,
		Example: "  tidemark rule add devices too-hot --measure temperature --above 30 --severity critical\n" +
			"  tidemark rule add devices/sensor_01 comfort --measure temperature --outside 18,24 --severity info\n" +
			"  tidemark rule list devices\n  tidemark rule remove devices too-hot",
		Args: asUsage(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(ruleAdd(to), ruleList(to), ruleRemove(to))
	return cmd
}

// ruleFlags say what a rule tests.
type ruleFlags struct{ kind, stream, measure, above, below, outside, severity, by string }

func ruleAdd(to *connection) *cobra.Command {
	var f ruleFlags
	cmd := &cobra.Command{
		Use: "add SUBJECTS NAME", Short: "Have events tested from now on", Args: asUsage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, kinds, err := to.alerts(cmd.Context())
			if err != nil {
				return err
			}
			rule, err := f.rule(kinds, args[0], args[1], cmd.Flags().Changed("stream"))
			if err != nil {
				return err
			}
			made, wrong, err := service.AddRule(cmd.Context(), rule)
			if err != nil {
				return err
			}
			for _, w := range wrong {
				fmt.Fprintf(cmd.ErrOrStderr(), "tidemark: %s: %s\n", w.Code, w.Error())
			}
			if wrong != nil {
				return checkFailed
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s %s %s, from %s\n", made.ID(), made.Measure, made.Limit(), made.From)
			return nil
		},
	}
	cmd.Flags().StringVar(&f.kind, "kind", "", "`kind` of event; needed where several can have rules")
	cmd.Flags().StringVar(&f.stream, "stream", "", "events of this `stream` alone; without it, of any")
	cmd.Flags().StringVar(&f.measure, "measure", "", "the `measure` that is tested")
	cmd.Flags().StringVar(&f.above, "above", "", "an alert where it is more than this `number`")
	cmd.Flags().StringVar(&f.below, "below", "", "an alert where it is less than this `number`")
	cmd.Flags().StringVar(&f.outside, "outside", "", "an alert where it is less than the one or more than the other: `18,24`")
	cmd.Flags().StringVar(&f.severity, "severity", string(model.Warning), "critical, warning or info")
	cmd.Flags().StringVar(&f.by, "by", "", "`who` adds it; without it, whoever runs this")
	return cmd
}

// rule is the rule that the flags say.
func (f *ruleFlags) rule(kinds *catalog.Catalog, subjects, name string, oneStream bool) (model.Rule, error) {
	subject, err := ruledSubject(kinds, subjects)
	if err != nil {
		return model.Rule{}, err
	}
	r := model.Rule{Name: name, SubjectType: subject.Type, Subject: subject.ID, AnyStream: !oneStream, Stream: f.stream,
		Measure: f.measure, Severity: model.Severity(f.severity), By: orMe(f.by)}
	if r.Kind, err = ruledKind(kinds, subject.Type, f.kind); err != nil {
		return r, err
	}
	low, high, both := strings.Cut(f.outside, ",")
	switch {
	case f.above != "" && f.below == "" && f.outside == "":
		r.Bounds, high = model.Above, f.above
	case f.below != "" && f.above == "" && f.outside == "":
		r.Bounds, low = model.Below, f.below
	case both && f.above == "" && f.below == "":
		r.Bounds = model.Outside
	default:
		return r, usagef("say one of --above 30, --below 5 and --outside 18,24")
	}
	for _, bound := range []struct {
		text string
		to   **model.Decimal
	}{{low, &r.Low}, {high, &r.High}} {
		if bound.text == "" {
			continue
		}
		d, err := model.ParseDecimal(strings.TrimSpace(bound.text))
		if err != nil {
			return r, usagef("%q is no number", bound.text)
		}
		*bound.to = &d
	}
	return r, nil
}

// ruled are the alerts of a table, and what is ruled there.
func (c *connection) ruled(ctx context.Context, subjects string) (*alert.Service, model.Subject, error) {
	service, kinds, err := c.alerts(ctx)
	if err != nil {
		return nil, model.Subject{}, err
	}
	subject, err := ruledSubject(kinds, subjects)
	return service, subject, err
}

// ruledSubject is a subject, or with no id all subjects of a type.
func ruledSubject(kinds *catalog.Catalog, text string) (model.Subject, error) {
	for _, s := range kinds.Subjects() {
		if text == s.Path || text == s.Name {
			return model.Subject{Type: s.Name}, nil
		}
	}
	return findSubject(text, kinds)
}

// ruledKind is the kind that is named, or the only one that can have rules.
func ruledKind(kinds *catalog.Catalog, subjectType, name string) (string, error) {
	var fit []string
	for i := range kinds.Kinds {
		k := &kinds.Kinds[i]
		if name != "" && (k.Name == name || k.Path == name) {
			return k.Name, nil
		}
		if k.Subject.Name == subjectType && k.Testable() {
			fit = append(fit, k.Name)
		}
	}
	if name != "" || len(fit) != 1 {
		return "", usagef("say which kind by --kind: %s can have rules", strings.Join(fit, ", "))
	}
	return fit[0], nil
}

func ruleList(to *connection) *cobra.Command {
	return &cobra.Command{
		Use: "list SUBJECTS", Short: "List the rules that stand", Args: asUsage(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, subject, err := to.ruled(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			rules, err := service.Rules(cmd.Context(), subject.Type, subject.ID)
			if err != nil {
				return err
			}
			g := newGrid(cmd.OutOrStdout())
			for i := range rules {
				r := &rules[i]
				stream := "any stream"
				if !r.AnyStream {
					stream = fmt.Sprintf("stream %q", r.Stream)
				}
				g.add(r.Name, r.ID(), r.Kind, r.Measure+" "+r.Limit(), string(r.Severity), stream, "from "+r.From.String(), "by "+r.By)
			}
			return g.printOr(cmd, "no rules")
		},
	}
}

func ruleRemove(to *connection) *cobra.Command {
	var by string
	cmd := &cobra.Command{
		Use: "remove SUBJECTS NAME", Short: "Remove a rule; its open alerts end", Args: asUsage(cobra.ExactArgs(2)),
		RunE: func(cmd *cobra.Command, args []string) error {
			service, subject, err := to.ruled(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			removed, err := service.RemoveRule(cmd.Context(), subject.Type, subject.ID, args[1], orMe(by))
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
	cmd.Flags().StringVar(&by, "by", "", "`who` removes it; without it, whoever runs this")
	return cmd
}
