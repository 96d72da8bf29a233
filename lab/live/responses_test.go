package live

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// response is what the command line prints for the commands that contain a text. The last of several
// outputs is repeated; one that begins with "error" fails.
type response struct {
	part    string
	outputs []string
}

// cloud responds to the commands of an account. Its clock moves only while the account sleeps.
type cloud struct {
	responses []response
	ran       []string
	asked     map[string]int
	mu        sync.Mutex
	at        time.Time // guarded by mu
}

func (c *cloud) command(_ context.Context, _ string, words ...string) (string, error) {
	line := strings.Join(words, " ")
	c.ran = append(c.ran, line)
	for _, a := range c.responses {
		if !strings.Contains(line, a.part) {
			continue
		}
		output := a.outputs[min(c.asked[a.part], len(a.outputs)-1)]
		c.asked[a.part]++
		if text, failed := strings.CutPrefix(output, "error "); failed {
			return "", errors.New(text)
		}
		return output, nil
	}
	return "", nil
}

func (c *cloud) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *cloud) sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
	return ctx.Err()
}

// fakeStack returns an account with a stack that responds so.
func fakeStack(t *testing.T, responses ...response) (*account, *cloud) {
	c := &cloud{responses: responses, asked: map[string]int{}, at: time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)}
	return &account{
		stage: "check", stack: "tidemark-check", table: "tidemark-check-probes", files: t.TempDir(), checkout: t.TempDir(),
		outputs: map[string]string{"TableName": "T", "ApiUrl": "http://127.0.0.1:1", "Topic": "tidemark-check", "MappingId": "m",
			"UndeliveredQueueUrl": "https://sqs/undelivered", "OnFailureQueueUrl": "https://sqs/onfailure", "InboxQueueUrl": "https://sqs/inbox"},
		http: http.DefaultClient, command: c.command, now: c.now, sleep: c.sleep,
	}, c
}

func one(part string, outputs ...string) response { return response{part, outputs} }

// stored is the response for the count of the events of a device.
func stored(device string, counts ...string) response { return one(`"DEVICE#`+device+`"`, counts...) }

const (
	key     = "arn:aws:kms:eu-west-1:111122223333:key/k1"
	permits = `{"Statement":[{"Sid":"other","Condition":{"ArnLike":{"AWS:SourceArn":"arn:rule/tidemark_check_OTHER"}}},` +
		`{"Sid":"readings","Condition":{"ArnLike":{"AWS:SourceArn":"arn:rule/tidemark_check_READING"}}}]}`
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
	"partial-answer": {
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
}

func TestResponses_EachProbeTellsRightFromWrong(t *testing.T) {
	for _, p := range allProbes() {
		given, known := recorded[p.name]
		if known != (p.suites == onResponses) {
			t.Errorf("%s: on %s, and responses recorded: %v", p.name, p.suites, known)
		}
		if !known {
			continue
		}
		a, c := fakeStack(t, given.holds...)
		if evidence, err := p.run(t.Context(), a); err != nil || evidence == "" {
			t.Errorf("%s: %q, %v after %q", p.name, evidence, err, c.ran)
		}
		for _, responses := range given.fails {
			a, _ := fakeStack(t, responses...)
			if evidence, err := p.run(t.Context(), a); err == nil || errors.Is(err, errNotSeen) {
				t.Errorf("%s with %v: %q, %v; want an error", p.name, responses, evidence, err)
			}
		}
		if given.unseen == nil {
			continue
		}
		a, _ = fakeStack(t, given.unseen...)
		if evidence, err := p.run(t.Context(), a); !errors.Is(err, errNotSeen) {
			t.Errorf("%s with %v: %q, %v; want %v", p.name, given.unseen, evidence, err, errNotSeen)
		}
	}
}

// What refuse changes, accept changes back, or the removal of the stack does.
func TestRefuse_IsUndone(t *testing.T) {
	a, c := fakeStack(t, one("--query Role", "arn:aws:iam::111122223333:role/r1",
		"arn:aws:iam::111122223333:role/r2"), one("event-source-mappings", "uuid-1"), one("QueueArn", "arn:dead"))
	if err := refuse(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"put-role-policy --role-name r1", "put-role-policy --role-name r2",
		"update-event-source-mapping --uuid uuid-1 --maximum-retry-attempts 1",
		"update-function-event-invoke-config --function-name tidemark-check-ingest --maximum-retry-attempts 0", `\"maxReceiveCount\":1`} {
		if !slices.ContainsFunc(c.ran, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("refuse ran %q, want %s", c.ran, want)
		}
	}
	for _, delete := range []string{"", "error NoSuchEntity: there is no such policy"} {
		role := one("--query Role", "arn:aws:iam::111122223333:role/r1")
		a, c := fakeStack(t, role, one("delete-role-policy", delete))
		if err := accept(t.Context(), a); err != nil || len(c.ran) != 4 {
			t.Errorf("accept ran %q, %v", c.ran, err)
		}
	}
	for _, part := range []string{"--query Role", "put-role-policy", "update-function-event-invoke-config",
		"list-event-source-mappings", "update-event-source-mapping", "get-queue-attributes", "set-queue-attributes"} {
		if a, _ := fakeStack(t, one(part, "error denied")); refuse(t.Context(), a) == nil {
			t.Errorf("refuse hides a failure of %s", part)
		}
	}
	for _, part := range []string{"--query Role", "delete-role-policy"} {
		if a, _ := fakeStack(t, one(part, "error denied")); accept(t.Context(), a) == nil {
			t.Errorf("accept hides a failure of %s", part)
		}
	}
}

func TestEndPlatform_DeletesWhatItsProbesMade(t *testing.T) {
	for _, output := range []string{"", "error ResourceNotFoundException"} {
		if a, c := fakeStack(t, one("delete-table", output)); endPlatform(t.Context(), a) != nil ||
			len(c.ran) != 2 {
			t.Errorf("after %q it ran %q", output, c.ran)
		}
	}
	for _, part := range []string{"delete-table", "delete-stack"} {
		if a, _ := fakeStack(t, one(part, "error denied")); endPlatform(t.Context(), a) == nil {
			t.Errorf("it hides a failure of %s", part)
		}
	}
}

func TestOutputs_AreReadFromTheStack(t *testing.T) {
	a, _ := fakeStack(t, one("describe-stacks", "TableName\tT2\nApiUrl\thttps://x\n"))
	if err := a.readOutputs(t.Context()); err != nil || a.outputs["TableName"] != "T2" ||
		a.outputs["ApiUrl"] != "https://x" {
		t.Errorf("%v, %v", a.outputs, err)
	}
	for _, text := range []string{"", "error denied"} {
		a, _ := fakeStack(t, one("describe-stacks", text))
		clear(a.outputs)
		if a.readOutputs(t.Context()) == nil {
			t.Errorf("%q: want an error", text)
		}
	}
}

func TestAccount_IsOfAStageWithAName(t *testing.T) {
	for _, name := range []string{"", "Prod", "a b", "1a", strings.Repeat("a", 40)} {
		if _, err := newAccount(t.Context(), name); err == nil {
			t.Errorf("stage %q: want an error", name)
		}
	}
	t.Setenv("AWS_REGION", "eu-west-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "x")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "x")
	if a, err := newAccount(t.Context(), "check1"); err != nil ||
		fmt.Sprint(a.stack, a.table) != "tidemark-check1tidemark-check1-probes" {
		t.Errorf("%+v, %v", a, err)
	}
}
