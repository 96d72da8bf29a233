package httpapi_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/httpapi"
)

func TestOwner_OwnsOnlyIDsThatBeginWithItsName(t *testing.T) {
	owner, problem := (&httpapi.Request{Claims: map[string]string{"sub": "acme", "aud": "x"}}).Owner("sub")
	if problem != nil {
		t.Fatal(problem)
	}
	for id, want := range map[string]bool{
		"acme:sensor_01": true, "acme:": true, "acme:a:b": true,
		"acme": false, "acme2:sensor_01": false, "ACME:sensor_01": false, "other:acme:sensor_01": false, "": false,
	} {
		if got := owner.Owns(id); got != want {
			t.Errorf("acme owns %q: %v, want %v", id, got, want)
		}
	}
}

func TestOwner_WithoutAClaimOwnsAll(t *testing.T) {
	owner, problem := new(httpapi.Request).Owner("")
	if problem != nil || !owner.Owns("anything") || !owner.Owns("") {
		t.Errorf("got %v, %v; want an owner of all subjects", owner, problem)
	}
}

func TestOwner_RejectsACallerWithoutAValidClaim(t *testing.T) {
	iam := &httpapi.Request{UserARN: "arn:aws:iam::123456789012:user/ops"}
	for name, r := range map[string]*httpapi.Request{
		"no authorizer":        {},
		"signed, not by token": iam,
		"without the claim":    &httpapi.Request{Claims: map[string]string{"aud": "x"}},
		"an empty claim":       &httpapi.Request{Claims: map[string]string{"sub": ""}},
		"a colon in the claim": &httpapi.Request{Claims: map[string]string{"sub": "acme:x"}},
	} {
		owner, problem := r.Owner("sub")
		if problem == nil || problem.Status != 403 {
			t.Errorf("%s: got %v, %v; want a problem of status 403", name, owner, problem)
		}
	}
}
