package main

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"

	"github.com/tidemark-db/tidemark/pkg/config"
)

// addSchedule has purge look for purges to begin or to go on with.
func (s *stack) addSchedule() {
	rule := awsevents.NewCfnRule(s.Stack, new("PurgeSchedule"), &awsevents.CfnRuleProps{
		Name:               s.name("purge"),
		Description:        new("Has purge look for purges that are due or were interrupted"),
		ScheduleExpression: new(everyText()),
		State:              new("ENABLED"),
		Targets: []any{&awsevents.CfnRule_TargetProperty{
			Id: new("Purge"), Arn: s.functions[purge].FunctionArn(),
			// One that is missed is made up for by the next.
			RetryPolicy: &awsevents.CfnRule_RetryPolicyProperty{MaximumRetryAttempts: new(0.0), MaximumEventAgeInSeconds: new(60.0)},
		}},
	})
	s.admit("PurgeSchedulePermission", purge, "events.amazonaws.com", s.Account(), *rule.AttrArn())
}

// everyText is config.PurgeEvery as EventBridge reads it.
func everyText() string {
	if n := int(config.PurgeEvery.Minutes()); n > 1 {
		return fmt.Sprintf("rate(%d minutes)", n)
	}
	return "rate(1 minute)"
}
