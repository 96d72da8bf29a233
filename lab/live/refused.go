package live

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// refusedProbes run while ingest may not write the device live-denied, and aggregate may write nothing:
// so messages fail, and reach the queues by the way of each source.
var refusedProbes = []probe{
	{
		name: "partial-response", page: "run/DEPLOYING.md", suites: onResponses, run: partialResponse,
		assumes: "of a batch that fails in part, only the records that the response names come again",
		how:     "3 messages of an SQS batch, of which one is refused: the others are stored once",
	},
	{
		name:    "on-failure-inbox",
		assumes: "a message that a queue gives up reaches the undelivered queue as it was sent",
		page:    "run/ALARMS.md", how: "the refused message, which may be received once", suites: onResponses,
		run: undeliveredAs("inbox", nil),
	},
	{
		name:    "on-failure-invocation",
		assumes: "an asynchronous invocation that Lambda gives up reaches the queue with its payload",
		page:    "run/ALARMS.md", how: "a refused reading by an IoT rule, without retries",
		suites: onResponses, run: undeliveredAs("invocation", publishDenied),
	},
	{
		name:    "on-failure-stream",
		assumes: "a range that a Kinesis mapping gives up reaches the queue with its position",
		page:    "run/ALARMS.md", how: "a refused record of the data stream, with one retry",
		suites: onResponses, run: undeliveredAs("stream", recordDenied),
	},
	{
		name:    "on-failure-rule",
		assumes: "a message that a rule cannot deliver reaches the queue by the rule's error action",
		page:    "run/ALARMS.md", how: "a reading to a rule that may not invoke ingest any more",
		suites: onResponses, run: undeliveredAs("rule", publishUninvokable),
	},
	{
		name:    "on-failure-table",
		assumes: "a range of the table stream that a mapping gives up reaches the on-failure queue",
		page:    "run/ALARMS.md", how: "an event while aggregate may write nothing, with one retry",
		suites: onResponses, run: onFailureTable,
	},
}

// acceptedProbes run after everything is allowed again.
var acceptedProbes = []probe{
	{name: "replay", assumes: "tidemark failed retry reads what is in both queues", page: "run/ALARMS.md",
		how: "both; then each refused reading is stored, once", suites: onResponses, run: replayAll},
	{
		name: "kms", page: "run/SECURITY.md", suites: onResponses, run: encrypted,
		assumes: "with a customer key, the roles suffice: " +
			"functions, destinations and rules reach the encrypted table and queues",
		how: "table and queues are encrypted with the stage's key, " +
			"and all of the above has passed through them",
	},
}

// denial refuses requests of a function, as an inline policy of its role.
type denial struct{ function, policy string }

const denialName = "live-check"

var denials = []denial{
	{"ingest", `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":["dynamodb:PutItem","dynamodb:UpdateItem"],"Resource":"*",` +
		`"Condition":{"ForAnyValue:StringLike":{"dynamodb:LeadingKeys":["DEVICE#live-denied*"]}}}]}`},
	{"aggregate", `{"Version":"2012-10-17","Statement":[{"Effect":"Deny","Action":["dynamodb:PutItem","dynamodb:UpdateItem"],"Resource":"*"}]}`},
}

// role returns the name of a function's role.
func (a *account) role(ctx context.Context, function string) (string, error) {
	arn, err := a.aws(ctx, "lambda", "get-function-configuration", "--function-name", a.stack+"-"+function,
		"--query", "Role")
	return arn[strings.LastIndex(arn, "/")+1:], err
}

// mapping returns the id of the mapping from the data stream to ingest.
func (a *account) mapping(ctx context.Context) (string, error) {
	return a.aws(ctx, "lambda", "list-event-source-mappings", "--function-name", a.stack+"-ingest",
		"--query", "EventSourceMappings[?contains(EventSourceArn,':kinesis:')].UUID")
}

