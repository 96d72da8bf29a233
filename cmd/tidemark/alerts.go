package main

import (
	"context"
	"crypto/rand"
	"iter"
	"slices"
	"strings"

	"github.com/oklog/ulid/v2"
	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/cli/arguments"
	"github.com/tidemark-db/tidemark/internal/cli/printing"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const alertsHelp = `List, acknowledge and resolve alerts

List alerts, and acknowledge or resolve them.

Without a subject, it lists the open alerts of all subjects, the most severe first. With a
subject, it lists all alerts of that subject, newest first.

Exit status: 0 done; 1 there is no such alert; 2 wrong usage; 3 failed.

Examples:
  tidemark alerts
  tidemark alerts --severity warning
  tidemark alerts devices/sensor_01 --open
  tidemark alerts ack 01KPN3Q8G0V7H4T2W9R5M6C1XA`

const alertsAckHelp = `Acknowledge alerts

Record that these alerts were seen; they stay open.`

const alertsResolveHelp = `Resolve alerts

Close these alerts, as if the measure were within its bounds again.`

func alertsCommand(to *connection) *cobra.Command {
	var severity, output string
	var open bool
	var limit int
	cmd := &cobra.Command{
		Use:  "alerts [SUBJECT]",
		Long: alertsHelp,
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
		alertAction(to, "ack", alertsAckHelp, (*alert.Service).Acknowledge),
		alertAction(to, "resolve", alertsResolveHelp, (*alert.Service).Resolve),
	)
	return cmd
}

func listAlerts(cmd *cobra.Command, to *connection, args []string, filter alert.Filter, limit int,
	output string) error {
	table, kinds, err := to.OpenKinds(cmd.Context())
	if err != nil {
		return err
	}
	service := alertService(table, kinds)
	found := service.MostSevere(cmd.Context(), filter.Severity)
	if len(args) > 0 {
		subject, err := arguments.Subject(args[0], kinds)
		if err != nil {
			return err
		}
		found = service.OfSubject(cmd.Context(), subject, filter, limit)
	}
	progress, err := query.TableProgress(cmd.Context(), table, kinds)
	if err != nil {
		return err
	}
	return printAlerts(cmd, kinds, output, limit, found, progress)
}

// openAlerts returns a service for the alerts and rules of the table, and the kinds.
func (c *connection) openAlerts(ctx context.Context) (*alert.Service, *catalog.Catalog, error) {
	table, kinds, err := c.OpenKinds(ctx)
	return alertService(table, kinds), kinds, err
}

func alertService(table *dynamo.Table, kinds *catalog.Catalog) *alert.Service {
	return &alert.Service{Store: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader}
}

func parseSeverity(text string) (storage.Severity, error) {
	if s := storage.Severity(text); s == "" || slices.Contains(storage.Severities(), s) {
		return s, nil
	}
	return "", usagef("--severity %s: want critical, warning or info", text)
}

// printAlerts prints the alerts, at most limit.
func printAlerts(
	cmd *cobra.Command, kinds *catalog.Catalog, output string, limit int,
	alerts iter.Seq2[storage.Alert, error], progress query.Progress,
) error {
	var all []storage.Alert
	for a, err := range alerts {
		if err != nil {
			return err
		}
		if limit > 0 && len(all) == limit {
			break
		}
		all = append(all, a)
	}
	defer printing.Progress(cmd.ErrOrStderr(), progress, wallClock())
	if output != tableOutput {
		return printAs(cmd, output, views.NewAlerts(all, progress))
	}
	if len(all) == 0 {
		return printNone(cmd, "no alerts")
	}
	return printing.Alerts(cmd.OutOrStdout(), kinds, all)
}

// alertAction returns a command that changes alerts, each given by its id. An open alert
// is found by its id alone, any other needs its subject.
func alertAction(to *connection, name, help string, do func(*alert.Service, context.Context, model.Subject,
	string, string) (*storage.Alert, error)) *cobra.Command {
	var subject, by string
	cmd := &cobra.Command{
		Use:  name + " ALERT…",
		Long: help,
		RunE: func(cmd *cobra.Command, ids []string) error {
			service, kinds, err := to.openAlerts(cmd.Context())
			if err != nil {
				return err
			}
			for _, id := range ids {
				id = strings.ToUpper(id)
				if _, err := ulid.ParseStrict(id); err != nil {
					return usagef("%q is no id of an alert: tidemark alerts prints those", id)
				}
				of, err := subjectOfAlert(cmd.Context(), service, kinds, subject, id)
				if err != nil {
					return err
				}
				var changed *storage.Alert
				if of != (model.Subject{}) {
					if changed, err = do(service, cmd.Context(), of, id, orUserName(by)); err != nil {
						return err
					}
				}
				if changed == nil {
					return no(cmd.ErrOrStderr(), "no open alert %s: to find one that is not open, pass --subject", id)
				}
				// one by one, in case a later alert fails
				if err := printing.Alert(cmd.OutOrStdout(), kinds, changed); err != nil {
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

func subjectOfAlert(ctx context.Context, service *alert.Service, kinds *catalog.Catalog,
	subject, id string) (model.Subject, error) {
	if subject != "" {
		return arguments.Subject(subject, kinds)
	}
	a, err := service.FindOpen(ctx, id)
	if err != nil || a == nil {
		return model.Subject{}, err
	}
	return a.Series.Subject, nil
}
