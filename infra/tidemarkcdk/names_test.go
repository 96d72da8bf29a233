package tidemarkcdk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
)

// twoKinds is a configuration with two kinds of things, given as name, path, subject type and its path.
func twoKinds(first, second [4]string) string {
	kind := func(k [4]string) string {
		return fmt.Sprintf("  %s: {path: %s, subject: {name: %s, path: %s}, measures: {x: {}}}\n",
			k[0], k[1], k[2], k[3])
	}
	return fmt.Sprintf("stages: {prod: {sources: {things: [%s, %s]}}}\nkinds:\n", first[2], second[2]) +
		kind(first) + kind(second)
}

const withoutThings = "stages: {prod: {sources: {things: []}}}"

// instance is one construct of an app.
type instance struct {
	id, name, file string
	names          map[string]string
	nested         bool // in a nested stack
}

// A wrong name is an error that names it, before anything is deployed; "" accepts the instances.
var nameCases = []struct {
	title     string
	instances []instance
	want      string
}{
	{"a space", []instance{{id: "Default", name: "plant 7"}}, `"plant 7"`},
	{"a dot", []instance{{id: "Default", name: "plant.7"}}, `"plant.7"`},
	{"a space in the id", []instance{{id: "Line 1"}}, `"app-Line 1"`},
	{"capitals and _", []instance{{id: "Default", name: "Plant_7"}}, ""},
	{"a function with a space",
		[]instance{{id: "Default", names: map[string]string{"ingest": "a b"}}}, `"a b" of ingest`},
	{"a bus with a space",
		[]instance{{id: "Default", names: map[string]string{"alerts": "a b"}}}, `"a b" of alerts`},
	{"an alarm with a space",
		[]instance{{id: "Default", names: map[string]string{"IngestErrors": "Errors of ingest"}}}, ""},
	{"two functions", []instance{{id: "Default", names: map[string]string{"ingest": "x", "query": "x"}}},
		"ingest and query would both be named x"},
	{"two alarms",
		[]instance{{id: "Default", names: map[string]string{"IngestErrors": "x", "QueryErrors": "x"}}},
		"IngestErrors and QueryErrors would both be named x"},
	{"a function and a bus",
		[]instance{{id: "Default", names: map[string]string{"ingest": "x", "alerts": "x"}}}, ""},
	{"a nested stack", []instance{{id: "Default", nested: true}}, "give Props.Name"},
	{"a nested stack with a name", []instance{{id: "Default", nested: true, name: "series"}}, ""},
	{"two instances of a name",
		[]instance{
			{id: "A", name: "series", file: withoutThings},
			{id: "B", name: "series", file: withoutThings},
		},
		"another instance of this app has the name series"},
	{"two instances", []instance{{id: "A", file: withoutThings}, {id: "B", file: withoutThings}}, ""},
	{"ids that differ by a hyphen",
		[]instance{{id: "A-B", file: withoutThings}, {id: "AB", file: withoutThings}},
		"ids of resources that begin with AB"},
	{"an id twice", []instance{{id: "A"}, {id: "A"}}, `"A"`},
	{"no id", []instance{{}}, `""`},
	{"a kind named as another's rule of arrays", []instance{{id: "Default", file: twoKinds(
		[4]string{"FLOW", "flows", "PUMP", "pumps"},
		[4]string{"FLOW_BATCH", "flow-batches", "PUMP", "pumps"})}},
		"app_FLOW_BATCH"},
	{"a kind named as another's rule of sources", []instance{{id: "Default", file: twoKinds(
		[4]string{"FLOW", "flows", "PUMP", "pumps"}, [4]string{"FLOW_FROM", "flow-froms", "PUMP", "pumps"})}},
		"app_FLOW_FROM"},
	{"a rule with another name", []instance{{id: "Default", names: map[string]string{"FLOW_BATCH": "batches"},
		file: twoKinds([4]string{"FLOW", "flows", "PUMP", "pumps"},
			[4]string{"FLOW_BATCH", "flow-batches", "PUMP", "pumps"})}}, ""},
	{"kinds that differ by _", []instance{{id: "Default", file: twoKinds(
		[4]string{"FLOW_A", "flow-as", "PUMP", "pumps"}, [4]string{"FLOWA", "flowas", "PUMP", "pumps"})}},
		"kind FLOW_A and kind FLOWA"},
	{"subjects that differ by a hyphen", []instance{{id: "Default", file: twoKinds(
		[4]string{"FLOW", "flows", "PUMP", "pumps"}, [4]string{"HEAT", "heats", "PUMP_B", "pu-mps"})}},
		"subject PUMP and subject PUMP_B"},
	{"a subject named as another's policy of arrays", []instance{{id: "Default", file: twoKinds(
		[4]string{"FLOW", "flows", "PUMP", "pumps"}, [4]string{"HEAT", "heats", "PUMP_B", "pumps-batch"})}},
		"subject PUMP and subject PUMP_B"},
}

func TestNames_AreAcceptedByAWSAndOfOneResource(t *testing.T) {
	needNode(t)
	code := t.TempDir()
	stubs(t, code)
	for _, c := range nameCases {
		t.Run(c.title, func(t *testing.T) {
			stack := awscdk.NewStack(awscdk.NewApp(nil), new("app"), nil)
			var err error
			for _, i := range c.instances {
				if err == nil {
					err = i.declare(t, stack, code)
				}
			}
			refused := err != nil && strings.Contains(err.Error(), c.want)
			if refused != (c.want != "") || c.want == "" && err != nil {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func (i instance) declare(t *testing.T, stack awscdk.Stack, code string) error {
	t.Helper()
	props := Props{Code: code, Name: i.name, Names: i.names}
	if i.file != "" {
		props.Config = filepath.Join(t.TempDir(), "tidemark.yaml")
		if err := os.WriteFile(props.Config, []byte(i.file), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if i.nested {
		_, err := NewTidemark(awscdk.NewNestedStack(stack, new("Series"), nil), i.id, props)
		return err
	}
	_, err := NewTidemark(stack, i.id, props)
	return err
}
