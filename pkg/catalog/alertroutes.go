package catalog

import "slices"

// The actions on alerts and their rules.
const (
	ListAlerts       Action = "alerts"      // of a subject
	ListOpenAlerts   Action = "open-alerts" // of all subjects of a type
	ReadAlert        Action = "alert"
	AcknowledgeAlert Action = "acknowledge-alert"
	ResolveAlert     Action = "resolve-alert"
	ListRules        Action = "rules" // of all subjects of a type
	AddRule          Action = "add-rule"
	RemoveRule       Action = "remove-rule"
	ListOwnRules     Action = "own-rules" // of one subject
	AddOwnRule       Action = "add-own-rule"
	RemoveOwnRule    Action = "remove-own-rule"
)

// The words of the routes of alerts. No kind and no subject type may have one of the
// first two as its path.
const (
	WordAlerts      = "alerts"
	WordRules       = "rules"
	WordAcknowledge = "acknowledge"
	WordResolve     = "resolve"
)

// alertRoutes are the routes of a subject type that can have alerts: those that begin
// with a brace stand below its path, the others before it.
var alertRoutes = []Route{
	{Method: "GET", Path: "/{id}/" + WordAlerts, Action: ListAlerts},
	{Method: "GET", Path: "/{id}/" + WordAlerts + "/{alert}", Action: ReadAlert},
	{Method: "POST", Path: "/{id}/" + WordAlerts + "/{alert}/" + WordAcknowledge, Action: AcknowledgeAlert},
	{Method: "POST", Path: "/{id}/" + WordAlerts + "/{alert}/" + WordResolve, Action: ResolveAlert},
	{Method: "GET", Path: "/{id}/" + WordRules, Action: ListOwnRules},
	{Method: "POST", Path: "/{id}/" + WordRules, Action: AddOwnRule},
	{Method: "DELETE", Path: "/{id}/" + WordRules + "/{rule}", Action: RemoveOwnRule},
}

var typeAlertRoutes = []struct {
	method, word, rest string
	action             Action
}{
	{"GET", WordAlerts, "", ListOpenAlerts},
	{"GET", WordRules, "", ListRules},
	{"POST", WordRules, "", AddRule},
	{"DELETE", WordRules, "/{rule}", RemoveRule},
}

// Testable reports whether rules can be about the kind's events: they must come in an
// order, which current gives, of one series each.
func (k *Kind) Testable() bool { return !k.WithoutCurrent && k.Shards < 2 }

// Alerting reports whether a subject type has a kind that rules can be about.
func (c *Catalog) Alerting(s SubjectType) bool {
	return slices.ContainsFunc(c.KindsOf(s), (*Kind).Testable)
}

// AlertRoutes are the routes of alerts and rules of all subject types that can have
// some, in the order of their first mention: {alert} is an alert's id and {rule} a rule's
// name in them, and Kind the subject type's name.
func (c *Catalog) AlertRoutes() []Route {
	var all []Route
	for _, s := range c.subjects {
		if !c.Alerting(s) {
			continue
		}
		for _, r := range alertRoutes {
			r.Path, r.Kind = "/v1/"+s.Path+r.Path, s.Name
			all = append(all, r)
		}
		for _, r := range typeAlertRoutes {
			all = append(all, Route{r.method, "/v1/" + r.word + "/" + s.Path + r.rest, r.action, s.Name})
		}
	}
	return all
}
