package tidemarkcdk

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/internal/api/httpapi"
	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

// A token of a dashboard has the scope to read, and reaches no route that changes anything.
func TestAPI_RequiresTheScopeOfTheAction(t *testing.T) {
	kinds, err := shipped(t).Catalog()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range httpapi.Routes(kinds) {
		r := r.AtGateway()
		for stage, want := range map[string]string{"full": "tidemark/" + string(r.Action.Scope()), "prod": ""} {
			if got := render(resources(t, stage)[routeID(r)+"Route"].Properties["AuthorizationScopes"]); got != want {
				t.Errorf("%s: %s %s requires the scopes %q, want %q", stage, r.Method, r.Path, got, want)
			}
		}
	}
	if got := resources(t, "full")["CollectRoute"].Properties["AuthorizationScopes"]; got != nil {
		t.Errorf("web pages have no token, but need the scopes %v", got)
	}
}

func TestCORS_IsThatOfTheStage(t *testing.T) {
	exposed := []any{"ETag", "Link", "Retry-After", "Tidemark-Complete-Through", "Tidemark-Processed-Through",
		"Tidemark-Unprocessed-Since", "Tidemark-Unprocessed", "Tidemark-Missing", "Tidemark-Whole-From"}
	pages := map[string]any{"AllowOrigins": []any{"*"}, "AllowMethods": []any{"POST"},
		"AllowHeaders": []any{"content-type"}, "ExposeHeaders": exposed, "MaxAge": 86400.0}
	both := map[string]any{"AllowOrigins": []any{"*"}, "AllowMethods": []any{"GET", "POST"},
		"AllowHeaders": []any{"content-type", "authorization"}, "ExposeHeaders": exposed, "MaxAge": 86400.0}
	reads := map[string]any{"AllowOrigins": []any{"https://app.example.com"}, "AllowMethods": []any{"GET"},
		"AllowHeaders": []any{"content-type", "authorization"}, "ExposeHeaders": exposed, "MaxAge": 86400.0}
	for name, want := range map[string]any{"dev": pages, "prod": pages, "full": both, "devices": reads,
		"canary": pages} {
		if diff := cmp.Diff(want, resources(t, name)["Api"].Properties["CorsConfiguration"]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDomain_IsMappedToTheAPI(t *testing.T) {
	found := resources(t, "full")
	domain, mapping := found["Domain"].Properties, found["DomainMapping"].Properties
	if domain["DomainName"] != "series.example.com" || render(mapping["ApiId"]) != "Api" ||
		render(mapping["DomainName"]) != "Domain" || mapping["Stage"] != "$default" {
		t.Errorf("domain %v, mapping %v", domain, mapping)
	}
	if !strings.Contains(string(stage(t, "full")), `"DomainTarget"`) {
		t.Error("no output names the target of the DNS record")
	}
}

func TestBoundary_LimitsEveryRole(t *testing.T) {
	for name, want := range map[string]string{"full": "arn:aws:iam::123456789012:policy/boundary", "prod": ""} {
		for id, role := range resourcesOfType(t, name, "AWS::IAM::Role") {
			if got := render(role.Properties["PermissionsBoundary"]); got != want {
				t.Errorf("%s: %s has the boundary %q, want %q", name, id, got, want)
			}
		}
	}
}

// A stage of devices has nothing for web pages and senders of other databases: no collector,
// authorizer, secret or routes.
func TestStage_WithoutPagesHasNothingOfThem(t *testing.T) {
	for id, r := range resources(t, "devices") {
		text := id + " " + render(r.Properties["RouteKey"])
		for _, word := range []string{"collect", "site", "authorizefunction", "authorizerole", "pageview"} {
			if strings.Contains(strings.ToLower(text), word) {
				t.Errorf("%s %s", r.Type, text)
			}
		}
	}
	if strings.Contains(string(stage(t, "devices")), "SiteSecret") {
		t.Error("the template names the secret of site keys")
	}
	if n := len(resourcesOfType(t, "devices", "AWS::Lambda::Function")); n != len(shippedFunctions)-1 {
		t.Errorf("%d functions, want all but authorize", n)
	}
}

// newKinds returns a configuration with n kinds of devices.
func newKinds(t *testing.T, n int) *config.Config {
	var text strings.Builder
	text.WriteString("collector: {trust: cloudfront}\nstages: {dev: {}}\nkinds:\n")
	for i := range n {
		name := strings.Repeat(string(rune('A'+i%26)), 3+i/26)
		text.WriteString("  " + name + ": {path: " + strings.ToLower(name) +
			", subject: {name: DEVICE, path: devices, field: deviceId}}\n")
	}
	settings, err := configfile.Parse("many", []byte(text.String()), domains.Kinds()...)
	if err != nil {
		t.Fatal(err)
	}
	return settings
}

// Eight kinds of devices fit into an IoT policy; what does not fit is refused at synthesis. The
// trusted origin has a secret that only ingest may read.
func TestQuotas_AreCheckedAtSynthesis(t *testing.T) {
	fits := synthesize(t, newKinds(t, 7))["dev"]
	if err := template.CheckQuotas("dev", fits); err != nil {
		t.Fatalf("8 kinds: %v", err)
	}
	all, err := fits.Resources()
	if err != nil {
		t.Fatal(err)
	}
	if render(at(all["IngestFunction"].Properties, "Environment", "Variables",
		"TIDEMARK_ORIGIN_SECRET")) != "OriginSecret" {
		t.Error("ingest does not know the secret of its origin")
	}
	for id, r := range all {
		if r.Type != "AWS::IAM::Role" {
			continue
		}
		for _, p := range r.Properties["Policies"].([]any) {
			for _, right := range allowed(t, at(p.(map[string]any), "PolicyDocument")) {
				if strings.HasSuffix(right, " on OriginSecret") != (id == "IngestRole") &&
					strings.Contains(right, "OriginSecret") {
					t.Errorf("%s: %s", id, right)
				}
			}
		}
	}
	if err := template.CheckQuotas("dev", synthesize(t, newKinds(t, 11))["dev"]); err == nil ||
		!strings.Contains(err.Error(), "AWS accepts 2048") {
		t.Errorf("12 kinds: %v, want a refusal that names the quota", err)
	}
}
