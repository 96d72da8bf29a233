package main

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/lifecycle"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// newSubjects returns a handler of a table with devices: a and b exist, c is deleted, d is
// purged.
func newSubjects(t *testing.T) *Handler {
	t.Helper()
	h, _ := newHandler(t)
	clock := func() model.Time { return now }
	table := memory.New(clock)
	limits := config.Default().Limits
	h.Subjects = &lifecycle.Service{Store: table, Profile: h.Catalog.Profile, Limits: limits, Now: clock,
		Rand: rand.Reader}
	h.Purger = &lifecycle.Purger{Store: table, Now: clock, Copies: lifecycle.ListCopies(config.Default()),
		Timing: lifecycle.Timing{Append: 1, Aggregate: 1}}
	for _, id := range []string{"a", "b", "c", "d"} {
		s := model.Subject{Type: "DEVICE", ID: id}
		if _, err := h.Subjects.Create(context.Background(), s,
			model.Attrs{text("name", "Hall "+id), text("status", "active")}); err != nil {
			t.Fatal(err)
		}
	}
	c, d := model.Subject{Type: "DEVICE", ID: "c"}, model.Subject{Type: "DEVICE", ID: "d"}
	if _, err := h.Subjects.Delete(context.Background(), c, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Purger.Request(context.Background(), d, "ops", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Purger.Run(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Purger.Request(context.Background(), model.Subject{Type: "DEVICE", ID: "b"}, "ops",
		time.Hour); err != nil {
		t.Fatal(err)
	}
	h.Query.Store = table
	for _, l := range []storage.ListedSeries{
		{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "a"}, Kind: "READING", Stream: "status"}, First: now.Add(-time.Hour), Last: now},
		{Series: model.Series{Subject: model.Subject{Type: "DEVICE", ID: "e"}, Kind: "READING"}, First: now.Add(-time.Hour), Last: now},
	} {
		if err := table.PutItem(context.Background(), item.FromListedSeries(l)); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func TestHandle_ReadsTheLifecycleOfSubjects(t *testing.T) {
	h := newSubjects(t)
	for path, want := range map[string]string{
		"/v1/devices":                `200 {"subjects":[{"subject":"a","profile":true,"name":"Hall a","series":[{"kind":"READING","stream":"status","measures":["temperature"`,
		"/v1/devices?limit=1":        `,"next":"`,
		"/v1/silent/devices?for=30m": `{"silent":[{"subject":"b","neverSent":true}],`,
		"/v1/silent/devices?for=30m&kind=readings&limit=1": `"neverSent":true`,
		"/v1/silent/devices":                                        `{"silent":[{"subject":"b","neverSent":true}],`,
		"/v1/silent/devices?for=0s":                                 `400 {"type":"/problems/bad-span"`,
		"/v1/silent/devices?for=30m&kind=views":                     `404 {"type":"/problems/unknown-kind"`,
		"/v1/silent/devices?for=30m&cursor=x":                       `400 {"type":"/problems/forged-cursor"`,
		"/v1/devices/e/series":                                      `200 {"subject":"e","profile":false,"series":[{"kind":"READING","stream":"","measures":["temperature"`,
		"/v1/devices/zz/series":                                     `404 {"type":"/problems/no-such-subject"`,
		"/v1/devices/a/readings":                                    `200 {"events":[],"next":null,"streams":["status"]}`,
		"/v1/devices/a/readings/rollups/hour":                       `200 {"rollups":[],"next":null,"streams":["status"]}`,
		"/v1/devices/a/readings/rollups":                            `"rollups":[],"streams":["status"]}`,
		"/v1/devices/a/readings?stream=":                            `200 {"events":[],"next":null}`,
		"/v1/devices/c/deleted":                                     `200 {"subject":"c","version":2,`,
		"/v1/devices/a/deleted":                                     `404 {"type":"/problems/no-such-subject"`,
		"/v1/devices/c/versions":                                    `200 {"versions":[{"subject":"c","version":2,"change":"deleted",`,
		"/v1/devices/c/versions?limit=1":                            `"before":2}`,
		"/v1/devices/c/versions?before=2":                           `200 {"versions":[{"subject":"c","version":1,"change":"created",`,
		"/v1/devices/c/versions?before=x":                           `400 {"type":"/problems/bad-limit"`,
		"/v1/devices/c/versions/1":                                  `200 {"subject":"c","version":1,"change":"created","fields":{"name":"Hall c","status":"active"}`,
		"/v1/devices/c/versions/7":                                  `404 {"type":"/problems/no-such-subject"`,
		"/v1/devices/c/versions/new":                                `404 {"type":"/problems/no-such-subject"`,
		"/v1/devices/b/purge":                                       `"step":"requested"`,
		"/v1/devices/d/purge":                                       `"receipt":{"purge":`,
		"/v1/devices/a/purge":                                       `404 {"type":"/problems/no-purge"`,
		"/v1/devices?field=status&value=active":                     `200 {"subjects":[{"subject":"a",`,
		"/v1/devices?deleted=true":                                  `200 {"subjects":[{"subject":"c",`,
		"/v1/devices?field=name&value=x":                            `400 {"type":"/problems/no-such-list"`,
		"/v1/devices?deleted=true&cursor=*":                         `400 {"type":"/problems/forged-cursor"`,
		"/v1/devices?deleted=perhaps":                               `400 {"type":"/problems/bad-boolean"`,
		"/v1/devices/c/deleted?limit=3":                             `400 {"type":"/problems/unknown-parameter"`,
		"/v1/devices/deleted":                                       `404`, // a device with this id, which has no profile
		"/v1/devices?field=status&value=active&limit=1&cursor=e30":  `400 {"type":"/problems/forged-cursor"`,
		"/v1/devices?field=status&value=gone":                       `200 {"subjects":[],"next":null}`,
		"/v1/devices?field=status&value=active&limit=1001":          `400 {"type":"/problems/bad-limit"`,
		"/v1/devices?field=status&value=active&cursor=bm90IGpzb24K": `400 {"type":"/problems/forged-cursor"`,
	} {
		response := get(t, h, path)
		if got := fmt.Sprint(response.Status, " ", response.Body); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %s\nwant %s", path, got, want)
		}
	}
}

func TestHandle_ListsSubjectsInPages(t *testing.T) {
	h := newSubjects(t)
	var got []string
	for path := "/v1/devices?field=status&value=active&limit=1"; ; {
		var page struct {
			Subjects []struct{ Subject string }
			Next     *string
		}
		if err := json.Unmarshal([]byte(get(t, h, path).Body), &page); err != nil || len(got) > 3 {
			t.Fatal(got, err)
		}
		for _, s := range page.Subjects {
			got = append(got, s.Subject)
		}
		if page.Next == nil {
			break
		}
		path = "/v1/devices?field=status&value=active&limit=1&cursor=" + *page.Next
	}
	if strings.Join(got, " ") != "a b" {
		t.Errorf("subjects %q, want a and b", got)
	}
}

// A subject type without kinds has profiles, and lists of them, and no events.
func TestHandle_ServesSubjectTypesWithoutKinds(t *testing.T) {
	h := newSubjects(t)
	kinds, err := catalog.NewWith([]catalog.SubjectType{{Name: "ACCOUNT",
		Profile: &catalog.Profile{Indexes: []catalog.ProfileIndex{{Field: "plan"}}}}}, h.Catalog.Kinds...)
	if err != nil {
		t.Fatal(err)
	}
	h.Catalog, h.Subjects.Profile = kinds, kinds.Profile
	h.API = func() (json.RawMessage, error) { return describe(kinds) }
	plan := model.Attrs{text("plan", "pro")}
	if _, err := h.Subjects.Create(t.Context(), model.Subject{Type: "ACCOUNT", ID: "acme"}, plan); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"/v1/accounts":                      `200 {"subjects":[{"subject":"acme","profile":true,"series":[]}],"next":null}`,
		"/v1/accounts?field=plan&value=pro": `200 {"subjects":[{"subject":"acme",`,
		"/v1/accounts/acme":                 `200 {"subject":"acme","version":1,"fields":{"plan":"pro"}`,
		"/v1/accounts/acme/series":          `200 {"subject":"acme","profile":true,"series":[]}`,
		"/v1/accounts/acme/versions":        `200 {"versions":[`,
		"/v1/accounts/acme/deleted":         `404 {"type":"/problems/no-such-subject"`,
		"/v1/accounts/acme/readings":        `404 {"type":"/problems/unknown-kind"`,
		"/v1/accounts/acme/rollups":         `404 {"type":"/problems/not-found"`,
		"/v1/accounts/acme/rollups/day":     `404 {"type":"/problems/not-found"`,
		"/v1/alerts/accounts":               `404 {"type":"/problems/not-found"`,
		"/openapi.json":                     `"/v1/accounts/{id}/versions"`,
	} {
		response := get(t, h, path)
		if got := fmt.Sprint(response.Status, " ", response.Body); !strings.Contains(got, want) {
			t.Errorf("%s:\n got %.300s\nwant %s", path, got, want)
		}
	}
	h.OwnerClaim = "account"
	if response := get(t, h, "/v1/accounts/acme"); response.Status == 200 {
		t.Errorf("a caller without an owner reads a profile: %s", response.Body)
	}
}
