package tidemarkcdk

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// On demand, every write may be billed by the table and by both indexes.
func TestCeiling_LimitsTheTableItsIndexesAndTheQueue(t *testing.T) {
	want := map[string]any{"MaxReadRequestUnits": 2000.0, "MaxWriteRequestUnits": 1000.0}
	table := resources(t, "lean")["Table"].Properties
	limits := []any{table["OnDemandThroughput"]}
	for _, index := range table["GlobalSecondaryIndexes"].([]any) {
		limits = append(limits, index.(map[string]any)["OnDemandThroughput"])
	}
	if diff := cmp.Diff([]any{want, want, want}, limits); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	scaling := resources(t, "lean")["InboxMapping"].Properties["ScalingConfig"]
	if diff := cmp.Diff(any(map[string]any{"MaximumConcurrency": 5.0}), scaling); diff != "" {
		t.Errorf("inbox (-want +got):\n%s", diff)
	}
	if set := resources(t, "prod")["Table"].Properties["OnDemandThroughput"]; set != nil {
		t.Errorf("a stage without a ceiling has %v", set)
	}
}

func TestBudget_NotifiesTheReceiversOfAlarms(t *testing.T) {
	budgets := resourcesOfType(t, "lean", "AWS::Budgets::Budget")
	got := budgets["Budget"].Properties
	receivers := []any{
		map[string]any{"SubscriptionType": "EMAIL", "Address": "team@example.com"},
		map[string]any{"SubscriptionType": "SNS", "Address": "arn:aws:sns:eu-central-1:123456789012:on-call"},
	}
	notify := func(of string, percent float64) any {
		return map[string]any{
			"Notification": map[string]any{"NotificationType": of, "ComparisonOperator": "GREATER_THAN", "Threshold": percent, "ThresholdType": "PERCENTAGE"},
			"Subscribers":  receivers,
		}
	}
	want := map[string]any{
		"Budget": map[string]any{
			"BudgetType": "COST", "TimeUnit": "MONTHLY",
			"BudgetLimit": map[string]any{"Amount": 50.0, "Unit": "USD"}},
		"NotificationsWithSubscribers": []any{notify("ACTUAL", 80), notify("FORECASTED", 100)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, more := resources(t, "dev")["Budget"]; more {
		t.Error("a stage without one has a budget")
	}
}
