package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/pkg/tier"
)

func TestFunctions_RunAsConfigured(t *testing.T) {
	settings := shipped(t)
	for _, name := range all {
		for _, f := range functions {
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
			for property, value := range want {
				if diff := cmp.Diff(value, got[property]); diff != "" {
					t.Errorf("%s: %s: %s (-want +got):\n%s", name, f.name, property, diff)
				}
			}
		}
	}
}

func TestFunctions_TracesAndReservesWhereAsked(t *testing.T) {
	reserved := map[string]float64{ingest: 50, aggregate: 20, query: 10}
	for _, f := range functions {
		plain, asked := resources(t, "prod")[f.id+"Function"].Properties, resources(t, "full")[f.id+"Function"].Properties
		if plain["TracingConfig"] != nil || plain["ReservedConcurrentExecutions"] != nil {
			t.Errorf("prod: %s is traced or has concurrency set apart, unasked", f.name)
		}
		set, _ := asked["ReservedConcurrentExecutions"].(float64)
		if at(asked, "TracingConfig", "Mode") != "Active" || set != reserved[f.name] {
			t.Errorf("full: %s: traces %v, reserved %v", f.name, asked["TracingConfig"], asked["ReservedConcurrentExecutions"])
		}
	}
}

func TestLogs_EveryGroupForgets(t *testing.T) {
	for _, s := range stages(t).Stages {
		groups := typed(t, s.Name, "AWS::Logs::LogGroup")
		if len(groups) != len(functions)+1 {
			t.Errorf("%s: %d log groups, want one for each function and one for the API", s.Name, len(groups))
		}
		for id, g := range groups {
			if got, want := g.Properties["RetentionInDays"], float64(s.LogRetention/tier.Day24); got != want {
				t.Errorf("%s: %s keeps %v days, want %v", s.Name, id, got, want)
			}
			if key := say(g.Properties["KmsKeyId"]); s.CustomerKey != (key == "Key.Arn") {
				t.Errorf("%s: %s is encrypted by %q", s.Name, id, key)
			}
		}
	}
}

// What functions sign with is read at run time: each is told where its own lies, and
// no value of a secret is anywhere in a template.
func TestSecrets_NoneStandsInATemplate(t *testing.T) {
	for _, name := range all {
		if strings.Contains(string(stage(t, name)), "{{resolve:") {
			t.Errorf("%s: a dynamic reference would put a secret's value into a configuration", name)
		}
		for _, want := range []struct{ secret, function, variable, removal string }{
			{"CursorSecret", "QueryFunction", "TIDEMARK_CURSOR_SECRET", "Delete"},
			{"SiteSecret", "AuthorizeFunction", "TIDEMARK_SITE_SECRET", "Retain"}, // pages in the world hold keys by it
		} {
			if got := at(resources(t, name)[want.function].Properties, "Environment", "Variables", want.variable); say(got) != want.secret {
				t.Errorf("%s: %s reads its secret from %v, want %s", name, want.function, got, want.secret)
			}
			secret := resources(t, name)[want.secret]
			generated := at(secret.Properties, "GenerateSecretString")
			if diff := cmp.Diff(map[string]any{"PasswordLength": 64.0, "ExcludePunctuation": true}, generated); diff != "" || secret.Properties["SecretString"] != nil {
				t.Errorf("%s: %s is not generated in the account (-want +got):\n%s", name, want.secret, diff)
			}
			if got := say(secret.Others["DeletionPolicy"]); got != want.removal || say(secret.Others["UpdateReplacePolicy"]) != want.removal {
				t.Errorf("%s: without its stack %s meets %s, want %s", name, want.secret, got, want.removal)
			}
		}
	}
}

func TestFunctions_KnowTheTableTheyMayUseAndNoOther(t *testing.T) {
	for _, name := range all {
		for _, f := range functions {
			want := "Table"
			if f.name == authorize {
				want = ""
			}
			if got := say(at(resources(t, name)[f.id+"Function"].Properties, "Environment", "Variables", "TIDEMARK_TABLE")); got != want {
				t.Errorf("%s: %s works on table %q, want %q", name, f.name, got, want)
			}
		}
	}
}
