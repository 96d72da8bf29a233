package main

import (
	"net/http"
	"strings"

	"github.com/tidemark-db/tidemark/internal/httpapi"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// command is a decoded request, less its body.
type command struct {
	*httpapi.Request
	action  httpapi.Action
	subject model.Subject // without an ID for the rules of a subject type
	name    string        // an alert's id or a rule's name
	event   httpapi.EventPath
	query   httpapi.Parameters
}

// parameters lists the query parameters of each action that has some.
var parameters = map[httpapi.Action][]string{
	httpapi.DeleteSubject: {"forever"},
	httpapi.PurgeSubject:  {"dryRun", "graceHours"},

	httpapi.CorrectEvent:     {"stream", "strict"},
	httpapi.CorrectEventByID: {"stream", "strict"},
	httpapi.DeleteEvent:      {"stream"},
	httpapi.DeleteEventByID:  {"stream"},
}

// decode reads the path, the caller's owner and the query of a request.
func (h *handler) decode(r *httpapi.Request) (command, *httpapi.Problem) {
	c, problem := h.decodePath(r)
	if problem != nil {
		return command{}, problem
	}
	switch owner, problem := r.Owner(h.ownerClaim); {
	case problem != nil:
		return command{}, problem
	case !owner.Owns(c.subject.ID):
		return command{}, httpapi.ProblemForeign.New("%s", owner.ForeignDetail(c.subject.ID))
	}
	c.query, problem = httpapi.ParseParameters(r.RawQuery, parameters[c.action], nil)
	return c, problem
}

// decodePath reads a path from both ends, because an id may contain slashes:
//
//	PUT, PATCH, DELETE /v1/{subjects}/{id}
//	POST               /v1/{subjects}/{id}/restore
//	POST, DELETE       /v1/{subjects}/{id}/purge
//	POST               /v1/{subjects}/{id}/alerts/{alert}/acknowledge, …/resolve
//	POST               /v1/{subjects}/{id}/rules
//	DELETE             /v1/{subjects}/{id}/rules/{rule}
//	PUT, DELETE        /v1/{subjects}/{id}/{kinds}/{time}[/{event}]
//	POST               /v1/rules/{subjects}
//	DELETE             /v1/rules/{subjects}/{rule}
func (h *handler) decodePath(r *httpapi.Request) (command, *httpapi.Problem) {
	parts := strings.SplitN(strings.TrimPrefix(r.Path, "/"), "/", 3)
	if len(parts) < 3 || parts[0] != "v1" || parts[2] == "" {
		return command{}, httpapi.ProblemNotFound.New("%.200q: want /v1/{subjects}/{id}", r.Path)
	}
	if parts[1] == httpapi.WordRules {
		return h.decodeTypeRule(r, parts[2])
	}
	subjectType, ok := h.catalog.SubjectByPath(parts[1])
	if !ok {
		return command{}, httpapi.ProblemNotFound.New("%.64q is not a subject type", parts[1])
	}
	id, name, action := alertAction(r.Method, parts[2])
	event, isEvent := httpapi.FindEvent(h.catalog, subjectType, strings.Split(parts[2], "/"))
	isEvent = isEvent && event.Action(r.Method) != "" && action == ""
	if isEvent {
		id, action = event.Subject, event.Action(r.Method)
	} else if action == "" || id == "" || !h.catalog.AllowsRules(subjectType) {
		name = ""
		id, action = subjectAction(r.Method, parts[2])
	}
	subject := model.Subject{Type: subjectType.Name, ID: id}
	switch err := tablekeys.Purge(subject).Check(); {
	case action == "" || id == "":
		return command{}, httpapi.ProblemMethod.New("%.16s %.200s: want PUT, PATCH or DELETE of a subject, POST to its restore or purge, or DELETE of its purge", r.Method, r.Path).With("Allow", "PUT, PATCH, DELETE, POST")
	case err != nil:
		return command{}, httpapi.ProblemNotFound.New("%.64q… is not a valid id: %v", id, err)
	}
	return command{Request: r, subject: subject, action: action, name: name, event: event}, nil
}

// decodeTypeRule reads what follows /v1/rules/.
func (h *handler) decodeTypeRule(r *httpapi.Request, rest string) (command, *httpapi.Problem) {
	path, name, _ := strings.Cut(rest, "/")
	subjectType, ok := h.catalog.SubjectByPath(path)
	if !ok || !h.catalog.AllowsRules(subjectType) {
		return command{}, httpapi.ProblemNotFound.New("%.64q is not a subject type that can have rules", path)
	}
	byMethod := map[string]httpapi.Action{http.MethodPost: httpapi.AddRule, http.MethodDelete: httpapi.RemoveRule}
	action := byMethod[r.Method]
	if action == "" || (action == httpapi.RemoveRule) != (name != "") {
		return command{}, httpapi.ProblemMethod.New("want POST of a rule, or DELETE of a rule by its name").With("Allow", "POST, DELETE")
	}
	return command{Request: r, subject: model.Subject{Type: subjectType.Name}, action: action, name: name}, nil
}

// alertAction reads what follows a subject type in the paths of alerts and rules. The
// action is "" for other paths.
func alertAction(method, rest string) (id, name string, action httpapi.Action) {
	parts := strings.Split(rest, "/")
	n := len(parts)
	ofAlert := map[string]httpapi.Action{httpapi.WordAcknowledge: httpapi.AcknowledgeAlert, httpapi.WordResolve: httpapi.ResolveAlert}
	switch {
	case method == http.MethodPost && n > 3 && parts[n-3] == httpapi.WordAlerts && ofAlert[parts[n-1]] != "":
		return strings.Join(parts[:n-3], "/"), parts[n-2], ofAlert[parts[n-1]]
	case method == http.MethodPost && n > 1 && parts[n-1] == httpapi.WordRules:
		return strings.Join(parts[:n-1], "/"), "", httpapi.AddOwnRule
	case method == http.MethodDelete && n > 2 && parts[n-2] == httpapi.WordRules:
		return strings.Join(parts[:n-2], "/"), parts[n-1], httpapi.RemoveOwnRule
	}
	return "", "", ""
}

// subjectAction reads what follows a subject type in the other paths.
func subjectAction(method, rest string) (id string, action httpapi.Action) {
	withoutWord := map[string]httpapi.Action{"PUT": httpapi.CreateSubject, "PATCH": httpapi.UpdateSubject, "DELETE": httpapi.DeleteSubject}
	byWord := map[string]map[string]httpapi.Action{
		"POST":   {httpapi.WordRestore: httpapi.RestoreSubject, httpapi.WordPurge: httpapi.PurgeSubject},
		"DELETE": {httpapi.WordPurge: httpapi.CallOffPurge},
	}
	if at := strings.LastIndexByte(rest, '/'); at >= 0 && byWord[method][rest[at+1:]] != "" {
		return rest[:at], byWord[method][rest[at+1:]]
	}
	return rest, withoutWord[method]
}
