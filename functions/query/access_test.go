package main

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/api/httpevent/gatewaytest"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/engine/alert"
	"github.com/tidemark-db/tidemark/internal/engine/query"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/domains/web"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/rollup"
)

// everyRoute returns a handler of a catalog that has every GET route, with one reading of devices/acme:1.
func everyRoute(t *testing.T) *Handler {
	t.Helper()
	h, _ := newHandler(t)
	visits := catalog.Kind{
		Name: "VISIT", Subject: catalog.SubjectType{Name: "HALL"},
		Dimensions: []rollup.DimensionSpec{{Name: "door"}},
		Measures:   []rollup.MeasureSpec{{Name: "steps", Counter: true}}, Groups: []string{"wing"},
		IndexBy: "badge", Distinct: []string{"badge"}, LatestBy: []catalog.LatestIndex{{By: []string{"door"}}},
	}
	alarms := catalog.Kind{Name: "ALARM", Subject: visits.Subject,
		Dimensions: []rollup.DimensionSpec{{Name: "door"}}}
	devices, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	kinds, err := catalog.New(slices.Concat(devices.Kinds, web.Kinds(), []catalog.Kind{visits, alarms})...)
	if err != nil {
		t.Fatal(err)
	}
	clock := func() model.Time { return now }
	table := memory.New(clock)
	h.Catalog = kinds
	h.Query = &query.Service{Store: table, Now: clock, CursorKey: []byte(localCursorKey)}
	h.Alerts = &alert.Service{Store: table, Catalog: kinds, Now: clock}
	h.Subjects = &lifecycle.Service{Store: table, Profile: kinds.Profile, Limits: config.Default().Limits,
		Now: clock, Rand: rand.Reader}
	h.Purger = &lifecycle.Purger{Store: table, Now: clock}
	return h
}

// getRoutes returns the paths of all GET routes by id, and their actions.
func getRoutes(t *testing.T, h *Handler, id string) map[string]httpapi.Action {
	t.Helper()
	paths := map[string]httpapi.Action{}
	for _, r := range httpapi.Routes(h.Catalog) {
		if r.Method != http.MethodGet {
			continue
		}
		paths[strings.NewReplacer("{id}", id, "{tier}", "hour", "{dimension}", "door", "{measure}", "steps",
			"{value}", "a", "{version}", "1",
			"{time}", "2026-04-20T14:00:00Z", "{event}", "1", "{alert}", exampleAlert).Replace(r.Path)] = r.Action
	}
	if len(paths) < 60 {
		t.Errorf("%d GET routes, want the routes of three kinds", len(paths))
	}
	return paths
}

// TestReads_WhoMayHaveThem sends every GET route as every caller who is not allowed everything.
func TestReads_WhoMayHaveThem(t *testing.T) {
	t.Parallel()
	h := everyRoute(t)
	read := func(path string, claims map[string]string, link *access.Link) int {
		r := httpapi.Request{Method: http.MethodGet, Path: path, Claims: claims}
		if link != nil {
			secret := []byte("the secret of the stage")
			var err error
			r.Path = access.LinkPathPrefix + path
			if r.Authorizer, err = access.CheckLink(access.NewLink(secret, *link), time.Unix(0, 0),
				secret); err != nil {
				t.Fatal(err)
			}
		}
		return h.serve(t.Context(), &r).Status
	}
	for path, action := range getRoutes(t, h, "acme:1") {
		who := action.Access()
		sessions := strings.Contains(path, "/sessions")
		subject := strings.Join(strings.SplitN(path, "/", 5)[min(2, strings.Count(path, "/")):min(4,
			strings.Count(path, "/")+1)], "/")
		figures, events := &access.Link{Subject: subject, Until: time.Unix(9,
			0)}, &access.Link{Subject: subject, Until: time.Unix(9, 0), Events: true}
		other := &access.Link{Subject: "devices/other:1", Until: time.Unix(9, 0), Events: true}
		for _, c := range []struct {
			caller  string
			status  int
			refused bool
		}{
			{"a link", read(path, nil, figures), who.Link != httpapi.LinkAlways},
			{"a link with events", read(path, nil, events), who.Link == httpapi.LinkNever ||
				who.Link == httpapi.LinkEvents && sessions},
			{"a link to another subject", read(path, nil, other), action != httpapi.ReadAPI},
		} {
			if got := c.status == http.StatusForbidden; got != c.refused {
				t.Errorf("%s of GET %s (%s): status %d, want it refused: %v", c.caller, path, action,
					c.status, c.refused)
			}
		}
		h.OwnerClaim = "account"
		for claim, refused := range map[string]bool{
			"acme":  who.Owner == httpapi.OwnerNone,
			"other": who.Owner == httpapi.OwnerNone || who.Owner == httpapi.OwnerSubject,
			"":      who.Owner != httpapi.OwnerAll,
		} {
			status := read(path, map[string]string{"account": claim}, nil)
			if got := status == http.StatusForbidden; got != refused {
				t.Errorf("owner %q of GET %s (%s): status %d, want it refused: %v", claim, path, action,
					status, refused)
			}
		}
		h.OwnerClaim = ""
	}
}

