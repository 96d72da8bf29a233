package main

import (
	"context"
	"crypto/rand"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/arguments"
	"github.com/tidemark-db/tidemark/internal/entity"
	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/printing"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func alertsCommand(to *connection) *cobra.Command {
	var severity, output string
	var open bool
	var limit int
	cmd := &cobra.Command{
		Use: "alerts [SUBJECT]",
		RunE: func(cmd *cobra.Command, args []string) error {
			parsed, err := parseSeverity(severity)
			if err != nil {
				return err
			}
			return listAlerts(cmd, to, args, alert.Filter{Open: open, Severity: parsed}, limit, output)
		},
	}
	cmd.Flags().StringVar(&severity, "severity", "", "only this `severity`: critical, warning or info")
	cmd.Flags().BoolVar(&open, "open", false, "with a subject: only its open alerts")
	cmd.Flags().IntVar(&limit, "limit", 100, "the most alerts to list; 0 lists all")
	cmd.Flags().StringVar(&output, "output", tableOutput, "output `format`: table, json, ndjson or csv")
	cmd.AddCommand(
		alertAction(to, "ack", (*alert.Service).Acknowledge),
		alertAction(to, "resolve", (*alert.Service).Resolve),
	)
	return cmd
}

func listAlerts(cmd *cobra.Command, to *connection, args []string, filter alert.Filter, limit int, output string) error {
	service, kinds, err := to.openAlerts(cmd.Context())
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return printAlerts(cmd, kinds, output, limit, service.MostSevere(cmd.Context(), filter.Severity))
	}
	subject, err := arguments.Subject(args[0], kinds)
	if err != nil {
		return err
	}
	return printAlerts(cmd, kinds, output, limit, service.OfSubject(cmd.Context(), subject, filter, limit))
}

// openAlerts returns a service for the alerts and rules of the table, and the kinds.
func (c *connection) openAlerts(ctx context.Context) (*alert.Service, *catalog.Catalog, error) {
	table, kinds, err := c.OpenKinds(ctx)
	return &alert.Service{Store: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader}, kinds, err
}

func parseSeverity(text string) (entity.Severity, error) {
	if s := entity.Severity(text); s == "" || slices.Contains(entity.Severities(), s) {
		return s, nil
	}
	return "", usagef("--severity %s: want critical, warning or info", text)
}

// printAlerts prints the alerts, at most limit.
func printAlerts(cmd *cobra.Command, kinds *catalog.Catalog, output string, limit int, alerts iter.Seq2[entity.Alert, error]) error {
	var all []entity.Alert
	for a, err := range alerts {
		if err != nil {
			return err
		}
		if limit > 0 && len(all) == limit {
			break
		}
		all = append(all, a)
	}
	switch {
	case output != tableOutput:
		return printAs(cmd, output, httpapi.AlertsOf(all))
	case len(all) == 0:
		return printNone(cmd, "no alerts")
	}
	return printing.Alerts(cmd.OutOrStdout(), kinds, all)
}

// alertAction returns a command that changes alerts, each given by its id. An open alert
// is found by its id alone, any other needs its subject.
func alertAction(to *connection, name string, do func(*alert.Service, context.Context, model.Subject, string, string) (*entity.Alert, error)) *cobra.Command {
	var subject, by string
	cmd := &cobra.Command{
		Use: name + " ALERT…",
		RunE: func(cmd *cobra.Command, ids []string) error {
			service, kinds, err := to.openAlerts(cmd.Context())
			if err != nil {
				return err
			}
			for _, id := range ids {
				id = strings.ToUpper(id)
				of, err := subjectOfAlert(cmd.Context(), service, kinds, subject, id)
				if err != nil {
					return err
				}
				var changed *entity.Alert
				if of != (model.Subject{}) {
					if changed, err = do(service, cmd.Context(), of, id, orUserName(by)); err != nil {
						return err
					}
				}
				if changed == nil {
					return no(cmd.ErrOrStderr(), "no open alert %s: to find one that is not open, pass --subject", id)
				}
				if err := printing.Alert(cmd.OutOrStdout(), kinds, changed); err != nil { // one by one, in case a later alert fails
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&subject, "subject", "", "`subject` of the alerts; required if they are not open")
	cmd.Flags().StringVar(&by, "by", "", "`name` to record (default: your user name)")
	return cmd
}

func subjectOfAlert(ctx context.Context, service *alert.Service, kinds *catalog.Catalog, subject, id string) (model.Subject, error) {
	if subject != "" {
		return arguments.Subject(subject, kinds)
	}
	a, err := service.FindOpen(ctx, id)
	if err != nil || a == nil {
		return model.Subject{}, err
	}
	return a.Series.Subject, nil
}
