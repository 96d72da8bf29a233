package httpapi_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/views"
	"github.com/tidemark-db/tidemark/pkg/model"
)

func TestAppendResultOf_OmitsEmptyMembers(t *testing.T) {
	t.Parallel()
	series := model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING", Stream: "status"}
	key := model.EventKey{Series: series, Order: model.Order{At: 1, ID: "x"}}
	fields := model.Attrs{
		{Name: "big", Value: model.NumberValue(model.MustDecimal("123456789012345678901234567890.12345678"))},
		{Name: "none"},
		{Name: "off", Value: model.BoolValue(false)},
		{Name: "say \"hi\"", Value: model.TextValue("<&>")},
	}
	cases := []struct {
		name   string
		result model.AppendResult
		want   string
	}{
		{"applied", model.AppendResult{Outcome: model.Applied, Key: key, Latest: &model.Latest{Ordered: true, Order: key.Order, Attrs: fields}},
			`{"outcome":"applied","subject":"a","kind":"READING","stream":"status","at":"1970-01-01T00:00:00.001Z","id":"x",` +
				`"latest":{"at":"1970-01-01T00:00:00.001Z","id":"x","fields":{"big":123456789012345678901234567890.12345678,"none":null,"off":false,"say \"hi\"":"\u003c\u0026\u003e"}}}`},
		{"only fields of other writers", model.AppendResult{Outcome: model.Conflict, Key: key, Latest: &model.Latest{}},
			`{"outcome":"conflict","subject":"a","kind":"READING","stream":"status","at":"1970-01-01T00:00:00.001Z","id":"x","latest":{"at":null,"id":"","fields":{}}}`},
		{"no latest item", model.AppendResult{Outcome: model.Unknown, Key: model.EventKey{Series: model.Series{Subject: series.Subject, Kind: "READING"}}},
			`{"outcome":"unknown","subject":"a","kind":"READING","at":"1970-01-01T00:00:00.000Z"}`},
		{"rejected", model.AppendResult{Outcome: model.Rejected, Errors: []model.FieldError{{Field: "t", Code: "nested", Message: "is an object"}}},
			`{"outcome":"rejected","errors":[{"field":"t","code":"nested","message":"is an object"}]}`},
		{"rejected, subject known", model.AppendResult{Outcome: model.Rejected, Key: model.EventKey{Series: series}},
			`{"outcome":"rejected","subject":"a"}`},
	}
	for _, c := range cases {
		got, err := json.Marshal(views.NewAppendResult(c.result))
		if err != nil || string(got) != c.want {
			t.Errorf("%s: error %v\n got %s\nwant %s", c.name, err, got, c.want)
		}
	}
}

func TestAppendResponse_OfNoObservationsIsAnEmptyList(t *testing.T) {
	t.Parallel()
	if got := httpapi.AppendResponse(nil, true); got.Status != 200 || got.Body != "[]" {
		t.Errorf("got %d %s, want 200 []", got.Status, got.Body)
	}
}

// A client that reads the status alone must not take an observation for stored that is not.
func TestAppendResponse_OneObservationThatIsNotStoredIsAProblem(t *testing.T) {
	t.Parallel()
	latest := &model.Latest{Ordered: true, Order: model.Order{At: 5}}
	for outcome, want := range map[model.Outcome]int{
		model.Applied: 200, model.Late: 200, model.Duplicate: 200, model.Unknown: 503,
		model.Rejected: 400, model.Collision: 409, model.Conflict: 409, model.Stale: 409, model.Gone: 410,
	} {
		result := []model.AppendResult{{Outcome: outcome, Latest: latest}}
		one, list := httpapi.AppendResponse(result, false), httpapi.AppendResponse(result, true)
		var problem struct {
			Outcome model.Outcome
			Detail  string
			Latest  *struct{ At string }
		}
		if err := json.Unmarshal([]byte(one.Body), &problem); err != nil || one.Status != want ||
			problem.Outcome != outcome {
			t.Errorf("%s: %d %s, %v; want %d", outcome, one.Status, one.Body, err, want)
		}
		stored := want == 200 || want == 503
		header, inList := one.Headers[httpapi.HeaderNotStored], list.Headers[httpapi.HeaderNotStored]
		if stored != (header == "") || header != inList {
			t.Errorf("%s: %s is %q alone and %q in a list", outcome, httpapi.HeaderNotStored, header, inList)
		}
		if !stored && (problem.Detail == "" || problem.Latest == nil) {
			t.Errorf("%s has no detail or latest item: %s", outcome, one.Body)
		}
		if list.Status != map[bool]int{true: 503, false: 200}[want == 503] {
			t.Errorf("a list with %s has status %d", outcome, list.Status)
		}
	}
}

