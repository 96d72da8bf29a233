package main

import (
	"context"
	"errors"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

func (h *handler) acknowledgeAlert(ctx context.Context, c command) (httpapi.Response, error) {
	a, err := h.alerts.Acknowledge(ctx, c.Subject(), c.Values["alert"], c.Caller())
	return alertResponse(c, a, err)
}

func (h *handler) resolveAlert(ctx context.Context, c command) (httpapi.Response, error) {
	a, err := h.alerts.Resolve(ctx, c.Subject(), c.Values["alert"], c.Caller())
	return alertResponse(c, a, err)
}

func alertResponse(c command, a *storage.Alert, err error) (httpapi.Response, error) {
	switch {
	case err != nil:
		return httpapi.Response{}, err
	case a == nil:
		return httpapi.Response{}, httpapi.ProblemNoAlert.New("%.64q of %s: it never existed, or it has expired",
			c.Values["alert"], c.Subject())
	}
	return httpapi.JSON(http.StatusOK, alert.NewView(a)), nil
}

// addRule adds a rule to a subject type, or to one subject.
func (h *handler) addRule(ctx context.Context, c command) (httpapi.Response, error) {
	rule, problem := c.Rule(h.limits, h.catalog)
	if problem != nil {
		return httpapi.Response{}, problem
	}
	rule.SubjectType = c.Type.Name
	rule.Subject = c.Values["id"]
	rule.By = c.Caller()
	added, invalid, err := h.alerts.AddRule(ctx, rule)
	switch {
	case err != nil:
		return httpapi.Response{}, err
	case invalid != nil:
		return httpapi.Response{}, httpapi.RejectedRuleProblem(invalid)
	}
	return httpapi.JSON(http.StatusOK, alert.NewRuleView(&added)), nil
}

func (h *handler) removeRule(ctx context.Context, c command) (httpapi.Response, error) {
	removed, err := h.alerts.RemoveRule(ctx, c.Type.Name, c.Values["id"], c.Values["rule"], c.Caller())
	if errors.Is(err, alert.ErrNoRule) {
		return httpapi.Response{}, httpapi.ProblemNoRule.New("there is no rule named %.80q", c.Values["rule"])
	}
	if err != nil {
		return httpapi.Response{}, err
	}
	return httpapi.JSON(http.StatusOK, alert.NewRuleView(&removed)), nil
}
