package httpapi_test

import (
	"encoding/json"
	"testing"

	"github.com/tidemark-db/tidemark/internal/httpapi"
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
		got, err := json.Marshal(httpapi.AppendResultOf(c.result))
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

func TestProblem_FollowsRFC9457(t *testing.T) {
	t.Parallel()
	got := httpapi.ProblemMethod.New("%s only accepts POST", "/v1/readings").With("Allow", "POST").Response()
	want := `{"type":"/problems/method-not-allowed","title":"The path does not accept this method","status":405,"detail":"/v1/readings only accepts POST"}`
	if got.Status != 405 || got.Body != want || got.Headers["Allow"] != "POST" || got.Headers["Content-Type"] != "application/problem+json" {
		t.Errorf("got %d %v\n got %s\nwant %s", got.Status, got.Headers, got.Body, want)
	}
}