// refuse denies writes, and makes each source give up soon.
func refuse(ctx context.Context, a *account) error {
	for _, d := range denials {
		role, err := a.role(ctx, d.function)
		if err != nil {
			return err
		}
		if _, err := a.aws(ctx, "iam", "put-role-policy", "--role-name", role, "--policy-name", denialName,
			"--policy-document", d.policy); err != nil {
			return err
		}
	}
	if _, err := a.aws(ctx, "lambda", "update-function-event-invoke-config", "--function-name",
		a.stack+"-ingest", "--maximum-retry-attempts", "0"); err != nil {
		return err
	}
	mapping, err := a.mapping(ctx)
	if err == nil {
		_, err = a.aws(ctx, "lambda", "update-event-source-mapping", "--uuid", mapping, "--maximum-retry-attempts",
			"1")
	}
	if err != nil {
		return err
	}
	if err := a.giveUpAfter(ctx, 1); err != nil {
		return err
	}
	return a.sleep(ctx, 20*time.Second) // until every host of IAM knows the policies
}

// giveUpAfter sets how often a message of the inbox queue may be received.
func (a *account) giveUpAfter(ctx context.Context, times int) error {
	dead, err := a.aws(ctx, "sqs", "get-queue-attributes", "--queue-url", a.outputs["UndeliveredQueueUrl"],
		"--attribute-names", "QueueArn", "--query", "Attributes.QueueArn")
	if err != nil {
		return err
	}
	policy, err := json.Marshal(map[string]any{"deadLetterTargetArn": dead, "maxReceiveCount": times})
	if err != nil {
		return err
	}
	attributes, err := json.Marshal(map[string]string{"RedrivePolicy": string(policy)})
	if err == nil {
		_, err = a.aws(ctx, "sqs", "set-queue-attributes", "--queue-url", a.outputs["InboxQueueUrl"],
			"--attributes", string(attributes))
	}
	return err
}

// accept allows everything again. A role without the policy is as it should be.
func accept(ctx context.Context, a *account) error {
	for _, d := range denials {
		role, err := a.role(ctx, d.function)
		if err != nil {
			return err
		}
		_, err = a.aws(ctx, "iam", "delete-role-policy", "--role-name", role, "--policy-name", denialName)
		if err != nil && !strings.Contains(err.Error(), "NoSuchEntity") {
			return err
		}
	}
	return a.sleep(ctx, 20*time.Second)
}

func partialResponse(ctx context.Context, a *account) (string, error) {
	var entries []map[string]string
	for i, device := range []string{"live-part-1", "live-denied-inbox", "live-part-2"} {
		entries = append(entries, map[string]string{"Id": fmt.Sprint(i), "MessageBody": a.reading(device, 60)})
	}
	body, err := json.Marshal(entries)
	if err != nil {
		return "", err
	}
	if _, err := a.aws(ctx, "sqs", "send-message-batch", "--queue-url", a.outputs["InboxQueueUrl"], "--entries",
		string(body)); err != nil {
		return "", err
	}
	for _, device := range []string{"live-part-1", "live-part-2"} {
		if err := a.awaitEvents(ctx, device, 1); err != nil {
			return "", err
		}
	}
	if n, err := a.events(ctx, "live-denied-inbox"); err != nil || n > 0 {
		return "", fmt.Errorf("%d events of the refused device (%w)", n, err)
	}
	return "2 of 3 stored", nil
}

// undeliveredAs returns a probe that sends something and waits for it in the undelivered queue.
func undeliveredAs(form string,
	send func(context.Context, *account) error) func(context.Context, *account) (string, error) {
	return func(ctx context.Context, a *account) (string, error) {
		if send != nil {
			if err := send(ctx, a); err != nil {
				return "", err
			}
		}
		const reason = 4 // its column
		found := ""
		err := a.until(ctx, 5*time.Minute, func() (bool, error) {
			text, err := a.failed(ctx, "list", "undelivered", "UndeliveredQueueUrl")
			for line := range strings.Lines(text) {
				if words := strings.Fields(line); len(words) > reason && words[reason] == form {
					found = strings.Join(words[reason:], " ")
				}
			}
			return found != "", err
		})
		return found, err
	}
}

func publishDenied(ctx context.Context, a *account) error {
	return a.publish(ctx, a.topic("live-denied-invocation"), a.reading("", 60))
}

