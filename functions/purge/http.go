package main

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/telemetry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// asked is what a request asks for.
type asked struct {
	*events.APIGatewayV2HTTPRequest
	subject model.Subject
	action  catalog.Action
	name    string // of an alert, its id, or of a rule
	query   envelope.Parameters
}

// answers are what is done for each action.
var answers = map[catalog.Action]func(*invocation, context.Context, asked) (events.APIGatewayV2HTTPResponse, error){
	catalog.CreateSubject:  (*invocation).create,
	catalog.UpdateSubject:  (*invocation).update,
	catalog.DeleteSubject:  (*invocation).delete,
	catalog.RestoreSubject: (*invocation).restore,
	catalog.PurgeSubject:   (*invocation).purge,
	catalog.CallOffPurge:   (*invocation).callOff,

	catalog.AcknowledgeAlert: (*invocation).byHand,
	catalog.ResolveAlert:     (*invocation).byHand,
	catalog.AddRule:          (*invocation).addRule,
	catalog.RemoveRule:       (*invocation).removeRule,
	catalog.AddOwnRule:       (*invocation).addRule,
	catalog.RemoveOwnRule:    (*invocation).removeRule,
}

// takes are the parameters of each action's query string; the others have none.
var takes = map[catalog.Action][]string{
	catalog.DeleteSubject: {"forever"},
	catalog.PurgeSubject:  {"dryRun", "graceHours"},
}

// http answers a request of the HTTP API, which has seen to it that the caller may ask.
func (i *invocation) http(ctx context.Context, r *events.APIGatewayV2HTTPRequest) events.APIGatewayV2HTTPResponse {
	response, err := i.respond(ctx, r)
	if err == nil {
		return response
	}
	var told *envelope.Problem
	if !errors.As(err, &told) {
		i.log.Error("change failed", telemetry.FieldRequestID, r.RequestContext.RequestID, telemetry.FieldError, err.Error())
		told = envelope.ProblemUnavailable.New("it is not known whether the change was made: ask again").With("Retry-After", envelope.RetryAfter)
	}
	return told.Response()
}

func (i *invocation) respond(ctx context.Context, r *events.APIGatewayV2HTTPRequest) (events.APIGatewayV2HTTPResponse, error) {
	var none events.APIGatewayV2HTTPResponse
	what, err := i.find(r)
	if err != nil {
		return none, err
	}
	switch owner, problem := envelope.OwnerOf(r, i.owner); {
	case problem != nil:
		return none, problem
	case !owner.Owns(what.subject.ID):
		return none, envelope.ProblemForeign.New("%s", owner.Refusal(what.subject.ID))
	}
	var problem *envelope.Problem
	if what.query, problem = envelope.ParseParameters(r.RawQueryString, takes[what.action], nil); problem != nil {
		return none, problem
	}
	return answers[what.action](i, ctx, what)
}

// find reads a path from both ends: an id may hold slashes.
//
//	PUT, PATCH, DELETE /v1/{subjects}/{id}
//	POST               /v1/{subjects}/{id}/restore
//	POST, DELETE       /v1/{subjects}/{id}/purge
//
// and what alertAction and typeRule read of alerts and rules.
func (i *invocation) find(r *events.APIGatewayV2HTTPRequest) (asked, error) {
	path, method := envelope.Path(r), r.RequestContext.HTTP.Method
	parts := strings.SplitN(strings.TrimPrefix(path, "/"), "/", 3)
	if len(parts) < 3 || parts[0] != "v1" || parts[2] == "" {
		return asked{}, envelope.ProblemNotFound.New("%.200q: want /v1/{subjects}/{id}", path)
	}
	if parts[1] == catalog.WordRules {
		return i.typeRule(r, parts)
	}
	of, ok := i.catalog.SubjectByPath(parts[1])
	if !ok {
		return asked{}, envelope.ProblemNotFound.New("%.64q is no subject type", parts[1])
	}
	id, name, action := alertAction(method, parts[2])
	if action == "" || id == "" || !i.catalog.Alerting(of) {
		name = ""
		id, action = actionOf(method, parts[2])
	}
	subject := model.Subject{Type: of.Name, ID: id}
	switch err := keys.Purge(subject).Check(); {
	case action == "" || id == "":
		return asked{}, envelope.ProblemMethod.New("%.16s %.200s: want PUT, PATCH or DELETE of a subject, POST to its restore or purge, or DELETE of that", method, path).With("Allow", "PUT, PATCH, DELETE, POST")
	case err != nil:
		return asked{}, envelope.ProblemNotFound.New("%.64q…: no subject has such an id: %v", id, err)
	}
	return asked{APIGatewayV2HTTPRequest: r, subject: subject, action: action, name: name}, nil
}

