package tidemarkcdk

import (
	"slices"
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/base/config"
)

// Whatever invokes a function invokes its alias: otherwise a new version would get everything
// at once.
func TestCanary_EverythingInvokesTheAlias(t *testing.T) {
	found := resources(t, "canary")
	invokers := 0
	for id, r := range found {
		for path, value := range map[string]any{
			"AWS::ApiGatewayV2::Integration":   r.Properties["IntegrationUri"],
			"AWS::ApiGatewayV2::Authorizer":    r.Properties["AuthorizerUri"],
			"AWS::Lambda::EventSourceMapping":  r.Properties["FunctionName"],
			"AWS::Lambda::Permission":          r.Properties["FunctionName"],
			"AWS::Events::Rule":                r.Properties["Targets"],
			"AWS::IoT::TopicRule":              at(r.Properties, "TopicRulePayload", "Actions"),
			"AWS::Lambda::EventInvokeConfig":   r.Properties["Qualifier"],
			"AWS::CodeDeploy::DeploymentGroup": r.Properties["DeploymentConfigName"],
		} {
			if r.Type != path || value == nil {
				continue
			}
			invokers++
			if text := render(value); strings.Contains(text, "Function.Arn") || text == "$LATEST" {
				t.Errorf("%s invokes %s, want an alias", id, text)
			}
		}
	}
	if invokers < 20 {
		t.Errorf("%d invokers were found", invokers)
	}
}

// Aggregate names itself by its alias, and may invoke nothing else.
func TestCanary_AggregateInvokesItselfByItsAlias(t *testing.T) {
	found := resources(t, "canary")
	const alias = "arn:AWS::Partition:lambda:eu-central-1:123456789012:function:tidemark-canary-aggregate:live"
	env := at(found["AggregateFunction"].Properties, "Environment", "Variables").(map[string]any)
	if self := render(env[config.EnvSelf]); self != alias {
		t.Errorf("aggregate is %s to itself, want %s", self, alias)
	}
	var invokes []string
	for _, p := range found["AggregateRole"].Properties["Policies"].([]any) {
		for _, right := range allowed(t, at(p.(map[string]any), "PolicyDocument")) {
			if strings.HasPrefix(right, "lambda:") {
				invokes = append(invokes, right)
			}
		}
	}
	if len(invokes) != 1 || invokes[0] != "lambda:InvokeFunction on "+alias {
		t.Errorf("aggregate may %q, want to invoke %s only", invokes, alias)
	}
}

func TestCanary_IsRolledBackByTheAlarmOfItsFunction(t *testing.T) {
	for _, f := range shippedFunctions {
		group := resources(t, "canary")[f.id+"Release"].Properties
		if group["DeploymentConfigName"] != "CodeDeployDefault.LambdaCanary10Percent5Minutes" ||
			render(at(group, "AutoRollbackConfiguration", "Events")) != "DEPLOYMENT_FAILURE DEPLOYMENT_STOP_ON_ALARM" {
			t.Errorf("%s is released by %v", f.name, group)
		}
		alarms, _ := at(group, "AlarmConfiguration", "Alarms").([]any)
		if len(alarms) != 1 || render(alarms[0].(map[string]any)["Name"]) != f.id+"ReleaseAlarm" {
			t.Errorf("the release of %s watches %v", f.name, alarms)
		}
		alias := resources(t, "canary")[f.id+"Alias"]
		policy, _ := alias.Attributes["UpdatePolicy"].(map[string]any)
		if got := render(at(policy, "CodeDeployLambdaAliasUpdate", "DeploymentGroupName")); got != f.id+"Release" {
			t.Errorf("the alias of %s is moved by %q", f.name, got)
		}
		if version := render(alias.Properties["FunctionVersion"]); !strings.HasPrefix(version, f.id+"Function") ||
			!strings.HasSuffix(version, ".Version") {
			t.Errorf("the alias of %s is for %s, want its version", f.name, version)
		}
	}
	var rights []string
	for _, p := range resources(t, "canary")["ReleaseRole"].Properties["Policies"].([]any) {
		rights = append(rights, allowed(t, at(p.(map[string]any), "PolicyDocument"))...)
	}
	slices.Sort(rights)
	want := []string{"cloudwatch:DescribeAlarms on *"}
	for _, f := range shippedFunctions {
		own := " on arn:AWS::Partition:lambda:eu-central-1:123456789012:function:tidemark-canary-" + f.name
		want = append(want, "lambda:GetAlias"+own, "lambda:GetProvisionedConcurrencyConfig"+own,
			"lambda:UpdateAlias"+own)
	}
	slices.Sort(want)
	if !slices.Equal(rights, want) {
		t.Errorf("CodeDeploy may %q, want %q", rights, want)
	}
}
