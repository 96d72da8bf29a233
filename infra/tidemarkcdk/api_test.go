package tidemarkcdk

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/api/access"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/web/script"
)

func TestAPI_HasTheRoutesOfTheCatalogTheCollectorAndSenders(t *testing.T) {
	kinds, err := shipped(t).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"POST /v1/collect/{siteKey} → IngestIntegration", "GET " + script.PathPrefix +
		"{name} → IngestIntegration", "POST " + access.PathStats + " → QueryIntegration",
		"GET " + access.ReportRoute + " → QueryIntegration"}
	for _, path := range access.WriteKeyPaths {
		want = append(want, "POST "+path+" → IngestIntegration")
	}
	var clients []string
	for _, r := range access.ClientRoutes {
		clients = append(clients, r.Method+" "+r.Path+" → IngestIntegration")
	}
	for _, r := range httpapi.GatewayRoutes(httpapi.Routes(kinds)) {
		integrations := map[string]string{ingest: "IngestIntegration", query: "QueryIntegration",
			manage: "ManageIntegration"}
		want = append(want, r.Method+" "+r.Path+" → "+integrations[functionFor(r.Action)])
	}
	for _, name := range all {
		all := slices.Clone(want)
		if name == "full" {
			all = append(all, clients...)
		}
		slices.Sort(all)
		var got []string
		for _, r := range resourcesOfType(t, name, "AWS::ApiGatewayV2::Route") {
			got = append(got, render(r.Properties["RouteKey"])+" → "+
				strings.TrimPrefix(render(r.Properties["Target"]), "integrations/"))
		}
		slices.Sort(got)
		if keys := len(slices.Compact(routeKeys(got))); keys < len(got) {
			t.Errorf("%s: %d of %d routes have the key of another, and cannot be deployed", name, len(got)-keys,
				len(got))
		}
		if diff := cmp.Diff(all, got); diff != "" {
			t.Errorf("%s (-catalog +deployed):\n%s", name, diff)
		}
	}
}

// routeKeys returns the keys of routes in the form KEY → INTEGRATION.
func routeKeys(routes []string) (keys []string) {
	for _, r := range routes {
		key, _, _ := strings.Cut(r, " → ")
		keys = append(keys, key)
	}
	return keys
}

// keyAuthorizer returns the authorizer of a route that checks a key, "" for any other route.
func keyAuthorizer(route string) string {
	switch {
	case route == "CollectRoute":
		return "SiteKeyAuthorizer"
	case route == "ReportsRoute":
		return "ReadKeyAuthorizer"
	case strings.HasPrefix(route, "Sender"):
		return "WriteKeyAuthorizer"
	}
	return ""
}

// Only four sorts of routes use neither IAM nor a token: web pages have a site key instead, senders of
// other databases a write key, and dashboards of websites a read key. The script for web pages is a public
// file, and some requests of clients of InfluxDB ask only whether the server is there.
func TestAPI_EveryRouteIsAuthorized(t *testing.T) {
	public := map[string]bool{"ScriptRoute": true}
	for i, r := range access.ClientRoutes {
		public[fmt.Sprintf("SenderClient%dRoute", i+1)] = r.Public
	}
	for name, want := range map[string]string{"dev": "AWS_IAM", "prod": "AWS_IAM", "full": "JWT"} {
		for id, r := range resourcesOfType(t, name, "AWS::ApiGatewayV2::Route") {
			if key := keyAuthorizer(id); key != "" && !public[id] {
				if r.Properties["AuthorizationType"] != "CUSTOM" || render(r.Properties["AuthorizerId"]) != key {
					t.Errorf("%s: %s is not authorized by %s: %v", name, id, key, r.Properties)
				}
				continue
			}
			if public[id] {
				if got := r.Properties["AuthorizationType"]; got != "NONE" {
					t.Errorf("%s: %s is authorized by %v, want NONE", name, id, got)
				}
				continue
			}
			if got := r.Properties["AuthorizationType"]; got != want {
				t.Errorf("%s: %s is authorized by %v, want %s", name, id, got, want)
			}
			if want == "JWT" && render(r.Properties["AuthorizerId"]) != "Authorizer" {
				t.Errorf("%s: %s names no authorizer", name, id)
			}
		}
	}
	authorizer := resources(t, "full")["Authorizer"].Properties
	want := map[string]any{"Issuer": "https://login.example.com", "Audience": []any{"tidemark", "console"}}
	if diff := cmp.Diff(want, authorizer["JwtConfiguration"]); diff != "" {
		t.Errorf("accepted tokens (-want +got):\n%s", diff)
	}
}

