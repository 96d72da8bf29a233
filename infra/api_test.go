package main

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPI_LetsThroughTheCatalogsRoutesTheCollectorsAndNoOther(t *testing.T) {
	kinds, err := shipped(t).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"POST /v1/collect/{siteKey} → IngestIntegration"}
	for _, r := range kinds.AllRoutes() {
		integrations := map[string]string{ingest: "IngestIntegration", query: "QueryIntegration", purge: "PurgeIntegration"}
		want = append(want, r.Method+" "+r.Path+" → "+integrations[server(r.Action)])
	}
	slices.Sort(want)
	for _, name := range all {
		var got []string
		for _, r := range typed(t, name, "AWS::ApiGatewayV2::Route") {
			got = append(got, say(r.Properties["RouteKey"])+" → "+strings.TrimPrefix(say(r.Properties["Target"]), "integrations/"))
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-catalog +deployed):\n%s", name, diff)
		}
	}
}

// The collector's route alone is opened by neither IAM nor a token: pages have no
// credentials, but the key of their site.
func TestAPI_NoRouteIsOpen(t *testing.T) {
	for name, want := range map[string]string{"dev": "AWS_IAM", "prod": "AWS_IAM", "full": "JWT"} {
		for id, r := range typed(t, name, "AWS::ApiGatewayV2::Route") {
			if id == "CollectRoute" {
				if r.Properties["AuthorizationType"] != "CUSTOM" || say(r.Properties["AuthorizerId"]) != "SiteKeyAuthorizer" {
					t.Errorf("%s: %s is not opened by a site's key: %v", name, id, r.Properties)
				}
				continue
			}
			if got := r.Properties["AuthorizationType"]; got != want {
				t.Errorf("%s: %s is authorized by %v, want %s", name, id, got, want)
			}
			if want == "JWT" && say(r.Properties["AuthorizerId"]) != "Authorizer" {
				t.Errorf("%s: %s names no authorizer", name, id)
			}
		}
	}
	authorizer := resources(t, "full")["Authorizer"].Properties
	want := map[string]any{"Issuer": "https://login.example.com", "Audience": []any{"tidemark", "console"}}
	if diff := cmp.Diff(want, authorizer["JwtConfiguration"]); diff != "" {
		t.Errorf("tokens believed (-want +got):\n%s", diff)
	}
}

// The claim that binds a caller to an owner is read by both functions that answer
// callers; an API without tokens binds nobody.
func TestAPI_TheOwnersClaimReachesEveryFunctionThatAnswersCallers(t *testing.T) {
	for name, want := range map[string]any{"dev": nil, "prod": nil, "full": "account"} {
		for _, id := range []string{"IngestFunction", "QueryFunction"} {
			got := at(resources(t, name)[id].Properties, "Environment", "Variables", "TIDEMARK_OWNER_CLAIM")
			if got != want {
				t.Errorf("%s: %s binds callers by %v, want %v", name, id, got, want)
			}
		}
	}
}

func TestAPI_IsThrottledAndLogged(t *testing.T) {
	for _, s := range stages(t).Stages {
		deployed := resources(t, s.Name)["ApiStage"].Properties
		if at(deployed, "DefaultRouteSettings", "ThrottlingRateLimit") != float64(s.Throttle.Rate) ||
			at(deployed, "DefaultRouteSettings", "ThrottlingBurstLimit") != float64(s.Throttle.Burst) {
			t.Errorf("%s: throttled to %v, want %+v", s.Name, deployed["DefaultRouteSettings"], s.Throttle)
		}
		if say(at(deployed, "AccessLogSettings", "DestinationArn")) != "ApiLogs.Arn" {
			t.Errorf("%s: requests are logged to %v", s.Name, deployed["AccessLogSettings"])
		}
		line := say(at(deployed, "AccessLogSettings", "Format"))
		if !json.Valid([]byte(line)) {
			t.Errorf("%s: a line of the log is no JSON: %s", s.Name, line)
		}
		// An address names a visitor; a path holds a site's key or a subject.
		for _, never := range []string{"sourceIp", "userAgent", "$context.path", "authorizer.site"} {
			if strings.Contains(line, never) {
				t.Errorf("%s: the log tells %s: %s", s.Name, never, line)
			}
		}
	}
}
