package tidemarkcdk

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"

	"github.com/tidemark-db/tidemark/internal/base/configfile"
	"github.com/tidemark-db/tidemark/pkg/domains"
)

func TestStacks_HaveOutputs(t *testing.T) {
	var template struct {
		Outputs map[string]struct{ Value any }
	}
	if err := json.Unmarshal(stage(t, "full"), &template); err != nil {
		t.Fatal(err)
	}
	for output, want := range map[string]string{
		"TableName": "Table", "TableStreamArn": "Table.StreamArn", "ApiUrl": "Api.ApiEndpoint", "OnFailureQueueUrl": "OnFailureQueue",
		"UndeliveredQueueUrl": "UndeliveredQueue", "SiteSecretArn": "SiteSecret", "MappingId": "Mapping", "Topic": "plant7", "InboxQueueUrl": "InboxQueue", "InletStreamName": "InletStream",
	} {
		if got := render(template.Outputs[output].Value); got != want {
			t.Errorf("output %s is %q, want %q", output, got, want)
		}
	}
}

// A retention that would lose data is rejected before synthesis, with the reason.
func TestSynth_RejectsARetentionThatLosesData(t *testing.T) {
	for retention, history := range map[string]string{
		"{raw: 30d, hour: 31d, day: 2y, month: forever}": "folded after one of its",
		"{raw: 1d, hour: 90d, month: forever}":           "before late events arrive",
	} {
		path := filepath.Join(t.TempDir(), configfile.FileName)
		if err := os.WriteFile(path, []byte("tiers: "+retention), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := configfile.Load(path, domains.Kinds()...)
		if err == nil || !strings.Contains(err.Error(), history) {
			t.Errorf("%s: %v; want an error that contains %q", retention, err, history)
		}
	}
}

// A template that violates the CDK's rules is not synthesized.
func TestSynth_RejectsAnInvalidTemplate(t *testing.T) {
	app, all, err := stacks(t, shipped(t))
	if err != nil {
		t.Fatal(err)
	}
	function := all[0].Functions[query].Node().DefaultChild().(awslambda.CfnFunction)
	function.AddPropertyOverride(new("MemorySize"), 64)
	function.AddPropertyOverride(new("NoSuchProperty"), "x")
	defer func() {
		if broken := recover(); broken == nil {
			t.Error("a function with 64 MB and an unknown property was synthesized, want a panic")
		}
	}()
	app.Synth(nil)
}

func TestTidemark_RejectsThingsOfAnUnknownType(t *testing.T) {
	settings := shipped(t)
	settings.Stages[0].Sources.Things = []string{"GADGET"}
	_, _, err := stacks(t, settings)
	if err == nil || !strings.Contains(err.Error(), "GADGET") {
		t.Errorf("got %v, want an error that names the type", err)
	}
}

func TestTidemark_NamesTheFunctionThatIsNotBuilt(t *testing.T) {
	needNode(t)
	_, err := NewTidemark(awscdk.NewStack(awscdk.NewApp(nil), new("app"), nil), "Default",
		Props{Code: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("got %v, want an error that names make build", err)
	}
}