// Every function behind the API reads the claim that names the caller's owner. An API without
// tokens has no owners.
func TestAPI_EveryFunctionBehindItKnowsTheOwnerClaim(t *testing.T) {
	for name, want := range map[string]any{"dev": nil, "prod": nil, "full": "account"} {
		for _, id := range []string{"IngestFunction", "QueryFunction", "ManageFunction"} {
			got := at(resources(t, name)[id].Properties, "Environment", "Variables", "TIDEMARK_OWNER_CLAIM")
			if got != want {
				t.Errorf("%s: %s has owner claim %v, want %v", name, id, got, want)
			}
		}
	}
}

// Routes that need no credentials, or only what a web page or a link has, are limited by themselves. The
// stage is created after them: API Gateway refuses settings of a route that does not exist.
func TestAPI_LimitsEachPublicRoute(t *testing.T) {
	limited := 0
	for _, s := range allStages(t).Stages {
		stage := resources(t, s.Name)["ApiStage"]
		settings, _ := stage.Properties["RouteSettings"].(map[string]any)
		public := map[string]bool{}
		for id, r := range resourcesOfType(t, s.Name, "AWS::ApiGatewayV2::Route") {
			key := render(r.Properties["RouteKey"])
			keyed := key == collectRoute || key == "GET "+access.LinkRoute
			if r.Properties["AuthorizationType"] != "NONE" && !keyed {
				continue
			}
			public[key] = true
			limited++
			if at(settings, key, "ThrottlingRateLimit") != float64(s.PublicThrottle.Rate) ||
				at(settings, key, "ThrottlingBurstLimit") != float64(s.PublicThrottle.Burst) {
				t.Errorf("%s: %s: %v, want %+v", s.Name, key, at(settings, key), s.PublicThrottle)
			}
			if !slices.Contains(listed(stage.Attributes["DependsOn"]), any(id)) {
				t.Errorf("%s: the stage may be created before %s", s.Name, id)
			}
		}
		if len(settings) != len(public) {
			t.Errorf("%s: %d routes are limited, want the %d public ones", s.Name, len(settings), len(public))
		}
	}
	if limited < 5 {
		t.Errorf("%d routes are public, want the collector's at least", limited)
	}
}

func TestAPI_IsThrottledAndLogged(t *testing.T) {
	for _, s := range allStages(t).Stages {
		deployed := resources(t, s.Name)["ApiStage"].Properties
		if at(deployed, "DefaultRouteSettings", "ThrottlingRateLimit") != float64(s.Throttle.Rate) ||
			at(deployed, "DefaultRouteSettings", "ThrottlingBurstLimit") != float64(s.Throttle.Burst) {
			t.Errorf("%s: throttled to %v, want %+v", s.Name, deployed["DefaultRouteSettings"], s.Throttle)
		}
		if render(at(deployed, "AccessLogSettings", "DestinationArn")) != "ApiLogs.Arn" {
			t.Errorf("%s: requests are logged to %v", s.Name, deployed["AccessLogSettings"])
		}
		line := render(at(deployed, "AccessLogSettings", "Format"))
		if !json.Valid([]byte(line)) {
			t.Errorf("%s: a line of the log is not JSON: %s", s.Name, line)
		}
		// An address identifies a visitor; a path contains a site key or a subject.
		for _, never := range []string{"sourceIp", "userAgent", "$context.path", "authorizer.site"} {
			if strings.Contains(line, never) {
				t.Errorf("%s: the log contains %s: %s", s.Name, never, line)
			}
		}
	}
}
