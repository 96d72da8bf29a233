package main

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// alertAction reads what follows a subject type where it is about alerts and rules:
//
//	POST   {id}/alerts/{alert}/acknowledge, …/resolve
//	POST   {id}/rules
//	DELETE {id}/rules/{rule}
func alertAction(method, rest string) (id, name string, action catalog.Action) {
	parts := strings.Split(rest, "/")
	n := len(parts)
	hands := map[string]catalog.Action{catalog.WordAcknowledge: catalog.AcknowledgeAlert, catalog.WordResolve: catalog.ResolveAlert}
	switch {
	case method == http.MethodPost && n > 3 && parts[n-3] == catalog.WordAlerts && hands[parts[n-1]] != "":
		return strings.Join(parts[:n-3], "/"), parts[n-2], hands[parts[n-1]]
	case method == http.MethodPost && n > 1 && parts[n-1] == catalog.WordRules:
		return strings.Join(parts[:n-1], "/"), "", catalog.AddOwnRule
	case method == http.MethodDelete && n > 2 && parts[n-2] == catalog.WordRules:
		return strings.Join(parts[:n-2], "/"), parts[n-1], catalog.RemoveOwnRule
	}
	return "", "", ""
}

// typeRule reads /v1/rules/{subjects} and /v1/rules/{subjects}/{rule}.
func (i *invocation) typeRule(r *events.APIGatewayV2HTTPRequest, parts []string) (asked, error) {
	path, name, _ := strings.Cut(parts[2], "/")
	of, ok := i.catalog.SubjectByPath(path)
	if !ok || !i.catalog.Alerting(of) {
		return asked{}, envelope.ProblemNotFound.New("%.64q is no subject type that has rules", path)
	}
	actions := map[string]catalog.Action{http.MethodPost: catalog.AddRule, http.MethodDelete: catalog.RemoveRule}
	action := actions[r.RequestContext.HTTP.Method]
	if action == "" || (action == catalog.RemoveRule) != (name != "") {
		return asked{}, envelope.ProblemMethod.New("want POST of a rule, or DELETE of one by its name").With("Allow", "POST, DELETE")
	}
	return asked{APIGatewayV2HTTPRequest: r, subject: model.Subject{Type: of.Name}, action: action, name: name}, nil
}

// byHand acknowledges or resolves an alert.
func (i *invocation) byHand(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	do := i.alerts.Acknowledge
	if a.action == catalog.ResolveAlert {
		do = i.alerts.Resolve
	}
	now, err := do(ctx, a.subject, a.name, callerOf(a.APIGatewayV2HTTPRequest))
	switch {
	case err != nil:
		return events.APIGatewayV2HTTPResponse{}, err
	case now == nil:
		return events.APIGatewayV2HTTPResponse{}, envelope.ProblemNoAlert.New("%.64q of %s: it never was, or it has expired", a.name, a.subject)
	}
	return envelope.JSON(http.StatusOK, alert.ViewOf(now)), nil
}

// addRule adds a rule of a subject type, or of one subject.
func (i *invocation) addRule(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	draft, problem := envelope.RuleDraft(a.APIGatewayV2HTTPRequest, i.limits, i.catalog)
	if problem != nil {
		return events.APIGatewayV2HTTPResponse{}, problem
	}
	draft.SubjectType, draft.Subject, draft.By = a.subject.Type, a.subject.ID, callerOf(a.APIGatewayV2HTTPRequest)
	made, wrong, err := i.alerts.AddRule(ctx, draft)
	switch {
	case err != nil:
		return events.APIGatewayV2HTTPResponse{}, err
	case wrong != nil:
		return events.APIGatewayV2HTTPResponse{}, envelope.RejectedRule(wrong)
	}
	return envelope.JSON(http.StatusOK, alert.RuleViewOf(&made)), nil
}

// removeRule removes one.
func (i *invocation) removeRule(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	removed, err := i.alerts.RemoveRule(ctx, a.subject.Type, a.subject.ID, a.name, callerOf(a.APIGatewayV2HTTPRequest))
	if errors.Is(err, alert.ErrNoRule) {
		return events.APIGatewayV2HTTPResponse{}, envelope.ProblemNoRule.New("%.80q: none of that name stands", a.name)
	}
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	return envelope.JSON(http.StatusOK, alert.RuleViewOf(&removed)), nil
}
