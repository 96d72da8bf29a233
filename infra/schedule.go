package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"

	"github.com/tidemark-db/tidemark/internal/config"
)

// addSchedules has purge look for purges to begin or to go on with, and aggregate for
// alerts that nobody could be told of.
func (s *stack) addSchedules() {
	s.addSchedule("Purge", purge, "Has purge look for purges that are due or were interrupted", config.PurgeEvery)
	s.addSchedule("Alerts", aggregate, "Has aggregate tell of alerts that nobody could be told of", config.AlertsEvery)
}

// addSchedule has a function invoked every so often.
func (s *stack) addSchedule(id, function, purpose string, every time.Duration) {
	rule := awsevents.NewCfnRule(s.Stack, new(id+"Schedule"), &awsevents.CfnRuleProps{
		Name:               s.name(strings.ToLower(id)),
		Description:        &purpose,
		ScheduleExpression: new(everyText(every)),
		State:              new("ENABLED"),
		Targets: []any{&awsevents.CfnRule_TargetProperty{
			Id: &id, Arn: s.functions[function].FunctionArn(),
			// One that is missed is made up for by the next.
			RetryPolicy: &awsevents.CfnRule_RetryPolicyProperty{MaximumRetryAttempts: new(0.0), MaximumEventAgeInSeconds: new(60.0)},
		}},
	})
	s.admit(id+"SchedulePermission", function, eventBridge, s.Account(), *rule.AttrArn())
}

// everyText is an interval as EventBridge reads it.
func everyText(every time.Duration) string {
	if n := int(every.Minutes()); n > 1 {
		return fmt.Sprintf("rate(%d minutes)", n)
	}
	return "rate(1 minute)"
}
