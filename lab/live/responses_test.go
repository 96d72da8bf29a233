package live

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
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

// cloud responds to the commands and the requests of an account. Its clock moves only while the account
// sleeps.
type cloud struct {
	responses []response
	mu        sync.Mutex // guards the fields below
	ran       []string
	asked     map[string]int
	at        time.Time
}

// RoundTrip responds to a request as to a command: with the status that it prints, which is 200 by default.
func (c *cloud) RoundTrip(r *http.Request) (*http.Response, error) {
	text, err := c.command(r.Context(), "", r.Method, r.URL.Path)
	if err != nil {
		return nil, err
	}
	status, err := strconv.Atoi(cmp.Or(text, "200"))
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(text))}, err
}

func (c *cloud) command(_ context.Context, _ string, words ...string) (string, error) {
	line := strings.Join(words, " ")
	c.mu.Lock()
	defer c.mu.Unlock()
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
		Shifted: "8", http: &http.Client{Transport: c}, command: c.command, now: c.now, sleep: c.sleep,
	}, c
}

func one(part string, outputs ...string) response { return response{part, outputs} }

// stored is the response for the count of the events of a device.
func stored(device string, counts ...string) response { return one(`"DEVICE#`+device+`"`, counts...) }

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
