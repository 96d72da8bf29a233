package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsevents"

	"github.com/tidemark-db/tidemark/internal/config"
)

// addSchedules makes purge start and resume purges every minute, and aggregate deliver waiting
// alert notifications and write the rows of buckets that have closed.
func (s *stack) addSchedules() {
	s.addSchedule("Purge", purge, "Starts purges that are due and resumes interrupted ones", config.PurgeEvery)
	s.addSchedule("Alerts", aggregate, "Delivers alert notifications that are waiting", config.AlertsEvery)
}

// addSchedule invokes a function at an interval.
func (s *stack) addSchedule(id, function, purpose string, every time.Duration) {
	rule := awsevents.NewCfnRule(s.Stack, new(id+"Schedule"), &awsevents.CfnRuleProps{
		Name:               s.name(strings.ToLower(id)),
		Description:        &purpose,
		ScheduleExpression: new(rateExpression(every)),
		State:              new("ENABLED"),
		Targets: []any{&awsevents.CfnRule_TargetProperty{
			Id: &id, Arn: s.invoked(function),
			// The next invocation does the work of a missed one.
			RetryPolicy: &awsevents.CfnRule_RetryPolicyProperty{MaximumRetryAttempts: new(0.0), MaximumEventAgeInSeconds: new(60.0)},
		}},
	})
	s.allowInvoke(id+"SchedulePermission", function, eventBridge, s.Account(), *rule.AttrArn())
}

// rateExpression is an interval in EventBridge's syntax.
func rateExpression(every time.Duration) string {
	if n := int(every.Minutes()); n > 1 {
		return fmt.Sprintf("rate(%d minutes)", n)
	}
	return "rate(1 minute)"
}
