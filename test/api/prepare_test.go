package api

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// shipped returns the kinds of the stack.
func shipped(t *testing.T) *catalog.Catalog {
	t.Helper()
	kinds, err := settings(t).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	return kinds
}

// preparations are the requests that bring the example subjects to their states. ids is the
// suffix of the subject's id, path is relative to the subject.
var preparations = []struct{ ids, method, path, body string }{
	{"02", "PUT", "", `{"name":"example","status":"example"}`},
	{"deleted", "PUT", "", `{"name":"example"}`},
	{"deleted", "DELETE", "", ""},
	{"leaving", "POST", "/purge?graceHours=72", ""},
}

// exampleRule returns the example rule for the first kind that allows rules, "" if there is
// none.
func exampleRule(subject catalog.SubjectType, kinds *catalog.Catalog) string {
	for _, k := range kinds.SubjectKinds(subject) {
		if k.AllowsRules() {
			return `{"name":"example","kind":"` + k.Path +
				`","measure":"temperature","bounds":"above","high":30,"severity":"warning"}`
		}
	}
	return ""
}

// prepareAlerts adds rules and alerts of a subject type, if it allows rules. It writes the
// alerts directly, since they need the ids of the examples.
func (s service) prepareAlerts(t *testing.T, of catalog.SubjectType, kinds *catalog.Catalog) {
	t.Helper()
	rule := exampleRule(of, kinds)
	if rule == "" {
		return
	}
	id := strings.ToLower(of.Name) + "_alerting"
	for _, target := range []string{"/v1/rules/" + of.Path, "/v1/" + of.Path + "/" + id + "/rules"} {
		if a := s.send(t, "POST", target, []byte(rule), "Content-Type", "application/json"); a.status != 200 {
			t.Fatalf("POST %s: %d %s", target, a.status, a.body)
		}
	}
	series := model.Series{Subject: model.Subject{Type: of.Name, ID: id}, Kind: kinds.SubjectKinds(of)[0].Name}
	raised := model.NewTime(time.Now().Add(-time.Hour))
	listed := storage.ListedSeries{Series: series, First: raised, Last: raised}
	if err := s.table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
		t.Fatal(err)
	}
	for _, alert := range []string{"01KPN3Q8G0V7H4T2W9R5M6C1XA", "01KPN3Q8G0V7H4T2W9R5M6C1XB"} {
		a := storage.Alert{
			ID: alert, Rev: [16]byte{1}, Rule: "example.1", Severity: storage.Critical, Measure: "temperature",
			Limit: "above 30", Series: series,
			Violation: storage.Violation{Raised: model.Order{At: raised}, Value: model.MustDecimal("31.5")},
		}
		if err := s.table.PutItem(t.Context(), item.FromAlert(&a, 0)); err != nil {
			t.Fatal(err)
		}
	}
}

// sessionView is the first view of the example session, which is named by its time and visitor.
const sessionView = `{"siteId":"site_01","timestamp":"2026-04-20T14:00:00Z","id":"first","visitor":"1","path":"/"}`

// prepare brings the example subjects to the states that the examples need.
func (s service) prepare(t *testing.T, kinds *catalog.Catalog) {
	t.Helper()
	if a := s.send(t, "POST", "/v1/pageviews", []byte(sessionView), "Content-Type",
		"application/json"); a.status != 200 {
		t.Fatalf("POST /v1/pageviews: %d %s", a.status, a.body)
	}
	for _, of := range kinds.Subjects() {
		for _, b := range preparations {
			target := "/v1/" + of.Path + "/" + strings.ToLower(of.Name) + "_" + b.ids + b.path
			if a := s.send(t, b.method, target, []byte(b.body), "Content-Type",
				"application/json"); a.status/100 != 2 {
				t.Fatalf("%s %s: %d %s", b.method, target, a.status, a.body)
			}
		}
		s.prepareAlerts(t, of, kinds)
	}
	s.prepareEvents(t, kinds)
}

// prepareEvents appends the events with ids of the examples, for the kinds whose examples of
// observations have none.
func (s service) prepareEvents(t *testing.T, kinds *catalog.Catalog) {
	t.Helper()
	for i := range kinds.Kinds {
		k := &kinds.Kinds[i]
		body := fmt.Sprintf(`{%q:%q,"timestamp":"2026-04-20T14:00:00Z","id":"1"}`, k.Subject.Field,
			strings.ToLower(k.Subject.Name)+"_01")
		if k.IDs != catalog.OptionalID || !k.HasEvents() {
			continue
		}
		if a := s.send(t, "POST", "/v1/"+k.Path, []byte(body), "Content-Type",
			"application/json"); a.status != 200 {
			t.Fatalf("POST /v1/%s %s: %d %s", k.Path, body, a.status, a.body)
		}
	}
}
