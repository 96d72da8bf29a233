package main

import (
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
	"github.com/tidemark-db/tidemark/pkg/tier"
)

// countSteps stores the rows of halls whose counter has a reading at the start of each hour from ten on, in
// the wing north.
func countSteps(t *testing.T, h *Handler, readings map[string][]int64) {
	t.Helper()
	table, began := h.Query.Store.(*memory.Table), at("2026-04-20T10:00:00Z")
	kind, _ := h.Catalog.Kind("VISIT")
	for id, values := range readings {
		series := model.Series{Subject: model.Subject{Type: "HALL", ID: id}, Kind: "VISIT"}
		listed := storage.ListedSeries{Series: series, First: began, Last: began}
		if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
			t.Fatal(err)
		}
		for i, value := range values {
			start := began.Add(time.Duration(i) * time.Hour)
			row := rollup.Row{Key: rollup.Key{Series: series, Tier: tier.Hour.String(), Start: start},
				Fold: *rollup.NewFold(kind.Spec()), Rev: rollup.Rev{1}, V: item.Version}
			row.AddEvent(&model.Event{Series: series, Order: model.Order{At: start},
				Attrs: model.Attrs{{Name: "steps", Value: model.NumberValue(model.NewDecimal(value))}}})
			row.Groups = []string{storage.GroupName("VISIT_BY_WING", "north")}
			result, err := table.PutRow(t.Context(), &row, rollup.Rev{})
			if err != nil || result != storage.Written {
				t.Fatal(result, err)
			}
		}
	}
}

func TestIncreases_CountWhatTheCountersOfMembersHaveCounted(t *testing.T) {
	t.Parallel()
	h := everyRoute(t)
	countSteps(t, h, map[string][]int64{"acme:1": {10, 12, 17}, "acme:2": {0, 3}, "other:1": {5, 6, 8}})
	const path = "/v1/increases/halls/visits-by-wing/"
	const span = "?from=2026-04-20T11:00:00Z&to=2026-04-20T13:00:00Z"
	const range2h = `{"measure":"steps","from":"2026-04-20T11:00:00.000Z","to":"2026-04-20T13:00:00.000Z",`
	const north = `{"group":"north","members":`
	for _, c := range []struct{ owner, path, want string }{
		{owner: "", path: "steps" + span, want: range2h + `"open":false,"groups":[` + north +
			`3,"increase":13,"exact":true}],"exact":true,"next":null}`},
		{owner: "acme", path: "steps" + span, want: range2h + `"open":false,"groups":[` + north +
			`2,"increase":10,"exact":true}],"exact":true,"next":null}`},
		{owner: "acme", path: "steps" + span + "&group=north", want: range2h + `"open":false,"groups":[` +
			north + `2,"increase":10,"exact":true}],"members":[{"member":"acme:1","increase":7,"exact":true},` +
			`{"member":"acme:2","increase":3,"exact":true}],`},
		{path: "steps" + span + "&group=south", want: range2h + `"open":false,"groups":[],"members":[],`},
		{path: "steps?last=3h", want: `{"measure":"steps","from":"2026-04-20T12:00:00.000Z",` +
			`"to":"2026-04-20T14:00:00.000Z","open":true,"groups":[` + north + `2,"increase":7,`},
		{path: "steps" + span + "&stream=x", want: range2h + `"open":false,"groups":[],"exact":true,`},
		{path: "steps?from=2026-04-20T10:00:00Z&to=2026-04-20T11:00:00Z", want: `{"measure":"steps",` +
			`"from":"2026-04-20T10:00:00.000Z","to":"2026-04-20T11:00:00.000Z","open":false,"groups":[` +
			north + `3,"exact":true}],"exact":true,`}, // first readings: no step is known
		{path: "door" + span, want: `{"type":"/problems/no-counter",`},
		{path: "steps?from=2026-04-20T11:00:00Z&to=2026-04-20T11:00:00Z",
			want: `{"type":"/problems/inverted-range",`},
		{path: "steps" + span + "&cursor=x", want: `{"type":"/problems/forged-cursor",`},
	} {
		if h.OwnerClaim = ""; c.owner != "" {
			h.OwnerClaim = "account"
		}
		response := getAs(t, h, path+c.path, map[string]string{"account": c.owner})
		if !strings.HasPrefix(response.Body, c.want) {
			t.Errorf("%s of owner %q:\n%s, want\n%s", c.path, c.owner, response.Body, c.want)
		}
	}
}
