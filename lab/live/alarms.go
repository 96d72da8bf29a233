package live

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// alarmProbes are about the alarms and the logs of the first stage.
var alarmProbes = []probe{
	{
		name: "alarm-heard", page: "run/ALARMS.md", suites: onResponses, run: alarmHeard,
		assumes: "CloudWatch may publish to the topic of alarms, which the customer key encrypts",
		how:     "an alarm is set off: a queue that subscribes to the topic receives its composite alarm",
	},
	{
		name: "log-groups", page: "run/SECURITY.md", suites: onResponses, run: logGroups,
		assumes: "functions log to the groups of the stack, and Lambda creates none without a retention",
		how: "after requests, each function's group is of the stack and keeps logs for 1 day, and ingest's " +
			"has logs",
	},
}

// heard is the name of the queue that subscribes to the topic of alarms.
func (a *account) heard() string { return a.stack + "-heard" }

// endAlarms deletes the queue. Its subscription is deleted with the topic.
func endAlarms(ctx context.Context, a *account) error {
	queue, err := a.aws(ctx, "sqs", "get-queue-url", "--queue-name", a.heard(), "--query", "QueueUrl")
	if err == nil {
		_, err = a.aws(ctx, "sqs", "delete-queue", "--queue-url", queue)
	}
	if err != nil && strings.Contains(err.Error(), "NonExistentQueue") {
		return nil
	}
	return err
}

// subscribe creates the queue, lets the topic of alarms send to it, and subscribes it.
func (a *account) subscribe(ctx context.Context) (queue string, err error) {
	topic, err := a.aws(ctx, "cloudformation", "describe-stack-resource", "--stack-name", a.stack,
		"--logical-resource-id", "AlarmTopic", "--query", "StackResourceDetail.PhysicalResourceId")
	if err != nil {
		return "", err
	}
	if queue, err = a.aws(ctx, "sqs", "create-queue", "--queue-name", a.heard(), "--query",
		"QueueUrl"); err != nil {
		return "", err
	}
	arn, err := a.aws(ctx, "sqs", "get-queue-attributes", "--queue-url", queue, "--attribute-names", "QueueArn",
		"--query", "Attributes.QueueArn")
	if err != nil {
		return "", err
	}
	policy, err := json.Marshal(map[string]any{"Version": "2012-10-17", "Statement": []any{map[string]any{
		"Effect": "Allow", "Principal": map[string]string{"Service": "sns.amazonaws.com"},
		"Action": "sqs:SendMessage", "Resource": arn,
		"Condition": map[string]any{"ArnEquals": map[string]string{"aws:SourceArn": topic}},
	}}})
	if err != nil {
		return "", err
	}
	attributes, err := json.Marshal(map[string]string{"Policy": string(policy)})
	if err == nil {
		_, err = a.aws(ctx, "sqs", "set-queue-attributes", "--queue-url", queue, "--attributes",
			string(attributes))
	}
	if err == nil {
		_, err = a.aws(ctx, "sns", "subscribe", "--topic-arn", topic, "--protocol", "sqs",
			"--notification-endpoint", arn, "--attributes", "RawMessageDelivery=true")
	}
	return queue, err
}

// composite finds the name of a composite alarm, and the first alarm of its rule, which are printed as
// NAME (ALARM("arn:…:alarm:NAME") OR ….
var composite = regexp.MustCompile(`^(\S+)\s+\(?ALARM\("?(?:[^"]*:alarm:)?([^":]+)"`)

func alarmHeard(ctx context.Context, a *account) (string, error) {
	queue, err := a.subscribe(ctx)
	if err != nil {
		return "", err
	}
	rules, err := a.aws(ctx, "cloudwatch", "describe-alarms", "--alarm-types", "CompositeAlarm",
		"--alarm-name-prefix", a.stack+"-", "--query",
		"CompositeAlarms[?!ActionsSuppressor && AlarmActions[0] && StateValue!='ALARM'].[AlarmName,AlarmRule]")
	if err != nil {
		return "", err
	}
	names := composite.FindStringSubmatch(rules)
	if names == nil {
		return "", fmt.Errorf("no composite alarm is off and notifies at once: %.300s", rules)
	}
	if _, err := a.aws(ctx, "cloudwatch", "set-alarm-state", "--alarm-name", names[2], "--state-value",
		"ALARM", "--state-reason", "a test by make live-check: nothing is wrong"); err != nil {
		return "", err
	}
	all := ""
	err = a.until(ctx, 3*time.Minute, func() (bool, error) {
		text, err := a.aws(ctx, "sqs", "receive-message", "--queue-url", queue, "--wait-time-seconds", "5",
			"--max-number-of-messages", "10", "--query", "Messages[].Body")
		all += text
		return strings.Contains(all, fmt.Sprintf(`"AlarmName":%q`, names[1])), err
	})
	if !errors.Is(err, errNotSeen) {
		return fmt.Sprintf("%s set off, %s received", names[2], names[1]), err
	}
	history, err := a.aws(ctx, "cloudwatch", "describe-alarm-history", "--alarm-types", "CompositeAlarm",
		"--alarm-name", names[1], "--history-item-type", "Action", "--max-records", "3", "--no-paginate",
		"--query", "AlarmHistoryItems[].HistorySummary")
	return "", errors.Join(fmt.Errorf("%s was set off, and the queue received no message of %s but %.300q; "+
		"its actions: %.500q", names[2], names[1], all, history), err)
}

func logGroups(ctx context.Context, a *account) (string, error) {
	const prefix = "/aws/lambda/"
	created, err := a.aws(ctx, "cloudformation", "list-stack-resources", "--stack-name", a.stack, "--query",
		"StackResourceSummaries[?ResourceType=='AWS::Logs::LogGroup'].PhysicalResourceId")
	if err != nil {
		return "", err
	}
	ofStack := map[string]bool{}
	for name := range strings.FieldsSeq(created) {
		ofStack[name] = true
	}
	text, err := a.aws(ctx, "logs", "describe-log-groups", "--log-group-name-prefix", prefix+a.stack+"-",
		"--query", "logGroups[].[logGroupName,retentionInDays]")
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		group, days, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if !ofStack[group] || days != "1" {
			return "", fmt.Errorf("the group %s keeps logs for %s days, want 1; it is of the stack: %v", group,
				days, ofStack[group])
		}
	}
	functions, err := a.aws(ctx, "lambda", "list-functions", "--query",
		"Functions[?starts_with(FunctionName,'"+a.stack+"-')].LoggingConfig.LogGroup")
	if err != nil {
		return "", err
	}
	used := strings.Fields(functions)
	for _, group := range used {
		if !strings.Contains("\n"+text+"\n", "\n"+group+"\t1\n") {
			return "", fmt.Errorf("a function logs to %s, which is not among the groups\n%s", group, text)
		}
	}
	streams, err := a.number(ctx, "logs", "describe-log-streams", "--log-group-name",
		prefix+a.stack+"-ingest",
		"--limit", "1", "--no-paginate", "--query", "length(logStreams)")
	if err == nil && (len(used) == 0 || streams == 0) {
		err = fmt.Errorf("%d functions, and the group of ingest has no logs after its requests", len(used))
	}
	return fmt.Sprintf("%d functions, each with a group of the stack and 1 day", len(used)), err
}
