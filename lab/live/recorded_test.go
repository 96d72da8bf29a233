package live

import "slices"

// inQuarantine is the response for the count of the quarantined messages of a device or a source.
func inQuarantine(sender string, counts ...string) response {
	return one(`"QUARANTINE#`+sender+`"`, counts...)
}

const (
	key     = "arn:aws:kms:eu-west-1:111122223333:key/k1"
	permits = `{"Statement":[{"Sid":"other","Condition":{"ArnLike":{"AWS:SourceArn":"arn:rule/tidemark_check_OTHER"}}},` +
		`{"Sid":"readings","Condition":{"ArnLike":{"AWS:SourceArn":"arn:rule/tidemark_check_READING"}}}]}`

	// As CloudWatch returns the rules of composite alarms.
	alarms     = `ALARM("arn:aws:cloudwatch:eu-west-1:111122223333:alarm:tidemark-check-`
	composites = "tidemark-check-Stopped\t(" + alarms + `OnFailureDepth") OR ` + alarms + `MappingDropped"))` +
		"\ntidemark-check-Lost\t(" + alarms + `UndeliveredDepth"))`
	groups = "/aws/lambda/tidemark-check-ingest\t/aws/lambda/tidemark-check-query"
)

// recorded are responses with which a probe holds, and others with which it does not, or is not decided.
var recorded = map[string]struct {
	holds  []response
	fails  [][]response
	unseen []response
}{
	"filter-prefix": {
		holds:  []response{one("FilteredOutEventCount", "None", "20.0")},
		fails:  [][]response{{one("batch-write-item", "error denied")}, {one("FilteredOutEventCount", "error denied")}},
		unseen: []response{one("FilteredOutEventCount", "12.0")},
	},
	"iot-rule":     {holds: []response{stored("live-rule", "0", "1")}, fails: [][]response{{stored("live-rule", "0")}, {stored("live-rule", "2")}, {one("describe-endpoint", "error denied")}}},
	"iot-array":    {holds: []response{stored("live-array", "1")}, fails: [][]response{{stored("live-array", "3")}, {one("iot-data publish", "error denied")}}},
	"iot-batch":    {holds: []response{stored("live-batch", "3")}, fails: [][]response{{stored("live-batch", "1")}, {one("iot-data publish", "error denied")}}},
	"basic-ingest": {holds: []response{stored("live-basic", "1")}, fails: [][]response{{stored("live-basic", "0")}, {one("$aws/rules/tidemark_check_READING/tidemark-check/devices/live-basic/readings", "error denied")}}},
	"index-throttles": {
		holds: []response{one("GlobalSecondaryIndexName", "0", "300"), one("WriteThrottleEvents", "0")},
		fails: [][]response{{one("GlobalSecondaryIndexName", "300"), one("WriteThrottleEvents", "300")}, {one("create-table", "error denied")},
			{one("table-exists", "error denied")}, {one("batch-write-item", "error denied")}, {one("WriteThrottleEvents", "error denied")}},
		unseen: []response{one("WriteThrottleEvents", "None")},
	},
	"retain-except-on-create": {
		holds: []response{one("StackStatus", "CREATE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS", "ROLLBACK_COMPLETE"), one("list-stack-resources", "DELETE_COMPLETE")},
		fails: [][]response{{one("StackStatus", "ROLLBACK_COMPLETE"), one("list-stack-resources", "DELETE_SKIPPED")},
			{one("StackStatus", "ROLLBACK_FAILED"), one("list-stack-resources", "DELETE_FAILED")}, {one("create-stack", "error denied")}, {one("StackStatus", "error denied")}},
		unseen: []response{one("StackStatus", "CREATE_IN_PROGRESS")},
	},
	"partial-response": {
		holds: []response{stored("live-part-1", "0", "1"), stored("live-part-2", "1"), stored("live-denied-inbox", "0")},
		fails: [][]response{{stored("live-part-1", "2"), stored("live-denied-inbox", "0")}, {stored("live-part-1", "0")},
			{stored("live-part-1", "1"), stored("live-part-2", "1"), stored("live-denied-inbox", "1")}, {one("send-message-batch", "error denied")}},
	},
	"on-failure-inbox": {
		holds:  []response{one("failed list", "nothing failed\n", "- undelivered - m1 inbox\n")},
		fails:  [][]response{{one("failed list", "error denied")}},
		unseen: []response{one("failed list", "- undelivered - m1 invocation RetriesExhausted\n")},
	},
	"on-failure-invocation": {
		holds:  []response{one("failed list", "- undelivered - m1 inbox\n- undelivered - m2 invocation RetriesExhausted\n")},
		fails:  [][]response{{one("iot-data publish", "error denied")}},
		unseen: []response{one("failed list", "- undelivered - m1 inbox\n")},
	},
	"on-failure-stream": {
		holds:  []response{one("failed list", "- undelivered - m1 stream RetryAttemptsExhausted shardId-1\n")},
		fails:  [][]response{{one("put-record", "error denied")}},
		unseen: []response{one("failed list", "")},
	},
	"on-failure-rule": {
		holds:  []response{one("get-policy", permits), one("failed list", "- undelivered - m1 rule tidemark-check/devices/x/readings\n")},
		fails:  [][]response{{one("get-policy", "error denied")}, {one("get-policy", "no JSON")}, {one("get-policy", permits), one("remove-permission --function-name tidemark-check-ingest --statement-id readings", "error denied")}},
		unseen: []response{one("get-policy", permits), one("failed list", "")},
	},
	"on-failure-table": {
		holds:  []response{one("ApproximateNumberOfMessages", "0", "2"), one("--dry-run", "message m: 3 changes to process of shard s from 1 to 3\n")},
		fails:  [][]response{{one("ApproximateNumberOfMessages", "2"), one("failed retry", "message m: not processed\n")}, {one("ApproximateNumberOfMessages", "2"), one("failed retry", "error denied")}, {one("get-queue-attributes", "error denied")}},
		unseen: []response{one("ApproximateNumberOfMessages", "0")},
	},
	"replay": {
		holds: []response{stored("live-denied-inbox", "1"), stored("live-denied-invocation", "1"), stored("live-denied-stream", "1"), stored("live-denied-rule", "1")},
		fails: [][]response{{stored("live-denied-inbox", "2")}, {one("failed retry --source undelivered", "error denied")},
			{one(`"DEVICE#live-denied`, "1"), one("failed retry --source batches", "error denied")}},
	},
	"kms": {
		holds: []response{one("describe-table", key), one("KmsMasterKeyId", key)},
		fails: [][]response{{one("describe-table", "None"), one("KmsMasterKeyId", "None")}, {one("describe-table", key), one("KmsMasterKeyId", "alias/aws/sqs")},
			{one("describe-table", "error denied")}, {one("describe-table", key), one("KmsMasterKeyId", "error denied")}},
	},
	"forged-mark": {holds: marksReplaced, fails: unless(marksReplaced, [][]response{
		// The field of the message is the mark.
		{inQuarantine("DEVICE#live-forger", "0"), stored("live-victim", "1")},
		{inQuarantine("DEVICE#live-forger", "0", "2"), stored("live-victim", "1")},
		{inQuarantine("DEVICE#live-forger", "0", "2"), stored("live-forger", "1")},
		{inQuarantine("DEVICE#live-forger", "0", "1")}, {inQuarantine("DEVICE#live-forger", "2")},
		{one("publish", "error denied")}, {one("QUARANTINE", "error denied")},
		{inQuarantine("DEVICE#live-forger", "0", "error denied")}, {stored("live-forger", "error denied")},
	})},
	"batched": {holds: batches, fails: unless(batches, [][]response{
		{stored("live-batched", "9")}, {stored("live-batched", "11")}, {one("publish", "error denied")},
		{one("get-topic-rule", "True\tTrue")}, {one("get-topic-rule", "False\tNone")},
		{one("get-topic-rule", "error denied")}, {one("topic-rule-destinations", "IN_PROGRESS")},
		{one("topic-rule-destinations", "DISABLED")}, {one("topic-rule-destinations", "")},
		{one("topic-rule-destinations", "error denied")}, {one("describe-stacks", "")},
	})},
	"forged-request": {holds: unsigned, fails: unless(unsigned, [][]response{
		{one("POST /things/rules/messages", "404")}, // the function refuses it, not API Gateway
		{one("POST /things/rules/messages", "200")}, {one("POST", "403")}, {one("POST", "error no route")},
		{stored("live-victim", "1")}, {stored("live-victim", "error denied")},
		{one("describe-stacks", "error denied")},
	})},
	"canary-split": {
		holds: shifting,
		fails: unless(shifting, [][]response{
			// At once.
			{one("StackStatus", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"), one("get-alias", "7", "8")},
			{one("StackStatus", "UPDATE_ROLLBACK_IN_PROGRESS")}, {one("StackStatus", "error denied")},
			{one("StackStatus", "error the stack does not exist")}, {one("get-alias", "7\t8\t0.5")},
			{one("get-alias", "7\t7\t0.1")}, {one("get-alias", "error denied")},
		}),
		unseen: unless(shifting, [][]response{{one("get-alias", "7")}})[0],
	},
	"canary": {
		holds: shifted,
		fails: unless(shifted, [][]response{
			{one("get-alias", "7")}, {one("get-alias", "7\t8\t0.1")}, {one("get-alias", "error denied")},
			{one("StackStatus", "UPDATE_ROLLBACK_COMPLETE")}, {one("describe-stacks", "UPDATE_COMPLETE")},
			{one("tidemark smoke", "error 2 buckets are wrong")},
		}),
		unseen: unless(shifted, [][]response{{one("StackStatus", "UPDATE_IN_PROGRESS")}})[0],
	},
	"alarm-heard": {holds: notified, fails: unless(notified, [][]response{
		{one("receive-message", "None"), one("describe-alarm-history", "Failed to execute action")},
		{one("receive-message", `{"AlarmName":"tidemark-check-Lost"}`)},
		{one("receive-message", `{"AlarmName":"tidemark-check-OnFailureDepth"}`)},
		{one("receive-message", "error denied")}, {one("describe-alarms", "")},
		{one("describe-alarms", "error denied")}, {one("set-alarm-state", "error denied")},
		{one("describe-stack-resource", "error AlarmTopic does not exist")}, {one("subscribe", "error denied")},
		{one("create-queue", "error denied")}, {one("set-queue-attributes", "error denied")},
		{one("get-queue-attributes", "error denied")},
	})},
	"log-groups": {holds: logging, fails: unless(logging, [][]response{
		{one("describe-log-groups", group("ingest", "1")+group("query", "None"))},
		{one("describe-log-groups", group("ingest", "1")+group("query", "1")+group("other", "1"))},
		{one("describe-log-groups", group("ingest", "1"))}, {one("describe-log-streams", "0")},
		{one("list-functions", "")}, {one("list-stack-resources", "error denied")},
		{one("describe-log-groups", "error denied")}, {one("list-functions", "error denied")},
		{one("describe-log-streams", "error denied")},
	})},
}

// Responses with which the probes of the two stages hold.
var (
	marksReplaced = []response{inQuarantine("DEVICE#live-forger", "0", "0", "2"), inQuarantine("iot", "1")}
	batches       = []response{
		one("describe-stacks", outputs), one("topic-rule-destinations", "IN_PROGRESS", "ENABLED"),
		one("get-topic-rule --rule-name tidemark_checkb_READING", "False\tTrue"),
		stored("live-batched", "3", "10"),
	}
	unsigned = []response{one("describe-stacks", outputs), one("POST /things/rules/messages", "403"),
		one("POST /things/rules", "400")}
	shifting = []response{one("StackStatus", "UPDATE_IN_PROGRESS"), one("get-alias", "7", "7", "7\t8\t0.1")}
	shifted  = []response{
		one("StackStatus", "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS"),
		one("get-alias", "8"), one("describe-stacks", outputs),
	}
	notified = []response{
		one("describe-alarms", composites),
		one("set-alarm-state --alarm-name tidemark-check-OnFailureDepth", ""),
		one("set-alarm-state", "error another alarm"),
		one("receive-message", "None", `{"AlarmName":"tidemark-check-Stopped"}`),
	}
	logging = []response{
		one("list-stack-resources", groups),
		one("describe-log-groups", group("ingest", "1")+group("query", "1")),
		one("list-functions", groups), one("describe-log-streams", "1"),
	}
)

// unless returns responses that are right but for one or two, case by case.
func unless(right []response, wrong [][]response) (all [][]response) {
	for _, responses := range wrong {
		all = append(all, slices.Concat(responses, right))
	}
	return all
}

// group is a line of a function's log group.
func group(function, days string) string {
	return "/aws/lambda/tidemark-check-" + function + "\t" + days + "\n"
}
