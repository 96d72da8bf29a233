package main

import (
	"encoding/json"
	"go/build"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func TestStacks_AreNamedByTheirStageAndProtectedWhereTheTableStays(t *testing.T) {
	stage(t, "dev")
	var manifest struct {
		Artifacts map[string]struct {
			Properties struct{ TerminationProtection bool }
		}
	}
	if err := json.Unmarshal([]byte(first.files["manifest.json"]), &manifest); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"dev": false, "prod": true, "full": true} {
		artifact, ok := manifest.Artifacts["tidemark-"+name]
		if !ok || artifact.Properties.TerminationProtection != want {
			t.Errorf("tidemark-%s: there %v, protected against termination %v, want %v", name, ok, artifact.Properties.TerminationProtection, want)
		}
	}
}

func TestStacks_TagWhatTheyMake(t *testing.T) {
	for _, name := range all {
		for _, id := range []string{"Table", "IngestFunction", "AggregateFunction", "QueryFunction", "OnFailureQueue", "IngestRole", "CursorSecret", "AuthorizeFunction", "SiteSecret"} {
			tags := map[any]any{}
			list, _ := resources(t, name)[id].Properties["Tags"].([]any)
			for _, tag := range list {
				tags[tag.(map[string]any)["Key"]] = tag.(map[string]any)["Value"]
			}
			if tags["application"] != "tidemark" || tags["stage"] != name {
				t.Errorf("%s: %s is tagged %v", name, id, tags)
			}
		}
	}
}

func TestStacks_SayWhereThingsAre(t *testing.T) {
	var whole struct {
		Outputs map[string]struct{ Value any }
	}
	if err := json.Unmarshal(stage(t, "full"), &whole); err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]string{
		"TableName": "Table", "TableStreamArn": "Table.StreamArn", "ApiUrl": "Api.ApiEndpoint", "OnFailureQueueUrl": "OnFailureQueue",
		"UndeliveredQueueUrl": "UndeliveredQueue", "SiteSecretArn": "SiteSecret", "MappingId": "Mapping", "Topic": "plant7", "InboxQueueUrl": "InboxQueue", "InletStreamName": "InletStream",
	} {
		if got := say(whole.Outputs[output].Value); got != want {
			t.Errorf("%s is %q, want %q", output, got, want)
		}
	}
}

// A retention that would lose data never reaches AWS: the app does not start, and
// says how data would be lost.
func TestSynth_RefusesARetentionThatLosesData(t *testing.T) {
	for ladder, history := range map[string]string{
		"{raw: 30d, hour: 31d, day: 2y, month: forever}": "folded after one of its",
		"{raw: 1d, hour: 90d, month: forever}":           "before late events arrive",
	} {
		path := filepath.Join(t.TempDir(), config.FileName)
		if err := os.WriteFile(path, []byte("ladder: "+ladder), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := config.Load(path, domains.Kinds()...)
		if err == nil || !strings.Contains(err.Error(), history) {
			t.Errorf("%s: %v; want it refused, with the history: …%s…", ladder, err, history)
		}
	}
}

// The library's own rules for templates are not remarks: what breaks one is not
// synthesized.
func TestSynth_RefusesATemplateThatCloudFormationWould(t *testing.T) {
	folder := t.TempDir()
	stubs(t, filepath.Join(folder, "build"))
	a, err := newApp(shipped(t), filepath.Join(folder, "build"), filepath.Join(folder, "out"))
	if err != nil {
		t.Fatal(err)
	}
	function := a.stacks[0].functions[query].Node().DefaultChild().(awslambda.CfnFunction)
	function.AddPropertyOverride(new("MemorySize"), 64)
	function.AddPropertyOverride(new("NoSuchProperty"), "x")
	defer func() {
		if broken := recover(); broken == nil {
			t.Error("a function of 64 MB with a property that does not exist was synthesized")
		}
	}()
	a.Synth(nil)
}

func TestApp_RefusesThingsOfATypeThatNoKindHas(t *testing.T) {
	settings := shipped(t)
	settings.Stages[0].Doors.Things = []string{"GADGET"}
	_, err := newApp(settings, t.TempDir(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "GADGET") {
		t.Errorf("got %v, want the type named", err)
	}
}

func TestApp_SaysWhatWasNotBuilt(t *testing.T) {
	_, err := newApp(shipped(t), t.TempDir(), t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v, want what is missing and how to make it", err)
	}
}

// infra takes names and settings from below and knows nothing of how they are used.
func TestInfra_ImportsOnlyNamesAndSettings(t *testing.T) {
	const root = "github.com/tidemark-db/tidemark/pkg/"
	may := []string{"keys", "telemetry", "config", "tier", "catalog", "domains", "domains/web", "model"}
	here, err := build.ImportDir(".", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, imported := range here.Imports {
		if strings.HasPrefix(imported, root) && !slices.Contains(may, strings.TrimPrefix(imported, root)) {
			t.Errorf("infra imports %s: want only %v", imported, may)
		}
	}
}