func recordDenied(ctx context.Context, a *account) error {
	path, err := a.file("record", a.reading("live-denied-stream", 60))
	if err == nil {
		_, err = a.aws(ctx, "kinesis", "put-record", "--stream-name", a.outputs["InletStreamName"],
			"--partition-key", "live", "--data", path)
	}
	return err
}

// publishUninvokable takes the right to invoke ingest from the rule of readings, and publishes.
func publishUninvokable(ctx context.Context, a *account) error {
	text, err := a.aws(ctx, "lambda", "get-policy", "--function-name", a.stack+"-ingest", "--query", "Policy")
	if err != nil {
		return err
	}
	var policy struct {
		Statement []struct {
			Sid       string
			Condition struct{ ArnLike map[string]string }
		}
	}
	if err := json.Unmarshal([]byte(text), &policy); err != nil {
		return fmt.Errorf("the policy of ingest: %w", err)
	}
	for _, s := range policy.Statement {
		if strings.HasSuffix(s.Condition.ArnLike["AWS:SourceArn"], "rule/"+a.rule()) {
			if _, err := a.aws(ctx, "lambda", "remove-permission", "--function-name", a.stack+"-ingest",
				"--statement-id", s.Sid); err != nil {
				return err
			}
		}
	}
	if err := a.sleep(ctx, 10*time.Second); err != nil {
		return err
	}
	return a.publish(ctx, a.topic("live-denied-rule"), a.reading("", 60))
}

// failed runs an action of "tidemark failed" on the queue of an output of the stack.
func (a *account) failed(ctx context.Context, action, source, output string,
	flags ...string) (string, error) {
	words := []string{"failed", action, "--source", source, "--queue", a.outputs[output]}
	return a.tidemark(ctx, append(words, flags...)...)
}

func onFailureTable(ctx context.Context, a *account) (string, error) {
	waiting := 0.0
	err := a.until(ctx, 5*time.Minute, func() (_ bool, err error) {
		waiting, err = a.number(ctx, "sqs", "get-queue-attributes", "--queue-url", a.outputs["OnFailureQueueUrl"],
			"--attribute-names", "ApproximateNumberOfMessages", "--query", "Attributes.ApproximateNumberOfMessages")
		return waiting > 0, err
	})
	if err != nil {
		return "", err
	}
	text, err := a.failed(ctx, "retry", "batches", "OnFailureQueueUrl", "--dry-run")
	if err == nil && !strings.Contains(text, "shard") {
		err = fmt.Errorf("tidemark failed retry finds no range: %.200s", text)
	}
	return fmt.Sprintf("%.0f messages, read by tidemark failed retry", waiting), err
}

func replayAll(ctx context.Context, a *account) (string, error) {
	if text, err := a.failed(ctx, "retry", "undelivered", "UndeliveredQueueUrl"); err != nil {
		return "", fmt.Errorf("%w: %.300s", err, text)
	}
	for _, source := range []string{"inbox", "invocation", "stream", "rule"} {
		if err := a.awaitEvents(ctx, "live-denied-"+source, 1); err != nil {
			return "", err
		}
	}
	if text, err := a.failed(ctx, "retry", "batches", "OnFailureQueueUrl"); err != nil {
		return "", fmt.Errorf("%w: %.300s", err, text)
	}
	return "4 readings, each once", nil
}

func encrypted(ctx context.Context, a *account) (string, error) {
	table, err := a.aws(ctx, "dynamodb", "describe-table", "--table-name", a.outputs["TableName"], "--query",
		"Table.SSEDescription.KMSMasterKeyArn")
	if err != nil {
		return "", err
	}
	key := table[strings.LastIndex(table, "/")+1:]
	for _, queue := range []string{"UndeliveredQueueUrl", "OnFailureQueueUrl", "InboxQueueUrl"} {
		used, err := a.aws(ctx, "sqs", "get-queue-attributes", "--queue-url", a.outputs[queue], "--attribute-names",
			"KmsMasterKeyId", "--query", "Attributes.KmsMasterKeyId")
		if err != nil {
			return "", err
		}
		if key == "" || key == "None" || !strings.HasSuffix(used, key) {
			return "", fmt.Errorf("the table has key %q, %s has %q", key, queue, used)
		}
	}
	return "one key for table and queues", nil
}
