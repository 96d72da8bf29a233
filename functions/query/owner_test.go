package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// visit is an event of a hall.
type visit struct {
	Hall  string    `tide:"subject"`
	At    time.Time `tide:"time"`
	Badge string    `tide:"distinct"`
	Door  string    `tide:"dimension"`
}

// twoOwners returns a handler of a table in which the owners acme and other have the same in every list,
// mixed.
func twoOwners(t *testing.T) *Handler {
	t.Helper()
	h := everyRoute(t)
	table := h.Query.Store.(*memory.Table)
	opts := &timeseries.Options{Now: func() time.Time { return now.Time() }, Unmanaged: true}
	kind := h.Catalog.Kinds[slices.IndexFunc(h.Catalog.Kinds, func(k catalog.Kind) bool {
		return k.Name == "VISIT"
	})]
	visits, err := timeseries.Open[visit](table, kind, opts)
	if err != nil {
		t.Fatal(err)
	}
	for n, id := range []string{"acme:1", "other:1", "acme2:1", "acme:2", "other:2", "acme", "acme:3",
		"other:3"} {
		v := visit{Hall: id, At: now.Time().Add(time.Duration(n-90) * time.Minute), Badge: "a", Door: "north"}
		if _, err := visits.Append(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		for _, profile := range []string{id, id + "-deleted"} {
			s := model.Subject{Type: "DEVICE", ID: profile}
			if _, err := h.Subjects.Create(t.Context(), s, model.Attrs{text("status", "active")}); err != nil {
				t.Fatal(err)
			}
		}
		deleted := model.Subject{Type: "DEVICE", ID: id + "-deleted"}
		if _, err := h.Subjects.Delete(t.Context(), deleted, 0); err != nil {
			t.Fatal(err)
		}
		a := alertAt(n)
		a.Series.Subject.ID = id
		listed := storage.ListedSeries{Series: a.Series, First: now.Add(-time.Hour), Last: now.Add(-time.Hour)}
		for _, it := range []item.Item{item.FromAlert(a, 0), item.FromListedSeries(listed)} {
			if err := table.PutItem(t.Context(), it); err != nil {
				t.Fatal(err)
			}
		}
	}
	return h
}

// ownerLists are the queries of each action that lists subjects of all owners.
var ownerLists = map[httpapi.Action][]string{
	httpapi.ListSubjects:   {"", "field=status&value=active", "deleted=true"},
	httpapi.ListSilent:     {"for=10m"},
	httpapi.ListOpenAlerts: {"", "severity=critical"},
	httpapi.CountAlerts:    {"", "severity=critical"},
	httpapi.ReadByIndex:    {"last=1d"},
	httpapi.ReadLatestBy:   {"by=north"},
}

// walk returns the subjects of all pages of a list, and the cursors of the pages.
func walk(t *testing.T, h *Handler, path, query string,
	claims map[string]string) (subjects, cursors []string) {
	t.Helper()
	for cursor := ""; len(cursors) < 100; {
		response := getAs(t, h, path+"?"+query+"&limit=2"+cursor, claims)
		var page struct {
			Subjects, Silent, Events, Alerts []struct{ Subject string }
			Next                             string
		}
		if err := json.Unmarshal([]byte(response.Body), &page); err != nil || response.Status != 200 {
			t.Fatalf("%s?%s: %d %s %v", path, query, response.Status, response.Body, err)
		}
		for _, row := range slices.Concat(page.Subjects, page.Silent, page.Events, page.Alerts) {
			subjects = append(subjects, row.Subject)
		}
		if h.OwnerClaim != "" && response.Headers[headerItems] != "" {
			t.Errorf("%s?%s says what it read, which tells how much others have", path, query)
		}
		if page.Next == "" {
			return subjects, cursors
		}
		cursors = append(cursors, page.Next)
		cursor = "&cursor=" + url.QueryEscape(page.Next)
	}
	t.Fatalf("%s?%s has more than 100 pages", path, query)
	return nil, nil
}

// An owner's list is the list of all subjects, in the same order, and other owners' subjects are left out.
func TestReads_AnOwnersListsHaveTheOwnersSubjects(t *testing.T) {
	t.Parallel()
	h := twoOwners(t)
	tried := map[httpapi.Action]bool{}
	for path, action := range getRoutes(t, h, "acme:1") {
		if action.Access().Owner != httpapi.OwnerList ||
			!strings.Contains(path, "devices") && !strings.Contains(path, "visits") {
			continue
		}
		for _, query := range ownerLists[action] {
			h.OwnerClaim = ""
			all, _ := walk(t, h, path, query, nil)
			var want []string
			for _, id := range all {
				if strings.HasPrefix(id, "acme:") {
					want = append(want, id)
				}
			}
			if len(want) < 3 || len(all) < len(want)+5 {
				t.Fatalf("%s?%s: %q, want subjects of both owners", path, query, all)
			}
			h.OwnerClaim = "account"
			got, cursors := walk(t, h, path, query, map[string]string{"account": "acme"})
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s?%s (-want +got):\n%s", path, query, diff)
			}
			for _, cursor := range cursors {
				text, err := base64.RawURLEncoding.DecodeString(cursor)
				if err != nil || strings.Contains(string(text), "other") {
					t.Errorf("%s?%s: a cursor names another owner's subject: %q %v", path, query, text, err)
				}
			}
			tried[action] = true
		}
	}
	for action := range ownerLists {
		if !tried[action] {
			t.Errorf("%s was not tried", action)
		}
	}
}

