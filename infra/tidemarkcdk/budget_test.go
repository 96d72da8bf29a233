package tidemarkcdk

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssns"
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

// A notification of a budget has at most one topic. A topic that the configuration names and the app gives is
// one receiver.
func TestBudget_NotificationsHaveOneTopic(t *testing.T) {
	const topics = "arn:aws:sns:eu-central-1:123456789012:"
	named, other := topics+"on-call", topics+"team"
	settings := filepath.Join(t.TempDir(), "tidemark.yaml")
	if err := os.WriteFile(settings, []byte("stages: {prod: {alarmMail: a@example.com, alarmTopic: '"+named+
		"', ceiling: {budget: 50}}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string][]string{
		"":    {"EMAIL a@example.com, SNS " + named},
		named: {"EMAIL a@example.com, SNS " + named},
		other: {"EMAIL a@example.com, SNS " + named, "SNS " + other},
	} {
		data := inOneStack(t, func(stack awscdk.Stack, code string) {
			props := Props{Code: code, Config: settings}
			if given != "" {
				props.AlarmTopic = awssns.Topic_FromTopicArn(stack, new("TeamTopic"), &given)
			}
			if _, err := NewTidemark(stack, "Default", props); err != nil {
				t.Fatal(err)
			}
		})
		all, err := data.Resources()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range all {
			if r.Type == "AWS::Budgets::Budget" {
				got = append(got, subscribed(t, r))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("given %q: budgets notify %q, want %q", given, got, want)
		}
		if actions := all["StoppedCause"].Properties["AlarmActions"].([]any); len(actions) != len(want)+1 {
			t.Errorf("given %q: %d topics of alarms, want %d", given, len(actions), len(want)+1)
		}
	}
}

// subscribed returns the subscribers of a budget: each notification has the same.
func subscribed(t *testing.T, budget resource) (text string) {
	t.Helper()
	for i, n := range budget.Properties["NotificationsWithSubscribers"].([]any) {
		all := ""
		for _, s := range n.(map[string]any)["Subscribers"].([]any) {
			if all != "" {
				all += ", "
			}
			subscriber := s.(map[string]any)
			all += render(subscriber["SubscriptionType"]) + " " + render(subscriber["Address"])
		}
		if i > 0 && all != text {
			t.Errorf("notifications have the subscribers %q and %q", text, all)
		}
		text = all
	}
	return text
}
