package main

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// Every read of custom events has a property under its own name, and accepts the field in the table too.
func TestHandle_PropertiesHaveTheirNames(t *testing.T) {
	h := newSite(t)
	kind, _ := h.Catalog.Kind(web.CustomEvents.Name)
	order := model.Order{At: at("2026-04-20T14:28:10Z"), ID: "e"}
	storeViews(t, h.Query.Store.(*memory.Table), kind, model.Event{
		Series: kind.Series("my-site", "", order), Order: order,
		Attrs: model.Attrs{text("name", "Buy"), text("prop1", "Buy?coupon=x"), text("prop2", "Buy?plan=pro")},
	})
	const (
		fields    = `"fields":{"name":"Buy","props.coupon":"x","props.plan":"pro"}`
		values    = `"values":[{"value":"pro","count":1,"share":1,"event":"Buy"}],"other":0,"exact":true`
		dimension = `"props.plan":{` + values + `}`
		minute    = "?from=2026-04-20T14:28:00Z&to=2026-04-20T14:29:00Z"
		events    = "/v1/sites/my-site/customevents"
	)
	for path, want := range map[string]string{
		events:                                                   fields,
		events + "?where=props.plan%3Dpro":                       fields,
		events + "?where=prop2%3DBuy?plan%3Dpro":                 fields,
		events + "?where=props.plan%3Dfree":                      `"events":[]`,
		events + "?fields=props.plan":                            `"fields":{"props.plan":"pro"}`,
		events + "?fields=prop2":                                 `"fields":{"prop2":"Buy?plan=pro"}`,
		events + "/rollups/day":                                  dimension,
		events + "/rollups/total" + minute:                       dimension,
		events + "/rollups" + minute:                             dimension,
		"/v1/sites/my-site/rollups/day":                          dimension,
		"/v1/sites/my-site/rollups/total" + minute:               dimension,
		events + "/top/props.plan":                               values,
		events + "/top/props.plan" + minute + "&zone=Asia/Tokyo": values,
		events + "/top/props.none":                               `"values":[],"other":0,"exact":true`,
		events + "/top/prop2":                                    `"values":[{"value":"Buy?plan=pro","count":1,"share":1}]`,
		"/v1/sites/my-site/pageviews/top/props.x":                "unknown-dimension",
	} {
		response := get(t, h, path)
		hasPlace := strings.Contains(response.Body, "prop1") || strings.Contains(response.Body, "prop2")
		if !strings.Contains(response.Body, want) || hasPlace && !strings.Contains(path, "prop2") {
			t.Errorf("%s: %d %s, want %s", path, response.Status, response.Body, want)
		}
	}
}