// A cursor of one owner's list is of no use to another.
func TestReads_AnOwnersCursorIsRefusedForAnother(t *testing.T) {
	t.Parallel()
	h := twoOwners(t)
	h.OwnerClaim = "account"
	_, cursors := walk(t, h, "/v1/devices", "", map[string]string{"account": "acme"})
	if len(cursors) == 0 {
		t.Fatal("one page, want several")
	}
	response := getAs(t, h, "/v1/devices?limit=2&cursor="+cursors[0], map[string]string{"account": "other"})
	requireProblem(t, response, "/problems/foreign-cursor")
}

// Members of groups are counted for all subjects, and for an owner among its own. Those without an event are
// not silent in an unknown group.
func TestCountSilent_AnOwnersCountsAreOfItsSubjects(t *testing.T) {
	t.Parallel()
	h := twoOwners(t)
	table := h.Query.Store.(*memory.Table)
	for _, id := range []string{"acme:1", "acme:2", "acme:3", "acme:gone", "other:1", "acme"} {
		series := model.Series{Subject: model.Subject{Type: "HALL", ID: id}, Kind: "VISIT"}
		last := now.Add(-3 * time.Hour)
		listed := storage.ListedSeries{Series: series, First: last, Last: last}
		if err := table.PutItem(t.Context(), item.FromListedSeries(listed)); err != nil {
			t.Fatal(err)
		}
	}
	const path = "/v1/silent/halls/visits-by-wing?for=10m"
	counts := func(none int, more string) string {
		return fmt.Sprintf(`{"groups":[],"withoutGroup":%d,"unknownGroup":1,%s"next":`, none, more)
	}
	for _, c := range []struct{ owner, more, want string }{
		{"", "", counts(5, "")},
		{"acme", "", counts(3, "")},
		{"", "&members=true", counts(5, `"membersWithoutGroup":5,"membersUnknownGroup":1,`)},
		{"acme", "&members=true", counts(3, `"membersWithoutGroup":3,"membersUnknownGroup":1,`)},
	} {
		owner, want := c.owner, c.want
		if h.OwnerClaim = ""; owner != "" {
			h.OwnerClaim = "account"
		}
		response := getAs(t, h, path+c.more, map[string]string{"account": owner})
		if response.Status != 200 || !strings.HasPrefix(response.Body, want) {
			t.Errorf("owner %q: %d %s, want %s", owner, response.Status, response.Body, want)
		}
	}
	h.OwnerClaim = ""
	requireProblem(t, getAs(t, h, path+"&kind=readings", nil), "/problems/unknown-kind")
	requireProblem(t, getAs(t, h, path+"&members=2", nil), "/problems/bad-boolean")
}
