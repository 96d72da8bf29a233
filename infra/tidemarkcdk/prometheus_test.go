package tidemarkcdk

import (
	"slices"
	"strings"
	"testing"
)

// shippedFunctions are the functions of a stage without Prometheus's HTTP API and the pages.
var shippedFunctions = slices.DeleteFunc(slices.Clone(functions), func(f functionRow) bool {
	return f.name == prometheus || f.name == pages
})

// Prometheus's HTTP API is off by default. Turned on, it has a function that may only read.
func TestPrometheus_IsDeployedIfTurnedOnAndOnlyReads(t *testing.T) {
	for _, name := range all {
		if _, deployed := resources(t, name)["PrometheusFunction"]; deployed {
			t.Errorf("%s has the function", name)
		}
	}
	settings := shipped(t)
	settings.Prometheus = true
	deployed, err := synthesize(t, settings)["prod"].Resources()
	if err != nil {
		t.Fatal(err)
	}
	if deployed["PrometheusFunction"].Type != "AWS::Lambda::Function" {
		t.Fatal("prod has no function of Prometheus's API")
	}
	reserved := deployed["PrometheusFunction"].Properties["ReservedConcurrentExecutions"]
	if reserved != float64(settings.Stages[1].Reserved.Prometheus) || reserved == 0.0 {
		t.Errorf("the function has the concurrency %v, want its own: queries take none of ingest's", reserved)
	}
	for _, alarm := range []string{"Errors", "Throttled", "Duration"} {
		if deployed["Prometheus"+alarm+"Alarm"].Type != "AWS::CloudWatch::Alarm" {
			t.Errorf("no alarm about %s", alarm)
		}
	}
	routes := 0
	for id, r := range deployed {
		if key := render(r.Properties["RouteKey"]); r.Type == "AWS::ApiGatewayV2::Route" &&
			strings.Contains(key, "/prometheus") {
			routes++
			if r.Properties["AuthorizationType"] != "AWS_IAM" ||
				!strings.Contains(render(r.Properties["Target"]), "PrometheusIntegration") {
				t.Errorf("%s: %s is authorized by %v and goes to %v", id, key, r.Properties["AuthorizationType"],
					render(r.Properties["Target"]))
			}
		}
	}
	if routes == 0 {
		t.Error("no route")
	}
	for _, p := range deployed["PrometheusRole"].Properties["Policies"].([]any) {
		for _, right := range allowed(t, at(p.(map[string]any), "PolicyDocument")) {
			for _, write := range []string{"dynamodb:Put", "dynamodb:Update", "dynamodb:Delete", "dynamodb:BatchWrite",
				"secretsmanager:"} {
				if strings.Contains(right, write) {
					t.Errorf("the function may %s", right)
				}
			}
		}
	}
}
