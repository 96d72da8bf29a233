package httpapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/times"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// The problem types of alerts and rules.
var (
	ProblemNoAlert = ProblemType{
		URI: "/problems/no-such-alert", Title: "The alert does not exist", Status: http.StatusNotFound,
	}
	ProblemNoRule = ProblemType{
		URI: "/problems/no-such-rule", Title: "The rule does not exist", Status: http.StatusNotFound,
	}
	ProblemRule = ProblemType{
		URI: "/problems/rejected-rule", Title: "The rule was rejected", Status: http.StatusBadRequest,
	}
)

// ruleBody is the body of a request that adds a rule.
type ruleBody struct {
	Name      string           `json:"name"`
	Kind      string           `json:"kind"`   // name or plural
	Stream    *string          `json:"stream"` // nil means any stream
	Test      storage.Test     `json:"test"`   // "" is the value of the measure
	Measure   string           `json:"measure"`
	Bounds    storage.Bounds   `json:"bounds"`
	Low       *model.Decimal   `json:"low"`
	High      *model.Decimal   `json:"high"`
	ClearLow  *model.Decimal   `json:"clearLow"`
	ClearHigh *model.Decimal   `json:"clearHigh"`
	For       times.Span       `json:"for"` // as text: 10m
	Severity  storage.Severity `json:"severity"`
}

// ruleFields are the fields of ruleBody.
const ruleFields = "name, kind, stream, test, measure, bounds, low, high, " +
	"clearLow, clearHigh, for and severity"

// Rule decodes the rule in the body: an object with the fields of ruleBody. It does not validate the rule.
func (r *Request) Rule(limits config.Limits, kinds *catalog.Catalog) (storage.Rule, *Problem) {
	body, problem := r.Bytes(limits)
	if problem != nil {
		return storage.Rule{}, problem
	}
	var b ruleBody
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	err := d.Decode(&b)
	if _, more := d.Token(); err == nil && !errors.Is(more, io.EOF) {
		err = errors.New("the object is followed by more data")
	}
	if err != nil {
		return storage.Rule{}, ProblemBody.New("%v: want one JSON object with %s", err, ruleFields)
	}
	rule := storage.Rule{
		Name: b.Name, Kind: b.Kind, AnyStream: b.Stream == nil,
		Test: b.Test, Measure: b.Measure, Bounds: b.Bounds, Low: b.Low, High: b.High,
		ClearLow: b.ClearLow, ClearHigh: b.ClearHigh, For: b.For, Severity: b.Severity,
	}
	if b.Stream != nil {
		rule.Stream = *b.Stream
	}
	if kind, ok := kinds.ByPath(b.Kind); ok {
		rule.Kind = kind.Name
	}
	return rule, nil
}

// RejectedRuleProblem returns the problem of an invalid rule.
func RejectedRuleProblem(wrong []model.FieldError) *Problem {
	p := ProblemRule.New("see errors: each names a field and what to change")
	p.Errors = wrong
	return p
}
