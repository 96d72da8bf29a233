package main

import (
	"context"
	"encoding/json"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// ofType are what is asked of all subjects of a type: /v1/alerts/{subjects} and
// /v1/rules/{subjects}.
var ofType = map[string]catalog.Action{catalog.WordAlerts: catalog.ListOpenAlerts, catalog.WordRules: catalog.ListRules}

// alertsOfType reads the path of one.
func alertsOfType(c *catalog.Catalog, parts []string, path string) (target, error) {
	of, ok := c.SubjectByPath(parts[len(parts)-1])
	if !ok || len(parts) != 3 || !c.Alerting(of) {
		return target{}, noRoute(path)
	}
	return target{series: query.Series{Kind: c.KindsOf(of)[0]}, action: ofType[parts[1]]}, nil
}

// severityOf reads the severity asked for; absent is "".
func severityOf(given params) (model.Severity, error) {
	text := given.text("severity")
	for _, s := range append(model.Severities(), "") {
		if model.Severity(text) == s {
			return s, nil
		}
	}
	return "", problemSeverity.New("%.32q: want critical, warning or info", text)
}

// alerts are those of a subject, newest first.
func (h *Handler) alerts(ctx context.Context, asked target, given params) (any, error) {
	limit, err := given.limit()
	if err != nil {
		return nil, err
	}
	var f alert.Filter
	if f.Open, err = given.boolean("open"); err != nil {
		return nil, err
	}
	if f.Severity, err = severityOf(given); err != nil {
		return nil, err
	}
	after, err := h.openAlerts(asked, given)
	if err != nil {
		return nil, err
	}
	page, err := h.Alerts.OfSubject(ctx, asked.subject(), f, after, limit)
	if err != nil {
		return nil, err
	}
	return h.sealAlerts(page, asked, given)
}

// allAlerts are the open ones of a severity, over all subjects of a type.
func (h *Handler) allAlerts(ctx context.Context, asked target, given params) (any, error) {
	limit, err := given.limit()
	if err != nil {
		return nil, err
	}
	severity, err := severityOf(given)
	if err != nil {
		return nil, err
	}
	if severity == "" {
		severity = model.Critical
	}
	after, err := h.openAlerts(asked, given)
	if err != nil {
		return nil, err
	}
	page, err := h.Alerts.Open(ctx, severity, after, limit)
	if err != nil {
		return nil, err
	}
	page.Alerts = alert.OfType(page.Alerts, asked.subject().Type)
	return h.sealAlerts(page, asked, given)
}

func (h *Handler) alert(ctx context.Context, asked target, _ params) (any, error) {
	a, err := h.Alerts.Get(ctx, asked.subject(), asked.value)
	switch {
	case err != nil:
		return nil, err
	case a == nil:
		return nil, envelope.ProblemNoAlert.New("%.64q of %s: it never was, or it has expired", asked.value, asked.subject())
	}
	return alert.ViewOf(a), nil
}

// rules are those of a subject type, or of one subject.
func (h *Handler) rules(ctx context.Context, asked target, _ params) (any, error) {
	rules, err := h.Alerts.Rules(ctx, asked.subject().Type, asked.subject().ID)
	return envelope.RulesOf(rules), err
}

// pageOf tells a list of alerts from any other.
func (t target) pageOf(given params) []string {
	return []string{string(t.action), t.subject().Type, t.subject().ID, given.text("severity"), given.text("open")}
}

func (h *Handler) openAlerts(asked target, given params) (after alert.Cursor, err error) {
	place, err := h.Query.Open(given.text("cursor"), asked.pageOf(given)...)
	if err != nil || place == nil {
		return after, err
	}
	return after, json.Unmarshal(place, &after)
}

func (h *Handler) sealAlerts(page alert.Page, asked target, given params) (any, error) {
	v := envelope.AlertsOf(page.Alerts)
	if page.Next == (alert.Cursor{}) {
		return v, nil
	}
	place, err := json.Marshal(page.Next)
	if err != nil {
		return nil, err
	}
	sealed, err := h.Query.Seal(place, asked.pageOf(given)...)
	v.Next = &sealed
	return v, err
}