func TestAppendResponse_CountsWhatIsNotStoredAndWhatIsNotDeclared(t *testing.T) {
	t.Parallel()
	parts := []model.FieldError{{Field: "a"}, {Field: "b"}}
	undeclared := []model.UndeclaredField{{Field: "temp", DidYouMean: "temperature"}}
	results := []model.AppendResult{
		{Outcome: model.Applied, NotStored: parts, Undeclared: undeclared},
		{Outcome: model.Collision}, {Outcome: model.Unknown},
	}
	got := httpapi.AppendResponse(results, true)
	if n, u := got.Headers[httpapi.HeaderNotStored],
		got.Headers[httpapi.HeaderUndeclared]; n != "3" || u != "1" {
		t.Errorf("%s values are not stored and %s are undeclared, want 3 and 1", n, u)
	}
}

func TestProblem_FollowsRFC9457(t *testing.T) {
	t.Parallel()
	got := httpapi.ProblemMethod.New("%s only accepts POST", "/v1/readings").With("Allow", "POST").Response()
	want := `{"type":"/problems/method-not-allowed","title":"The path does not accept this method","status":405,"detail":"/v1/readings only accepts POST"}`
	if got.Status != 405 || got.Body != want || got.Headers["Allow"] != "POST" ||
		got.Headers["Content-Type"] != "application/problem+json" {
		t.Errorf("got %d %v\n got %s\nwant %s", got.Status, got.Headers, got.Body, want)
	}
}

// A function returns 6 MB. What is stored has a response, however many fields its observations have: a sender
// without one repeats them for ever.
func TestAppendResponse_IsWithinTheLimitOfAFunction(t *testing.T) {
	t.Parallel()
	wide := model.AppendResult{Outcome: model.Applied, Latest: &model.Latest{}}
	wide.Key.Series.Subject.ID = strings.Repeat("s", 200)
	for i := range 100 {
		name := fmt.Sprint(strings.Repeat("n", 60), i)
		wide.Latest.Attrs = append(wide.Latest.Attrs, model.Attr{Name: name, Value: model.TextValue("x")})
	}
	noted := wide
	for _, a := range wide.Latest.Attrs {
		noted.NotStored = append(noted.NotStored, model.FieldError{Field: a.Name, Message: "is a list"})
	}
	plain := noted // of which only the number makes a response too long
	plain.Latest, plain.NotStored = nil, noted.NotStored[:3]
	for name, c := range map[string]struct {
		result     model.AppendResult
		count      int
		has, lacks string
	}{
		"some":          {wide, 10, `"latest"`, `"detail"`},
		"many":          {wide, 1000, `"subject"`, `"latest"`},
		"many messages": {noted, 1000, `"the response has no room for 99 further messages`, `"latest"`},
		"very many":     {plain, 20_000, `,"detail":"the response has no room for 2 further`, `"subject"`},
		"most":          {plain, 60_000, `{"outcome":"applied"}`, `"detail"`},
	} {
		got := httpapi.AppendResponse(slices.Repeat([]model.AppendResult{c.result}, c.count), true)
		if len(got.Body) > httpapi.MaxResponse || !strings.Contains(got.Body, c.has) ||
			strings.Contains(got.Body, c.lacks) || strings.Count(got.Body, `"outcome":"applied"`) != c.count {
			t.Errorf("%s: %d bytes: %.300s", name, len(got.Body), got.Body)
		}
	}
}
