package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// parseSeverity returns the severity parameter; its default is "".
func parseSeverity(args params) storage.Severity {
	s := storage.Severity(args.text("severity"))
	if s != "" && !slices.Contains(storage.Severities(), s) {
		args.fail(problemUnknownSeverity.New("severity %.32q: want critical, warning or info", s))
	}
	return s
}

// alerts returns a page of the alerts of a subject, newest first.
func (h *Handler) alerts(ctx context.Context, res resource, args params) (any, error) {
	limit := args.limit()
	f := alert.Filter{Open: args.boolean("open"), Severity: parseSeverity(args)}
	after, err := openCursor[alert.Cursor](h, args, res.alertScope(args))
	if err != nil {
		return nil, err
	}
	page, err := h.Alerts.ListBySubject(ctx, res.Subject(), f, after, limit)
	if err != nil {
		return nil, err
	}
	return h.alertPage(ctx, page, res.alertScope(args))
}

// openAlerts returns a page of the open alerts of all subjects of a type: of one severity, or
// the most severe first.
func (h *Handler) openAlerts(ctx context.Context, res resource, args params) (any, error) {
	limit, severity := args.limit(), parseSeverity(args)
	after, err := openCursor[alert.Cursor](h, args, res.alertScope(args))
	if err != nil {
		return nil, err
	}
	list := h.Alerts.ListMostSevere
	if severity != "" {
		list = func(ctx context.Context, after alert.Cursor, limit int) (alert.Page, error) {
			return h.Alerts.ListOpen(ctx, severity, after, limit)
		}
	}
	page, err := list(ctx, after, limit)
	for err == nil && len(page.Alerts) == 0 && page.Next != (alert.Cursor{}) && page.Next.Alert == "" {
		page, err = list(ctx, page.Next, limit) // the next severity
	}
	if err != nil {
		return nil, err
	}
	page.Alerts = lists.Filter(alert.FilterByType(page.Alerts, res.Subject().Type), func(a storage.Alert) bool {
		return res.owner.Owns(a.Series.Subject.ID)
	})
	return h.alertPage(ctx, page, res.alertScope(args))
}

// countAlerts returns how many alerts each subject of a type had.
func (h *Handler) countAlerts(ctx context.Context, res resource, args params) (any, error) {
	q := query.AlertCounts{SubjectType: res.Subject().Type, Prefix: res.owner.Prefix(),
		Severity: parseSeverity(args), Limit: args.limitOr(0), Cursor: args.text("cursor")}
	if q.From, q.To = h.parseSpan(args); args.err() != nil {
		return nil, args.err()
	}
	page, err := h.Query.AlertCounts(ctx, q)
	if err != nil {
		return nil, err
	}
	return views.NewAlertCounts(page), nil
}

// alert returns one alert.
func (h *Handler) alert(ctx context.Context, res resource, _ params) (any, error) {
	a, err := h.Alerts.Get(ctx, res.Subject(), res.Values["alert"])
	return shown(a, err, alert.NewView, func() *httpapi.Problem {
		return httpapi.ProblemNoAlert.New("%.64q of %s does not exist, or has expired", res.Values["alert"],
			res.Subject())
	})
}

// rules returns the rules of a subject type or of one subject.
func (h *Handler) rules(ctx context.Context, res resource, _ params) (any, error) {
	rules, err := h.Alerts.Rules(ctx, res.Subject().Type, res.Subject().ID)
	return views.NewRules(rules), err
}

// alertScope identifies a list of alerts, see sealCursor.
func (r resource) alertScope(args params) []string {
	return []string{string(r.Action), r.Subject().Type, r.Subject().ID, args.text("severity"), args.text("open")}
}

func (h *Handler) alertPage(ctx context.Context, page alert.Page, scope []string) (any, error) {
	progress, err := h.Progress(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the progress of alerts: %w", err)
	}
	v := views.NewAlerts(page.Alerts, progress)
	v.Next, err = sealCursor(h, page.Next, scope)
	return v, err
}
