package tidemarkcdk

import (
	"cmp"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsbudgets"
)

// addBudget notifies the receivers of alarms when the account has spent, or will spend, more than
// the stage's budget. It is about the whole account: a filter by tags counts nothing until the
// tags are activated for cost allocation, and would then be silent.
//
// It has no name of ours: a change of its receivers replaces it, and a budget of the same name would already
// exist.
func (s *Tidemark) addBudget() {
	if s.stage.Ceiling.Budget == 0 {
		return
	}
	given := ""
	if topic := s.given.AlarmTopic; topic != nil {
		given = *topic.TopicArn()
		s.allow("the topic of alarms", s.budgetStatement(&given), topic.AddToResourcePolicy)
	}
	configured := s.configuredTopic()
	if configured != "" && given != "" { // a notification has one topic at most
		s.newBudget("GivenBudget", subscribers("", given))
		given = ""
	}
	s.newBudget("Budget", subscribers(s.stage.AlarmMail, cmp.Or(configured, given)))
}

// subscribers are an address and a topic; "" is none.
func subscribers(mail, topic string) (all []any) {
	for _, r := range [][2]string{{"EMAIL", mail}, {"SNS", topic}} {
		if r[1] != "" {
			all = append(all,
				&awsbudgets.CfnBudget_SubscriberProperty{SubscriptionType: &r[0], Address: &r[1]})
		}
	}
	return all
}

func (s *Tidemark) newBudget(id string, receivers []any) {
	notify := func(of string, percent float64) any {
		return &awsbudgets.CfnBudget_NotificationWithSubscribersProperty{
			Notification: &awsbudgets.CfnBudget_NotificationProperty{
				NotificationType: &of, ComparisonOperator: new("GREATER_THAN"), Threshold: &percent,
				ThresholdType: new("PERCENTAGE")},
			Subscribers: receivers,
		}
	}
	awsbudgets.NewCfnBudget(s.Construct, &id, &awsbudgets.CfnBudgetProps{
		Budget: &awsbudgets.CfnBudget_BudgetDataProperty{
			BudgetType: new("COST"), TimeUnit: new("MONTHLY"),
			BudgetLimit: &awsbudgets.CfnBudget_SpendProperty{Amount: positive(s.stage.Ceiling.Budget),
				Unit: new("USD")},
		},
		NotificationsWithSubscribers: []any{notify("ACTUAL", 80), notify("FORECASTED", 100)},
	})
}