// A link and a key open no route of another method, and no read beside a link's own route.
func TestReads_NoKeyAndNoLinkUsesOtherRoutes(t *testing.T) {
	t.Parallel()
	h := everyRoute(t)
	sent := 0
	for caller, context := range gatewaytest.Bound(t, "devices/acme:1", "acme:1") {
		for _, route := range httpapi.Routes(h.Catalog) {
			path := strings.NewReplacer("{id}", "acme:1", "{tier}", "hour", "{dimension}", "door",
				"{measure}", "steps", "{value}", "a", "{version}", "1", "{time}", "2026-04-20T14:00:00Z",
				"{event}", "1", "{alert}", exampleAlert, "{rule}", "y").Replace(route.Path)
			paths := []string{path}
			if route.Method != http.MethodGet || caller != "a link" {
				paths = append(paths, access.LinkPathPrefix+path)
			}
			for _, path := range paths {
				r := httpapi.Request{Method: route.Method, Path: path, Authorizer: context, Body: "{}"}
				got := h.serve(t.Context(), &r).Status
				other := route.Method != http.MethodGet && (got == 404 || got == 405)
				if got != 403 && !other {
					t.Errorf("%s sends %s %s: %d, want it refused", caller, route.Method, path, got)
				}
				sent++
			}
		}
	}
	if sent < 500 {
		t.Errorf("%d requests were sent, want every route of every kind", sent)
	}
}

// What an owner deleted or replaced, and who works on a subject, is in no link, whatever the table of reads
// says.
func TestReads_ALinkNeverShowsWhatWasDeleted(t *testing.T) {
	t.Parallel()
	for _, action := range []httpapi.Action{
		httpapi.ReadDeleted, httpapi.ReadVersions, httpapi.ReadVersion, httpapi.CheckPurge,
		httpapi.ListOwnRules, httpapi.ListRules,
		httpapi.ListAlerts, httpapi.ReadAlert, httpapi.ListOpenAlerts, httpapi.ReadByIndex,
		httpapi.ReadLatestBy, httpapi.ListSubjects,
	} {
		if who := action.Access(); who.Link != httpapi.LinkNever {
			t.Errorf("%s: a link shows it: %+v", action, who)
		}
	}
}

// The pseudonym of the day tells visitors apart: a link to a website shows views without it.
func TestReads_ALinkShowsNoPseudonyms(t *testing.T) {
	t.Parallel()
	h := newSite(t)
	secret := []byte("the secret of the stage")
	link, err := access.CheckLink(access.NewLink(secret, access.Link{Subject: "sites/my-site",
		Until: time.Unix(9, 0), Events: true}), time.Unix(0, 0), secret)
	if err != nil {
		t.Fatal(err)
	}
	read := func(target string) httpapi.Response {
		r := httpapi.Request{Method: http.MethodGet, Authorizer: link}
		r.Path, r.RawQuery, _ = strings.Cut(access.LinkPathPrefix+"/v1/sites/my-site/"+target, "?")
		return h.serve(t.Context(), &r)
	}
	shown := read("pageviews?last=1d")
	var views struct {
		Events []struct{ Fields map[string]any }
	}
	if err := json.Unmarshal([]byte(shown.Body), &views); err != nil || len(views.Events) != 4 {
		t.Fatalf("%d %s: %v, want 4 views", shown.Status, shown.Body, err)
	}
	for _, v := range views.Events {
		if v.Fields["visitor"] != nil || v.Fields["path"] == nil {
			t.Errorf("a link shows %v, want the path and no visitor", v.Fields)
		}
	}
	for _, target := range []string{
		"pageviews?where=visitor=v1", "pageviews?where=visitor>a", "pageviews?fields=visitor",
		"pageviews?fields=path,visitor",
		"pageviews/top/visitor", "top/visitor", "pageviews/count?where=visitor=v1", "sessions?where=visitor=v1",
	} {
		if got := read(target); got.Status != http.StatusForbidden {
			t.Errorf("%s: status %d %.200s, want 403", target, got.Status, got.Body)
		}
	}
}
