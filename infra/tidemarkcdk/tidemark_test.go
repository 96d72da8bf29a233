package tidemarkcdk

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"

	"github.com/tidemark-db/tidemark/infra/internal/template"
)

// inOneStack declares constructs in a stack shop of another app, with the default configuration.
func inOneStack(t *testing.T, declare func(stack awscdk.Stack, code string)) template.Template {
	t.Helper()
	needNode(t)
	folder := t.TempDir()
	stubs(t, filepath.Join(folder, "build"))
	app := awscdk.NewApp(&awscdk.AppProps{Outdir: new(filepath.Join(folder, "out")), AnalyticsReporting: new(false)})
	declare(awscdk.NewStack(app, new("shop"), nil), filepath.Join(folder, "build"))
	data, err := os.ReadFile(*app.Synth(nil).GetStackByName(new("shop")).TemplateFullPath())
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// physicalNames returns the names that resources have in their properties, with their types: two
// resources with the same cannot be deployed.
func physicalNames(t *testing.T, of template.Template) map[string]string {
	t.Helper()
	all, err := of.Resources()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for id, r := range all {
		for property, value := range r.Properties {
			text, ok := value.(string)
			kind := r.Type[strings.LastIndex(r.Type, ":")+1:]
			if !ok || kind == "Alias" || kind == "Authorizer" || kind == "Stage" ||
				property != "Name" && property != kind+"Name" && property != "RuleName" && property != "CompositeAlarmName" {
				continue
			}
			if other := names[r.Type+" "+text]; other != "" {
				t.Errorf("%s and %s are both named %s", id, other, text)
			}
			names[r.Type+" "+text] = id
		}
	}
	return names
}

// Both have all built-in kinds and full monitoring.
func TestTidemark_WorksTwiceInOneStack(t *testing.T) {
	both := inOneStack(t, func(stack awscdk.Stack, code string) {
		for id, props := range map[string]Props{"Orders": {}, "Visits": {}} {
			props.Code = code
			if _, err := NewTidemark(stack, id, props); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err := template.CheckQuotas("both", both); err != nil {
		t.Error(err)
	}
	names := physicalNames(t, both)
	for _, name := range []string{"AWS::Lambda::Function shop-Orders-ingest", "AWS::Lambda::Function shop-Visits-ingest", "AWS::IoT::TopicRule shop_Orders_READING", "AWS::CloudWatch::Dashboard shop-Orders"} {
		if names[name] == "" {
			t.Errorf("nothing is %s", name)
		}
	}
	var outputs struct{ Outputs map[string]any }
	if err := json.Unmarshal(both, &outputs); err != nil || outputs.Outputs["OrdersTableName"] == nil || outputs.Outputs["VisitsApiUrl"] == nil {
		t.Errorf("outputs %v, %v", outputs.Outputs, err)
	}
}

func TestTidemark_NamesCanBeReplaced(t *testing.T) {
	names := physicalNames(t, inOneStack(t, func(stack awscdk.Stack, code string) {
		if _, err := NewTidemark(stack, "Orders", Props{Code: code, Name: "series", Names: map[string]string{"ingest": "writer", "READING": "measured"}}); err != nil {
			t.Fatal(err)
		}
	}))
	for _, name := range []string{"AWS::Lambda::Function writer", "AWS::Lambda::Function series-query", "AWS::IoT::TopicRule measured", "AWS::ApiGatewayV2::Api series"} {
		if names[name] == "" {
			t.Errorf("nothing is %s", name)
		}
	}
}

// A grant names the routes of its scope, and no other.
func TestGrants_AllowTheRoutesOfAScope(t *testing.T) {
	data := inOneStack(t, func(stack awscdk.Stack, code string) {
		series, err := NewTidemark(stack, "Default", Props{Code: code})
		if err != nil {
			t.Fatal(err)
		}
		for id, grant := range map[string]func(awsiam.IGrantable) awsiam.Grant{
			"Reader": series.GrantRead, "Writer": series.GrantWrite, "Manager": series.GrantManage, "Eraser": series.GrantPurge,
		} {
			grant(withLogicalID(series, awsiam.NewUser(stack, &id, nil), id))
		}
	})
	all, err := data.Resources()
	if err != nil {
		t.Fatal(err)
	}
	granted := map[string]string{}
	for _, r := range all {
		if r.Type == "AWS::IAM::Policy" {
			granted[render(r.Properties["Users"])] = strings.Join(allowed(t, r.Properties["PolicyDocument"]), "\n")
		}
	}
	for user, want := range map[string]struct{ may, mayNot string }{
		"Reader":  {"/*/GET/*", "POST"},
		"Writer":  {"/*/POST/v1/readings", "GET"},
		"Manager": {"/*/PUT/*", "/v1/readings"},
		"Eraser":  {"DELETE", "GET"},
	} {
		if !strings.Contains(granted[user], want.may) || strings.Contains(granted[user], want.mayNot) || len(granted[user]) > 10_240 {
			t.Errorf("%s may\n%s\nwant %s, but not %s", user, granted[user], want.may, want.mayNot)
		}
	}
}

// A folder of source without the module is an error that says what to do.
func TestTidemark_NeedsTheSourceOfTheFunctions(t *testing.T) {
	needNode(t)
	t.Chdir(t.TempDir())
	_, err := NewTidemark(awscdk.NewStack(awscdk.NewApp(nil), new("app"), nil), "Default", Props{})
	if err == nil || !strings.Contains(err.Error(), "name a folder of built functions") {
		t.Errorf("got %v", err)
	}
}

func TestTidemark_RefusesANameOfNothingAndAnUnknownStage(t *testing.T) {
	needNode(t)
	folder := t.TempDir()
	stubs(t, folder)
	stack := awscdk.NewStack(awscdk.NewApp(nil), new("app"), nil)
	_, err := NewTidemark(stack, "Orders", Props{Code: folder, Names: map[string]string{"digest": "writer"}})
	if err == nil || !strings.Contains(err.Error(), "[digest]") {
		t.Errorf("a name of nothing: %v", err)
	}
	_, err = NewTidemark(stack, "Visits", Props{Code: folder, Stage: "staging"})
	if err == nil || !strings.Contains(err.Error(), "want one of [dev prod]") {
		t.Errorf("a stage that does not exist: %v", err)
	}
}
