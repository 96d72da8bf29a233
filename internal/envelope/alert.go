package envelope

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/alert"
	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The problem types of alerts and rules.
var (
	ProblemNoAlert = ProblemType{"/problems/no-such-alert", "There is no such alert", http.StatusNotFound}
	ProblemNoRule  = ProblemType{"/problems/no-such-rule", "There is no such rule", http.StatusNotFound}
	ProblemRule    = ProblemType{"/problems/rejected-rule", "The rule was rejected", http.StatusBadRequest}
)

// Alerts is a page of alerts as callers read it.
type Alerts struct {
	Alerts []alert.View `json:"alerts"`
	Next   *string      `json:"next"`
}

// AlertsOf are alerts as callers read them, less the cursor of the next page.
func AlertsOf(page []model.Alert) Alerts {
	v := Alerts{Alerts: make([]alert.View, len(page))}
	for i := range page {
		v.Alerts[i] = alert.ViewOf(&page[i])
	}
	return v
}

// Lines has a line an alert.
func (a Alerts) Lines() []any { return linesOf(a.Alerts) }

// Following is the cursor of the next page.
func (a Alerts) Following() *string { return a.Next }

// Table has a row an alert.
func (a Alerts) Table() Table {
	t := Table{Header: []string{"id", "subject", "kind", "stream", "rule", "severity", "status", "measure", "value", "limit", "at", "resolvedAt", "acknowledgedBy"}}
	for _, v := range a.Alerts {
		by := ""
		if v.Acknowledged != nil {
			by = v.Acknowledged.By
		}
		t.Rows = append(t.Rows, []string{
			v.ID, v.Subject, v.Kind, v.Stream, v.Rule, string(v.Severity), string(v.Status), v.Measure, v.Value.String(), v.Limit,
			v.At.String(), timeText(v.ResolvedAt), by,
		})
	}
	return t
}

// Rules are rules as callers read them.
type Rules struct {
	Rules []alert.RuleView `json:"rules"`
}

// RulesOf are rules as callers read them.
func RulesOf(rules []model.Rule) Rules {
	v := Rules{Rules: make([]alert.RuleView, len(rules))}
	for i := range rules {
		v.Rules[i] = alert.RuleViewOf(&rules[i])
	}
	return v
}

// ruleBody is a rule as callers send it.
type ruleBody struct {
	Name     string         `json:"name"`
	Kind     string         `json:"kind"`   // its name or its plural
	Stream   *string        `json:"stream"` // null or left out is any
	Measure  string         `json:"measure"`
	Bounds   model.Bounds   `json:"bounds"`
	Low      *model.Decimal `json:"low"`
	High     *model.Decimal `json:"high"`
	Severity model.Severity `json:"severity"`
}

// RuleDraft reads the rule of a request: an object with name, kind, measure, bounds, low,
// high, severity and stream. Whether it can be is not looked at.
func RuleDraft(r *events.APIGatewayV2HTTPRequest, limits config.Limits, kinds *catalog.Catalog) (model.Rule, *Problem) {
	body, problem := Body(r, limits)
	if problem != nil {
		return model.Rule{}, problem
	}
	var b ruleBody
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(&b)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("something follows the object")
	}
	if err != nil {
		return model.Rule{}, ProblemBody.New("want a JSON object with name, kind, measure, bounds, low, high, severity and stream: %v", err)
	}
	rule := model.Rule{
		Name: b.Name, Kind: b.Kind, AnyStream: b.Stream == nil, Measure: b.Measure, Bounds: b.Bounds, Low: b.Low, High: b.High, Severity: b.Severity,
	}
	if b.Stream != nil {
		rule.Stream = *b.Stream
	}
	if kind, ok := kinds.ByPath(b.Kind); ok {
		rule.Kind = kind.Name
	}
	return rule, nil
}

// RejectedRule is the problem of a rule that cannot be.
func RejectedRule(wrong []model.FieldError) *Problem {
	p := ProblemRule.New("see errors: each names a field and says what to do")
	p.Errors = wrong
	return p
}