func actionOf(method, rest string) (id string, action catalog.Action) {
	whole := map[string]catalog.Action{"PUT": catalog.CreateSubject, "PATCH": catalog.UpdateSubject, "DELETE": catalog.DeleteSubject}
	words := map[string]map[string]catalog.Action{
		"POST":   {catalog.WordRestore: catalog.RestoreSubject, catalog.WordPurge: catalog.PurgeSubject},
		"DELETE": {catalog.WordPurge: catalog.CallOffPurge},
	}
	if at := strings.LastIndexByte(rest, '/'); at >= 0 && words[method][rest[at+1:]] != "" {
		return rest[:at], words[method][rest[at+1:]]
	}
	return rest, whole[method]
}

func (i *invocation) create(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	fields, problem := envelope.ProfileFields(a.APIGatewayV2HTTPRequest, i.limits)
	if problem != nil {
		return events.APIGatewayV2HTTPResponse{}, problem
	}
	return i.changed(i.life.Create(ctx, a.subject, fields))
}

func (i *invocation) update(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	fields, problem := envelope.ProfileFields(a.APIGatewayV2HTTPRequest, i.limits)
	if problem != nil {
		return events.APIGatewayV2HTTPResponse{}, problem
	}
	expect, problem := envelope.Expected(a.APIGatewayV2HTTPRequest)
	if problem != nil {
		return events.APIGatewayV2HTTPResponse{}, problem
	}
	return i.changed(i.life.Update(ctx, a.subject, fields, expect))
}

// delete puts a subject into the bin, or with ?forever=true takes its profile away for
// good.
func (i *invocation) delete(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	expect, problem := envelope.Expected(a.APIGatewayV2HTTPRequest)
	if problem != nil {
		return events.APIGatewayV2HTTPResponse{}, problem
	}
	forever, problem := a.query.Boolean("forever")
	if problem != nil {
		return events.APIGatewayV2HTTPResponse{}, problem
	}
	if forever {
		return i.changed(i.life.Remove(ctx, a.subject, expect))
	}
	return i.changed(i.life.Delete(ctx, a.subject, expect))
}

func (i *invocation) restore(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	expect, problem := envelope.Expected(a.APIGatewayV2HTTPRequest)
	if problem != nil {
		return events.APIGatewayV2HTTPResponse{}, problem
	}
	return i.changed(i.life.Restore(ctx, a.subject, expect))
}

func (i *invocation) changed(out lifecycle.Outcome, err error) (events.APIGatewayV2HTTPResponse, error) {
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	return envelope.ChangeOf(out), nil
}

// purge asks for a purge and answers at once: the schedule begins it within a minute.
// ?dryRun=true counts what would go; ?graceHours=72 leaves time to call it off.
func (i *invocation) purge(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	dry, problem := a.query.Boolean("dryRun")
	if problem != nil {
		return events.APIGatewayV2HTTPResponse{}, problem
	}
	if dry {
		would, err := i.purger.Count(ctx, a.subject)
		return envelope.JSON(http.StatusOK, state{Would: would}), err
	}
	hours, err := strconv.Atoi(cmp.Or(a.query.Get("graceHours"), "0"))
	if err != nil || hours < 0 || hours > 24*366 {
		return events.APIGatewayV2HTTPResponse{}, envelope.ProblemQuery.New("graceHours: want whole hours, at most a year of them")
	}
	p, err := i.purger.Ask(ctx, a.subject, callerOf(a.APIGatewayV2HTTPRequest), time.Duration(hours)*time.Hour)
	if err != nil {
		return events.APIGatewayV2HTTPResponse{}, err
	}
	return envelope.JSON(http.StatusAccepted, stateOf(p)), nil
}

func (i *invocation) callOff(ctx context.Context, a asked) (events.APIGatewayV2HTTPResponse, error) {
	switch err := i.purger.CallOff(ctx, a.subject); {
	case errors.Is(err, lifecycle.ErrNoPurge):
		return events.APIGatewayV2HTTPResponse{}, envelope.ProblemNoPurge.New("there is nothing to call off")
	case errors.Is(err, lifecycle.ErrUnderWay):
		return events.APIGatewayV2HTTPResponse{}, envelope.ProblemUnderWay.New("it cannot be called off any more")
	case err != nil:
		return events.APIGatewayV2HTTPResponse{}, err
	}
	return envelope.JSON(http.StatusOK, state{}), nil
}

// callerOf is who asks, as far as the API knows.
func callerOf(r *events.APIGatewayV2HTTPRequest) string {
	a := r.RequestContext.Authorizer
	switch {
	case a != nil && a.JWT != nil && a.JWT.Claims["sub"] != "":
		return a.JWT.Claims["sub"]
	case a != nil && a.IAM != nil:
		return a.IAM.UserARN
	}
	return "http"
}
