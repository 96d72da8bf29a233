package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

const alertsLong = `Show alerts, acknowledge and resolve them.

Without a subject, the open ones of a severity over all subjects (critical, where none
is named); with one, all of its alerts, newest first.

Exit status: 0 done; 1 there is no such alert; 2 asked wrongly; 3 could not be done.`

func alertsCommand(to *connection) *cobra.Command {
	var severity string
	var open bool
	var limit int
	cmd := &cobra.Command{
		Use:   "alerts [SUBJECT]",
		Short: "Show alerts, acknowledge them, resolve them by hand",
		Long:  alertsLong,
		Example: "  tidemark alerts\n  tidemark alerts --severity warning\n  tidemark alerts devices/sensor_01 --open\n" +
			"  tidemark alerts ack 01KPN3Q8G0V7H4T2W9R5M6C1XA",
		Args: asUsage(cobra.MaximumNArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			asked, err := parseSeverity(severity)
			if err != nil {
				return err
			}
			return listAlerts(cmd, to, args, alert.Filter{Open: open, Severity: asked}, limit)
		},
	}
	cmd.Flags().StringVar(&severity, "severity", "", "critical, warning or info")
	cmd.Flags().BoolVar(&open, "open", false, "of a subject: those alone that are open")
	cmd.Flags().IntVar(&limit, "limit", 100, "how many at most; 0 means all")
	cmd.AddCommand(alertHand(to, "ack", "Say that alerts were seen", (*alert.Service).Acknowledge),
		alertHand(to, "resolve", "Close alerts by hand", (*alert.Service).Resolve))
	return cmd
}

func listAlerts(cmd *cobra.Command, to *connection, args []string, only alert.Filter, limit int) error {
	service, kinds, err := to.alerts(cmd.Context())
	if err != nil {
		return err
	}
	if len(args) == 0 {
		severity := cmp.Or(only.Severity, model.Critical)
		return showAlerts(cmd, kinds, limit, func(after alert.Cursor) (alert.Page, error) {
			return service.Open(cmd.Context(), severity, after, limit)
		})
	}
	subject, err := findSubject(args[0], kinds)
	if err != nil {
		return err
	}
	return showAlerts(cmd, kinds, limit, func(after alert.Cursor) (alert.Page, error) {
		return service.OfSubject(cmd.Context(), subject, only, after, limit)
	})
}

// alerts is what reads and changes alerts, and the kinds they are of.
func (c *connection) alerts(ctx context.Context) (*alert.Service, *catalog.Catalog, error) {
	table, err := c.openTable(ctx)
	if err != nil {
		return nil, nil, err
	}
	kinds, err := c.catalog()
	return &alert.Service{Store: table, Catalog: kinds, Now: wallClock, Rand: rand.Reader}, kinds, err
}

func parseSeverity(text string) (model.Severity, error) {
	for _, s := range append(model.Severities(), "") {
		if model.Severity(text) == s {
			return s, nil
		}
	}
	return "", usagef("--severity %s: want critical, warning or info", text)
}

// showAlerts prints pages until limit are shown, or all are.
func showAlerts(cmd *cobra.Command, kinds *catalog.Catalog, limit int, page func(alert.Cursor) (alert.Page, error)) error {
	g := newGrid(cmd.OutOrStdout())
	for after, first := (alert.Cursor{}), true; first || after != (alert.Cursor{}); first = false {
		p, err := page(after)
		if err != nil {
			return err
		}
		for i := range p.Alerts {
			if limit > 0 && len(g.rows) == limit {
				return g.print(cmd.OutOrStdout())
			}
			g.add(alertCells(kinds, &p.Alerts[i])...)
		}
		after = p.Next
	}
	return g.printOr(cmd, "no alerts")
}

func alertCells(kinds *catalog.Catalog, a *model.Alert) []string {
	v, status := alert.ViewOf(a), string(a.Status())
	if a.Withdrawn != "" {
		status += ": " + a.Withdrawn
	} else if a.Acknowledged != nil && a.Status() == model.AlertOpen {
		status += ", seen by " + a.Acknowledged.By
	}
	path := v.SubjectType
	if of, ok := kinds.SubjectType(v.SubjectType); ok {
		path = of.Path
	}
	return []string{v.ID, string(v.Severity), path + "/" + v.Subject, v.At.String(), v.Message, v.Rule, status}
}

// alertHand is a command that does something by hand to alerts, each by its id: those
// that are open are found by it alone, others by their subject.
func alertHand(to *connection, name, short string, do func(*alert.Service, context.Context, model.Subject, string, string) (*model.Alert, error)) *cobra.Command {
	var of, by string
	cmd := &cobra.Command{
		Use: name + " ALERT…", Short: short, Args: asUsage(cobra.MinimumNArgs(1)),
		RunE: func(cmd *cobra.Command, ids []string) error {
			service, kinds, err := to.alerts(cmd.Context())
			if err != nil {
				return err
			}
			for _, id := range ids {
				id = strings.ToUpper(id)
				subject, err := subjectOfAlert(cmd.Context(), service, kinds, of, id)
				if err != nil {
					return err
				}
				var now *model.Alert
				if subject != (model.Subject{}) {
					if now, err = do(service, cmd.Context(), subject, id, orMe(by)); err != nil {
						return err
					}
				}
				if now == nil {
					return no(cmd.ErrOrStderr(), "no alert %s is open; one that is not is found with --subject", id)
				}
				g := newGrid(cmd.OutOrStdout()) // one by one: what is done is shown, whatever the next comes to
				g.add(alertCells(kinds, now)...)
				if err := g.print(cmd.OutOrStdout()); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&of, "subject", "", "the `subject` of the alert, as devices/sensor_01, where it is not open")
	cmd.Flags().StringVar(&by, "by", "", "`who` does it; without it, whoever runs this")
	return cmd
}

func subjectOfAlert(ctx context.Context, service *alert.Service, kinds *catalog.Catalog, of, id string) (model.Subject, error) {
	if of != "" {
		return findSubject(of, kinds)
	}
	a, err := service.Find(ctx, id)
	if err != nil || a == nil {
		return model.Subject{}, err
	}
	return a.Series.Subject, nil
}

// orMe is who does something by hand: whoever runs this, where nobody is named.
func orMe(by string) string {
	if by == "" {
		return whoAmI()
	}
	return by
}
