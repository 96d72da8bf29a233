package tidemarkcdk

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestFunctions_RunAsConfigured(t *testing.T) {
	settings := shipped(t)
	for _, name := range all {
		for _, f := range shippedFunctions {
			got := resources(t, name)[f.id+"Function"].Properties
			want := map[string]any{
				"Runtime":       "provided.al2023",
				"Architectures": []any{"arm64"},
				"Handler":       "bootstrap",
				"FunctionName":  "tidemark-" + name + "-" + f.name,
				"MemorySize":    float64(f.settings(&settings.Functions).Memory),
				"Timeout":       f.settings(&settings.Functions).Timeout.Seconds(),
				"LoggingConfig": map[string]any{"LogFormat": "JSON", "LogGroup": map[string]any{"Ref": f.id + "Logs"}},
			}
			if name == "dev" { // lean
				want["LoggingConfig"].(map[string]any)["SystemLogLevel"] = "WARN"
			}
			for property, value := range want {
				if diff := cmp.Diff(value, got[property]); diff != "" {
					t.Errorf("%s: %s: %s (-want +got):\n%s", name, f.name, property, diff)
				}
			}
		}
	}
}

func TestFunctions_TraceAndReserveConcurrencyIfConfigured(t *testing.T) {
	reserved := map[string]float64{ingest: 50, aggregate: 20, query: 10}
	for _, f := range shippedFunctions {
		plain, full := resources(t, "prod")[f.id+"Function"].Properties,
			resources(t, "full")[f.id+"Function"].Properties
		if plain["TracingConfig"] != nil || plain["ReservedConcurrentExecutions"] != nil {
			t.Errorf("prod: %s is traced or has reserved concurrency, want neither", f.name)
		}
		const variable = "TIDEMARK_TRACING"
		traces := f.name == ingest || f.name == aggregate
		if sends := at(full, "Environment", "Variables", variable) == "true"; sends != traces ||
			at(plain, "Environment", "Variables", variable) != nil {
			t.Errorf("%s sends traces in full: %t, want %t, and in prod: no", f.name, sends, traces)
		}
		set, _ := full["ReservedConcurrentExecutions"].(float64)
		if at(full, "TracingConfig", "Mode") != "Active" || set != reserved[f.name] {
			t.Errorf("full: %s: traces %v, reserved %v", f.name, full["TracingConfig"],
				full["ReservedConcurrentExecutions"])
		}
	}
}

func TestLogs_EveryGroupHasARetention(t *testing.T) {
	for _, s := range allStages(t).Stages {
		groups := resourcesOfType(t, s.Name, "AWS::Logs::LogGroup")
		want := len(shippedFunctions) + 1
		if !s.Sources.Pages {
			want-- // of authorize
		}
		if s.UI {
			want += 2 // of pages, and of authorize for shared links
		}
		if len(groups) != want {
			t.Errorf("%s: %d log groups, want one for each function and one for the API", s.Name, len(groups))
		}
		for id, g := range groups {
			if got, want := g.Properties["RetentionInDays"], float64(s.LogRetention/tier.Day24); got != want {
				t.Errorf("%s: %s keeps %v days, want %v", s.Name, id, got, want)
			}
			if key := render(g.Properties["KmsKeyId"]); s.CustomerKey != (key == "Key.Arn") {
				t.Errorf("%s: %s is encrypted by %q", s.Name, id, key)
			}
		}
	}
}

// referring has the resources whose configuration contains a secret's value, by a dynamic reference:
// CloudFront can send a header to an origin in no other way (decision 44), and EventBridge cannot call a
// webhook, whose address is the secret, nor add the key of an integration.
var referring = []string{
	"AWS::CloudFront::Distribution Distribution", "AWS::Events::ApiDestination SlackDestination", "AWS::Events::Connection PagerDutyConnection",
}

func TestSecrets_FewResourcesHaveADynamicReference(t *testing.T) {
	stages := allStages(t).Stages
	for _, s := range stages {
		for id, r := range resources(t, s.Name) {
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(text), "{{resolve:") != slices.Contains(referring, r.Type+" "+id) {
				t.Errorf("%s: %s %s: want a dynamic reference in %v only", s.Name, r.Type, id, referring)
			}
		}
	}
	if len(stages) <= len(all) || len(resourcesOfType(t, "fronted", "AWS::CloudFront::Distribution")) == 0 {
		t.Errorf("%d stages: want one with a distribution among them", len(stages))
	}
}

// A function reads its secret at run time, by its ARN. No template contains a secret's value.
func TestSecrets_NoValueIsInATemplate(t *testing.T) {
	for _, name := range all {
		for _, want := range []struct{ secret, function, variable, removal string }{
			{"CursorSecret", "QueryFunction", "TIDEMARK_CURSOR_SECRET", "Delete"},
			// it signed the keys in web pages
			{"SiteSecret", "AuthorizeFunction", "TIDEMARK_SITE_SECRET", "RetainExceptOnCreate"},
		} {
			if got := at(resources(t, name)[want.function].Properties, "Environment", "Variables",
				want.variable); render(got) != want.secret {
				t.Errorf("%s: %s reads its secret from %v, want %s", name, want.function, got, want.secret)
			}
			secret := resources(t, name)[want.secret]
			generated := at(secret.Properties, "GenerateSecretString")
			if diff := cmp.Diff(map[string]any{"PasswordLength": 64.0, "ExcludePunctuation": true},
				generated); diff != "" || secret.Properties["SecretString"] != nil {
				t.Errorf("%s: %s is not generated in the account (-want +got):\n%s", name, want.secret, diff)
			}
			replaced := strings.TrimSuffix(want.removal, "ExceptOnCreate")
			if got := render(secret.Attributes["DeletionPolicy"]); got != want.removal ||
				render(secret.Attributes["UpdateReplacePolicy"]) != replaced {
				t.Errorf("%s: the deletion policy of %s is %s, want %s", name, want.secret, got, want.removal)
			}
		}
	}
}

func TestFunctions_KnowTheTableIfTheyMayUseIt(t *testing.T) {
	for _, name := range all {
		for _, f := range shippedFunctions {
			const want = "Table"
			if got := render(at(resources(t, name)[f.id+"Function"].Properties, "Environment", "Variables",
				"TIDEMARK_TABLE")); got != want {
				t.Errorf("%s: %s uses table %q, want %q", name, f.name, got, want)
			}
		}
	}
}
