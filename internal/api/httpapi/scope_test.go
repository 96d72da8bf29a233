package httpapi_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/pkg/domains/iot"
)

// A token for a dashboard has only the scope read: it reaches GET routes and nothing else.
func TestScope_ReadReachesOnlyWhatChangesNothing(t *testing.T) {
	c, err := iot.Catalog()
	if err != nil {
		t.Fatal(err)
	}
	count := map[httpapi.Scope]int{}
	for _, r := range httpapi.Routes(c) {
		scope := r.Action.Scope()
		count[scope]++
		if (scope == httpapi.ScopeRead) != (r.Method == "GET") {
			t.Errorf("%s %s requires the scope %s", r.Method, r.Path, scope)
		}
	}
	for action, want := range map[httpapi.Action]httpapi.Scope{
		httpapi.Append: httpapi.ScopeWrite, httpapi.PurgeSubject: httpapi.ScopePurge,
		httpapi.CallOffPurge: httpapi.ScopePurge, httpapi.CheckPurge: httpapi.ScopeRead,
		httpapi.DeleteSubject: httpapi.ScopeManage,
		httpapi.AddRule:       httpapi.ScopeManage,
	} {
		if got := action.Scope(); got != want {
			t.Errorf("%s requires the scope %s, want %s", action, got, want)
		}
	}
	if len(count) != 4 {
		t.Errorf("the routes require %v, want all four scopes", count)
	}
}
