package httpapi

import "github.com/tidemark-db/tidemark/pkg/catalog"

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

// The fixed segments in the paths of alerts. Package catalog rejects a kind or a subject
// type that has one of the first two as its path.
const (
	WordAlerts      = "alerts"
	WordRules       = "rules"
	WordAcknowledge = "acknowledge"
	WordResolve     = "resolve"
)

// alertRows are the routes of the alerts and rules of one subject, below the path of its type.
var alertRows = []Route{
	{Method: "GET", Path: "/{id}/" + WordAlerts, Action: ListAlerts},
	{Method: "GET", Path: "/{id}/" + WordAlerts + "/{alert}", Action: ReadAlert},
	{Method: "POST", Path: "/{id}/" + WordAlerts + "/{alert}/" + WordAcknowledge, Action: AcknowledgeAlert},
	{Method: "POST", Path: "/{id}/" + WordAlerts + "/{alert}/" + WordResolve, Action: ResolveAlert},
	{Method: "GET", Path: "/{id}/" + WordRules, Action: ListOwnRules},
	{Method: "POST", Path: "/{id}/" + WordRules, Action: AddOwnRule},
	{Method: "DELETE", Path: "/{id}/" + WordRules + "/{rule}", Action: RemoveOwnRule},
}

// typeAlertRows are the routes of the alerts and rules of all subjects of a type. The path
// is word, then the path of the type, then suffix.
var typeAlertRows = []struct {
	method, word, suffix string
	action               Action
}{
	{"GET", WordAlerts, "", ListOpenAlerts},
	{"GET", WordRules, "", ListRules},
	{"POST", WordRules, "", AddRule},
	{"DELETE", WordRules, "/{rule}", RemoveRule},
}

// alertRoutes returns the routes of the alerts and rules of the subject types that allow rules, in the order
// of their declaration. {alert} is an alert's id and {rule} a rule's name.
func alertRoutes(c *catalog.Catalog) []Route {
	var all []Route
	for _, s := range c.Subjects() {
		if !c.AllowsRules(s) {
			continue
		}
		for _, r := range alertRows {
			r.Path, r.Kind = "/v1/"+s.Path+r.Path, s.Name
			all = append(all, r)
		}
		for _, r := range typeAlertRows {
			all = append(all, Route{r.method, "/v1/" + r.word + "/" + s.Path + r.suffix, r.action, s.Name})
		}
	}
	return all
}
