package views

import (
	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

// Alerts is a page of alerts as JSON.
type Alerts struct {
	Alerts []alert.View `json:"alerts"`
	NextPage
	Progress // rules are evaluated when a change is processed
}

// NewAlerts returns a page of alerts without the cursor of the next page.
func NewAlerts(page []storage.Alert, p query.Progress) Alerts {
	views := lists.Map(page, func(a storage.Alert) alert.View { return alert.NewView(&a) })
	return Alerts{Alerts: views, Progress: FromProgress(p)}
}

// Lines has one line for each alert.
func (a Alerts) Lines() []any { return toLines(a.Alerts) }

// Table has one row for each alert.
func (a Alerts) Table() Table {
	t := Table{Header: []string{"id", "subject", "kind", "stream", "rule", "severity", "status", "measure",
		"value", "limit", "at", "resolvedAt", "acknowledgedBy"}}
	for _, v := range a.Alerts {
		by := ""
		if v.Acknowledged != nil {
			by = v.Acknowledged.By
		}
		t.Rows = append(t.Rows, []string{
			v.ID, v.Subject, v.Kind, v.Stream, v.Rule, string(v.Severity), string(v.Status), v.Measure,
			v.Value.String(), v.Limit, v.At.String(), timeText(v.ResolvedAt), by,
		})
	}
	return t
}

// Rules is a list of rules as JSON.
type Rules struct {
	Rules []alert.RuleView `json:"rules"`
}

// NewRules returns a list of rules.
func NewRules(rules []storage.Rule) Rules {
	return Rules{Rules: lists.Map(rules, func(r storage.Rule) alert.RuleView { return alert.NewRuleView(&r) })}
}
