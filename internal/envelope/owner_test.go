package envelope_test

import (
	"testing"

	"github.com/aws/aws-lambda-go/events"

	"github.com/tidemark-db/tidemark/internal/envelope"
)

func withClaims(claims map[string]string) *events.APIGatewayV2HTTPRequest {
	r := &events.APIGatewayV2HTTPRequest{}
	r.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		JWT: &events.APIGatewayV2HTTPRequestContextAuthorizerJWTDescription{Claims: claims},
	}
	return r
}

func TestOwner_ReachesOnlyIdsThatBeginWithIt(t *testing.T) {
	owner, problem := envelope.OwnerOf(withClaims(map[string]string{"sub": "acme", "aud": "x"}), "sub")
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

func TestOwner_WithoutAClaimToReadReachesAll(t *testing.T) {
	owner, problem := envelope.OwnerOf(&events.APIGatewayV2HTTPRequest{}, "")
	if problem != nil || !owner.Owns("anything") || !owner.Owns("") {
		t.Errorf("got %v, %v; want an owner that reaches all", owner, problem)
	}
}

func TestOwner_ACallerThatCannotBeBoundIsRefused(t *testing.T) {
	iam := &events.APIGatewayV2HTTPRequest{}
	iam.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		IAM: &events.APIGatewayV2HTTPRequestContextAuthorizerIAMDescription{AccountID: "123456789012"},
	}
	for name, r := range map[string]*events.APIGatewayV2HTTPRequest{
		"no authorizer":        {},
		"signed, not by token": iam,
		"without the claim":    withClaims(map[string]string{"aud": "x"}),
		"an empty claim":       withClaims(map[string]string{"sub": ""}),
		"a colon in the claim": withClaims(map[string]string{"sub": "acme:x"}),
	} {
		owner, problem := envelope.OwnerOf(r, "sub")
		if problem == nil || problem.Status != 403 {
			t.Errorf("%s: got %v, %v; want a problem of status 403", name, owner, problem)
		}
	}
}
