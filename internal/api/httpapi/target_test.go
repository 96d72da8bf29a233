package httpapi

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Ids may contain slashes, and parts that are words or kinds elsewhere.
func TestFindTarget_PrefersTheMostSpecificRoute(t *testing.T) {
	c := newCatalog(t, flow)
	const at = "2026-04-20T14:00:00Z"
	for _, x := range []struct {
		method, path string
		want         Action
		values       map[string]string
	}{
		{"GET", "/v1/pumps/a/flows/latest", ReadLatest, map[string]string{"id": "a"}},
		{"GET", "/v1/pumps/a/b/flows/rollups/total", ReadTotal, map[string]string{"id": "a/b"}},
		{"GET", "/v1/pumps/a/b/flows/rollups/day", ReadRollups, map[string]string{"id": "a/b", "tier": "day"}},
		{"GET", "/v1/pumps/a/flows/b/flows", ReadHistory, map[string]string{"id": "a/flows/b"}},
		{"GET", "/v1/pumps/a/flows/" + at + "/flows", ReadEventByID, map[string]string{"id": "a", "time": at, "event": "flows"}},
		{"GET", "/v1/pumps/a/flows/" + at + "/purge", ReadEventByID, map[string]string{"id": "a", "time": at, "event": "purge"}},
		{"DELETE", "/v1/pumps/a/flows/" + at + "/purge", DeleteEventByID, map[string]string{"id": "a", "time": at, "event": "purge"}},
		{"DELETE", "/v1/pumps/a/flows/" + at + "/x/y", DeleteEventByID, map[string]string{"id": "a", "time": at, "event": "x/y"}},
		{"DELETE", "/v1/pumps/a/b/purge", CallOffPurge, map[string]string{"id": "a/b"}},
		{"DELETE", "/v1/pumps/a/b/rules/hot", RemoveOwnRule, map[string]string{"id": "a/b", "rule": "hot"}},
		{"DELETE", "/v1/rules/pumps/hot", RemoveRule, map[string]string{"rule": "hot"}},
		{"GET", "/v1/alerts/pumps", ListOpenAlerts, nil},
		{"GET", "/v1/pumps/a/versions/3", ReadVersion, map[string]string{"id": "a", "version": "3"}},
		{"PUT", "/v1/pumps/a", CreateSubject, map[string]string{"id": "a"}},
		{"GET", "/v1/pumps", ListSubjects, nil},
		{"GET", "/health", ReadHealth, nil},
	} {
		got, ok := FindTarget(c, x.method, x.path)
		if !ok || got.Action != x.want || !maps.Equal(got.Values, x.values) {
			t.Errorf("%s %s: got %v %s %v, want %s %v", x.method, x.path, ok, got.Action, got.Values, x.want, x.values)
		}
	}
}

func TestFindTarget_KnowsNoOtherPath(t *testing.T) {
	c := newCatalog(t, flow)
	for path, methods := range map[string][]string{
		"":                            {},
		"/":                           {},
		"/v1/pumps/":                  {},
		"/v1/pumps/a/":                {},
		"/v1/hoses/a":                 {},
		"/v2/pumps/a":                 {},
		"/v1/flows/latest":            {}, // no fields are indexed
		"/v1/pumps/a/flows/yesterday": {},
		"/v1/pumps/a/flaws":           {}, // a kind that is misspelt is no part of the id
		"/v1/pumps/a/flaws/rollups":   {},
		"/v1/pumps/a/flows/latest":    {"GET"},
		"/v1/pumps/a":                 {"GET", "PUT", "PATCH", "DELETE"},
		"/v1/pumps/a/purge":           {"GET", "POST", "DELETE"},
	} {
		if diff := cmp.Diff(methods, Methods(c, path)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", path, diff)
		}
	}
}
