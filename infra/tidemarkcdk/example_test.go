package tidemarkcdk_test

import (
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/jsii-runtime-go"

	"github.com/tidemark-db/tidemark/infra/internal/template"
	"github.com/tidemark-db/tidemark/infra/tidemarkcdk"
	"github.com/tidemark-db/tidemark/internal/base/testenv"
)

// The main function of a CDK app that keeps time-series next to a resource of its own: a function
// that appends readings.
func ExampleNewTidemark() {
	defer jsii.Close()
	app := awscdk.NewApp(nil)
	stack := awscdk.NewStack(app, new("greenhouse"), nil)
	series, err := tidemarkcdk.NewTidemark(stack, "Climate", tidemarkcdk.Props{})
	if err != nil {
		log.Fatal(err)
	}
	gateway := awslambda.NewFunction(stack, new("Gateway"), &awslambda.FunctionProps{
		Runtime:     awslambda.Runtime_NODEJS_22_X(),
		Handler:     new("index.handler"),
		Code:        awslambda.Code_FromInline(new("exports.handler = async () => process.env.API")),
		Environment: &map[string]*string{"API": series.API.ApiEndpoint()},
	})
	series.GrantWrite(gateway)
	app.Synth(nil)
}

// The example builds the functions from source and grants its own function one route. It runs in
// a process of its own, which reads the folder of the assembly when it starts.
func TestExample_IsSynthesized(t *testing.T) {
	if os.Getenv("CDK_OUTDIR") != "" {
		ExampleNewTidemark()
		return
	}
	if _, err := exec.LookPath("node"); err != nil {
		testenv.Missing(t, "node", "Node is not installed: make doctor says how to install it")
	}
	folder := t.TempDir()
	example := exec.Command(os.Args[0], "-test.run=^TestExample_IsSynthesized$")
	example.Env = append(os.Environ(), "CDK_OUTDIR="+folder)
	if output, err := example.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	data, err := os.ReadFile(filepath.Join(folder, "greenhouse.template.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := template.CheckQuotas("example", data); err != nil {
		t.Error(err)
	}
	all, err := template.Template(data).Resources()
	if err != nil {
		t.Fatal(err)
	}
	if id := "ClimateTable"; all[id].Type != "AWS::DynamoDB::Table" {
		t.Errorf("%s is %+v", id, all[id])
	}
	if name := all["ClimateIngestFunction"].Properties["FunctionName"]; name != "greenhouse-Climate-ingest" {
		t.Errorf("the function is named %v", name)
	}
	if text := string(data); strings.Count(text, "execute-api:Invoke") != 1 ||
		!strings.Contains(text, "/*/POST/v1/readings") {
		t.Error("the gateway may not append readings, or more than one policy is granted")
	}
	built, err := filepath.Glob(filepath.Join(folder, "asset.*", "bootstrap"))
	if err != nil || len(built) != 6 {
		t.Fatalf("%d functions, %v", len(built), err)
	}
	for _, path := range built {
		program, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(string(program), "\x7fELF") || program[18] != 0xb7 {
			t.Errorf("%s is not a program for arm64: %v", path, err)
		}
	}
}
