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
	app := awscdk.NewApp(
		&awscdk.AppProps{Outdir: new(filepath.Join(folder, "out")), AnalyticsReporting: new(false)})
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
				property != "Name" && property != kind+"Name" && property != "RuleName" &&
					property != "CompositeAlarmName" {
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

// everything is a stage with everything that two instances can have at the same time.
const everything = `
prometheus: true
stages:
  prod:
    alarmMail: team@example.com
    alarmTopic: arn:aws:sns:eu-central-1:123456789012:on-call
    customerKey: true
    tracing: true
    ceiling: {budget: 100}
    access: {issuer: "https://login.example.com", audience: [tidemark]}
    ui: true
    sources: {clients: true, sqs: true, kinesis: true}
`

// roomInStack is how many resources an app with two instances has at least for itself.
const roomInStack = 60

// Both have all built-in kinds, every source, and alarms that notify.
func TestTidemark_WorksTwiceInOneStack(t *testing.T) {
	settings := filepath.Join(t.TempDir(), "tidemark.yaml")
	if err := os.WriteFile(settings, []byte(everything), 0o644); err != nil {
		t.Fatal(err)
	}
	both := inOneStack(t, func(stack awscdk.Stack, code string) {
		for _, id := range []string{"Orders", "Visits"} {
			if _, err := NewTidemark(stack, id, Props{Code: code, Config: settings}); err != nil {
				t.Fatal(err)
			}
		}
	})
	if err := template.CheckQuotas("both", both); err != nil {
		t.Error(err)
	}
	all, err := both.Resources()
	if err != nil || len(all) > template.MaxResources-roomInStack {
		t.Errorf("two instances have %d resources, want at most %d: %v", len(all),
			template.MaxResources-roomInStack, err)
	}
	names := physicalNames(t, both)
	for _, name := range []string{"AWS::Lambda::Function shop-Orders-ingest",
		"AWS::Lambda::Function shop-Visits-ingest", "AWS::IoT::TopicRule shop_Orders_READING", "AWS::CloudWatch::Dashboard shop-Orders"} {
		if names[name] == "" {
			t.Errorf("nothing is %s", name)
		}
	}
	var outputs struct{ Outputs map[string]any }
	if err := json.Unmarshal(both, &outputs); err != nil || outputs.Outputs["OrdersTableName"] == nil ||
		outputs.Outputs["VisitsApiUrl"] == nil {
		t.Errorf("outputs %v, %v", outputs.Outputs, err)
	}
}

func TestTidemark_NamesCanBeReplaced(t *testing.T) {
	names := physicalNames(t, inOneStack(t, func(stack awscdk.Stack, code string) {
		if _, err := NewTidemark(stack, "Orders", Props{Code: code, Name: "series",
			Names: map[string]string{"ingest": "writer", "READING": "measured"}}); err != nil {
			t.Fatal(err)
		}
	}))
	for _, name := range []string{"AWS::Lambda::Function writer", "AWS::Lambda::Function series-query",
		"AWS::IoT::TopicRule measured", "AWS::ApiGatewayV2::Api series"} {
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
		if !strings.Contains(granted[user], want.may) || strings.Contains(granted[user], want.mayNot) ||
			len(granted[user]) > 10_240 {
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

// Both would store each message of the topic.
func TestTidemark_TwoInstancesHaveTwoTopics(t *testing.T) {
	needNode(t)
	folder := t.TempDir()
	stubs(t, folder)
	settings := filepath.Join(folder, "tidemark.yaml")
	if err := os.WriteFile(settings, []byte("stages: {prod: {sources: {topic: plant}}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	stack := awscdk.NewStack(awscdk.NewApp(nil), new("app"), nil)
	for id, want := range map[string]string{"Line1": "app-Line1", "Line2": "app-Line2"} {
		if s, err := NewTidemark(stack, id, Props{Code: folder}); err != nil || s.topic() != want {
			t.Errorf("%s: %v, want the topic %s", id, err, want)
		}
	}
	for _, id := range []string{"Line3", "Line4"} {
		_, err := NewTidemark(stack, id, Props{Code: folder, Config: settings})
		refused := err != nil && strings.Contains(err.Error(), "MQTT topic plant")
		if refused != (id == "Line4") {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestTidemark_RefusesANameThatIsTooLong(t *testing.T) {
	needNode(t)
	folder := t.TempDir()
	stubs(t, folder)
	stack := awscdk.NewStack(awscdk.NewApp(nil), new("app"), nil)
	for n, refused := range map[int]bool{longestName - len("-critical-alerts"): false, 60: true, 78: true} {
		name := strings.Repeat("x", n)
		_, err := NewTidemark(stack, name, Props{Code: folder, Name: name})
		if refused != (err != nil && strings.Contains(err.Error(), "AWS accepts 64")) {
			t.Errorf("a name of %d characters: %v", n, err)
		}
	}
}

// untagged are types of resources that have no tags, or get none from the CDK.
var untagged = map[string]bool{
	"AWS::ApiGatewayV2::ApiMapping":               true,
	"AWS::ApiGatewayV2::Authorizer":               true,
	"AWS::ApiGatewayV2::Integration":              true,
	"AWS::ApiGatewayV2::Route":                    true,
	"AWS::ApplicationAutoScaling::ScalableTarget": true,
	"AWS::ApplicationAutoScaling::ScalingPolicy":  true,
	"AWS::Budgets::Budget":                        true,
	"AWS::Lambda::EventInvokeConfig":              true,
	"AWS::Lambda::Permission":                     true,
	"AWS::SNS::Subscription":                      true,
	"AWS::SNS::TopicPolicy":                       true,
	"AWS::SQS::QueuePolicy":                       true,
}

// An owner finds, and counts the cost of, every resource of an instance by its tags.
func TestTidemark_ResourcesHaveTheTagsOfTheirInstance(t *testing.T) {
	for id, r := range resources(t, "full") {
		tags := render(r.Properties["Tags"])
		tagged := strings.Contains(tags, "tidemark") && strings.Contains(tags, "full")
		if tagged == untagged[r.Type] {
			t.Errorf("%s %s has the tags %s", r.Type, id, tags)
		}
	}
}

// unreplaced says of each type with a fixed name why no change of a configuration replaces a resource of it
// while its name stays: CloudFormation creates the new resource first, and its name would exist.
var unreplaced = map[string]string{
	"AWS::ApiGatewayV2::Api":               "several APIs may have one name",
	"AWS::CloudWatch::Alarm":               "the name alone replaces it",
	"AWS::CloudWatch::CompositeAlarm":      "the name alone replaces it",
	"AWS::CloudWatch::Dashboard":           "the name alone replaces it",
	"AWS::Events::EventBus":                "the name alone replaces it",
	"AWS::Events::Rule":                    "the name alone, and the bus, whose name is of the same instance",
	"AWS::IoT::Policy":                     "the name alone replaces it",
	"AWS::IoT::TopicRule":                  "the name alone replaces it",
	"AWS::Lambda::Function":                "the name alone, and the package's type, always a zip file",
	"AWS::Logs::LogGroup":                  "the name alone replaces it",
	"AWS::CloudFront::OriginRequestPolicy": "its name is made of its id",
	"AWS::ApiGatewayV2::DomainName":        "the domain alone replaces it",
}

func TestTemplates_NameNothingThatAChangeReplaces(t *testing.T) {
	found := map[string]bool{}
	for _, name := range everyStage {
		for named := range physicalNames(t, stage(t, name)) {
			kind, _, _ := strings.Cut(named, " ")
			if found[kind] = true; unreplaced[kind] == "" {
				t.Errorf("%s: %s has a fixed name: say why no change replaces it, or remove it", name, named)
			}
		}
	}
	if len(found) < 8 {
		t.Errorf("only %d types have fixed names", len(found))
	}
}
