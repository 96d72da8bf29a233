package api

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// shipped are the kinds that the stack runs with.
func shipped(t *testing.T) *catalog.Catalog {
	t.Helper()
	kinds, err := settings(t).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// before is what the subjects of the examples have gone through, by the end of their
// ids: requests with the path below the subject and the body.
var before = []struct{ ids, method, path, body string }{
	{"02", "PUT", "", `{"name":"example","status":"example"}`},
	{"deleted", "PUT", "", `{"name":"example"}`},
	{"deleted", "DELETE", "", ""},
	{"leaving", "POST", "/purge?graceHours=72", ""},
}

// ruled is a rule of the examples, of the first kind that can have some.
func ruled(of catalog.SubjectType, kinds *catalog.Catalog) string {
	for _, k := range kinds.KindsOf(of) {
		if k.Testable() {
			return `{"name":"example","kind":"` + k.Path + `","measure":"temperature","bounds":"above","high":30,"severity":"warning"}`
		}
	}
	return ""
}

// prepareAlerts has a subject type have rules and alerts, where it can. The alerts are
// put as they stand once events have raised them: their ids are those of the examples.
func (s service) prepareAlerts(t *testing.T, of catalog.SubjectType, kinds *catalog.Catalog) {
	t.Helper()
	rule := ruled(of, kinds)
	if rule == "" {
		return
	}
	id := strings.ToLower(of.Name) + "_alerting"
	for _, target := range []string{"/v1/rules/" + of.Path, "/v1/" + of.Path + "/" + id + "/rules"} {
		if a := s.ask(t, "POST", target, []byte(rule), "Content-Type", "application/json"); a.status != 200 {
			t.Fatalf("POST %s: %d %s", target, a.status, a.body)
		}
	}
	for _, alert := range []string{"01KPN3Q8G0V7H4T2W9R5M6C1XA", "01KPN3Q8G0V7H4T2W9R5M6C1XB"} {
		a := model.Alert{
			ID: alert, Rev: [16]byte{1}, Rule: "example.1", Severity: model.Critical, Measure: "temperature", Limit: "above 30",
			Series:    model.Series{Subject: model.Subject{Type: of.Name, ID: id}, Kind: kinds.KindsOf(of)[0].Name},
			Violation: model.Violation{Value: model.MustDecimal("31.5")},
		}
		if err := s.table.PutItem(t.Context(), item.FromAlert(&a, 0)); err != nil {
			t.Fatal(err)
		}
	}
}

// prepare brings the subjects of the examples to where the examples need them.
func (s service) prepare(t *testing.T, kinds *catalog.Catalog) {
	t.Helper()
	for _, of := range kinds.Subjects() {
		for _, b := range before {
			target := "/v1/" + of.Path + "/" + strings.ToLower(of.Name) + "_" + b.ids + b.path
			if a := s.ask(t, b.method, target, []byte(b.body), "Content-Type", "application/json"); a.status/100 != 2 {
				t.Fatalf("%s %s: %d %s", b.method, target, a.status, a.body)
			}
		}
		s.prepareAlerts(t, of, kinds)
	}
}
