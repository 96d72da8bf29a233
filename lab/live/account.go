package live

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"golang.org/x/sync/errgroup"

	"github.com/tidemark-db/tidemark/internal/api/awsenv"
	"github.com/tidemark-db/tidemark/internal/store/retry"
)

// account is the AWS account under check, with the stack of the stage once it is deployed. Its requests
// go through the AWS command line, so that a report says what anybody can repeat.
type account struct {
	stage, stack string
	checkout     string            // a clone of the repository, with the configuration of the stage
	files        string            // folder of payloads
	outputs      map[string]string // of the stack
	table        string            // made for the probes of tables
	data         string            // file of the readings of the oracle
	expected     string            // file of their buckets
	Shifted      string            // the version that the update of the second stage brings; in the journal

	db      *dynamodb.Client
	streams *dynamodbstreams.Client
	http    *http.Client // its requests are not signed
	config  aws.Config
	command func(ctx context.Context, dir string, words ...string) (output string, err error)
	now     func() time.Time
	sleep   func(context.Context, time.Duration) error
}

var stageName = regexp.MustCompile(`^[a-z][a-z0-9]{1,15}$`)

func newAccount(ctx context.Context, stage string) (*account, error) {
	if !stageName.MatchString(stage) {
		return nil, fmt.Errorf("stage %q: want a new name of small letters and digits, such as STAGE=check1", stage)
	}
	region, err := execute(ctx, ".", "aws", "configure", "get", "region")
	if given := os.Getenv("AWS_REGION"); given != "" {
		region, err = given, nil
	}
	if err != nil {
		return nil, fmt.Errorf("set AWS_REGION, and AWS_PROFILE or the variables of credentials: %w", err)
	}
	config, err := awsenv.Config(strings.TrimSpace(region))
	if err != nil {
		return nil, err
	}
	return &account{
		stage: stage, stack: "tidemark-" + stage, table: "tidemark-" + stage + "-probes",
		outputs: map[string]string{}, data: "test/data/loggers.csv.gz", expected: "test/data/loggers.oracle.csv.gz",
		db: dynamodb.NewFromConfig(config), streams: dynamodbstreams.NewFromConfig(config),
		http: http.DefaultClient, config: config, command: execute, now: time.Now, sleep: retry.Sleep,
	}, nil
}

// execute runs a program and returns what it prints. The error has what it prints as an error.
func execute(ctx context.Context, dir string, words ...string) (string, error) {
	c := exec.CommandContext(ctx, words[0], words[1:]...)
	c.Dir, c.WaitDelay = dir, 10*time.Second // for what the program has started
	var failure bytes.Buffer
	c.Stderr = &failure
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("%.300s: %w: %.2000s", strings.Join(words, " "), err, strings.TrimSpace(failure.String()))
	}
	return string(out), err
}

// aws runs the AWS command line and returns its text.
func (a *account) aws(ctx context.Context, words ...string) (string, error) {
	out, err := a.command(ctx, ".", append(append([]string{"aws"}, words...), "--output", "text")...)
	return strings.TrimSpace(out), err
}

// number runs the AWS command line for a number; None is 0.
func (a *account) number(ctx context.Context, words ...string) (float64, error) {
	text, err := a.aws(ctx, words...)
	if err != nil || text == "None" || text == "" {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}

// tidemark runs the command line on the stack. That a check has found something is no error.
func (a *account) tidemark(ctx context.Context, words ...string) (string, error) {
	words = append([]string{"bin/tidemark"}, words...)
	words = append(words, "--table", a.outputs["TableName"], "--url", a.outputs["ApiUrl"])
	out, err := a.command(ctx, a.checkout, words...)
	var status *exec.ExitError
	if errors.As(err, &status) && status.ExitCode() == 1 {
		err = nil
	}
	return out, err
}

// file writes a payload and returns its address in the form of the AWS command line.
func (a *account) file(name, text string) (string, error) {
	path, err := filepath.Abs(filepath.Join(a.files, name))
	if err != nil {
		return "", err
	}
	return "fileb://" + path, os.WriteFile(path, []byte(text), 0o600)
}

// readOutputs reads the outputs of the stack.
func (a *account) readOutputs(ctx context.Context) error {
	text, err := a.aws(ctx, "cloudformation", "describe-stacks", "--stack-name", a.stack, "--query",
		"Stacks[0].Outputs[].[OutputKey,OutputValue]")
	for line := range strings.Lines(text) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			a.outputs[key] = value
		}
	}
	if err == nil && (a.outputs["TableName"] == "" || a.outputs["ApiUrl"] == "") {
		return fmt.Errorf("stack %s has no outputs TableName and ApiUrl", a.stack)
	}
	return err
}

const pause = 5 * time.Second

// until repeats look until it is true, at most for a time. The error at its end wraps errNotSeen.
func (a *account) until(ctx context.Context, within time.Duration, look func() (bool, error)) error {
	for end := a.now().Add(within); ; {
		done, err := look()
		if err != nil || done {
			return err
		}
		if !a.now().Before(end) {
			return fmt.Errorf("%w: %s", errNotSeen, within)
		}
		if err := a.sleep(ctx, pause); err != nil {
			return err
		}
	}
}

// events returns how many events of a device the table has.
func (a *account) events(ctx context.Context, device string) (int, error) {
	return a.count(ctx, "pk = :p AND begins_with(sk, :s)",
		fmt.Sprintf(`{":p":{"S":"DEVICE#%s"},":s":{"S":"EVENT#"}}`, device))
}

// count returns how many items of the table have keys with a condition.
func (a *account) count(ctx context.Context, condition, values string) (int, error) {
	n, err := a.number(ctx, "dynamodb", "query", "--table-name", a.outputs["TableName"], "--consistent-read",
		"--select", "COUNT", "--key-condition-expression", condition, "--expression-attribute-values", values,
		"--query", "Count")
	return int(n), err
}

// awaitEvents waits until a device has a number of events.
func (a *account) awaitEvents(ctx context.Context, device string, want int) error {
	n := 0
	err := a.until(ctx, 2*time.Minute, func() (_ bool, err error) {
		n, err = a.events(ctx, device)
		return n >= want, err
	})
	if err == nil && n > want || errors.Is(err, errNotSeen) {
		return fmt.Errorf("%d events of %s, want %d", n, device, want)
	}
	return err
}

// reading is an observation of the stack's kind READING, seconds before now.
func (a *account) reading(device string, secondsAgo int) string {
	owner := ""
	if device != "" {
		owner = fmt.Sprintf(`"deviceId":%q,`, device)
	}
	return fmt.Sprintf(`{%s"timestamp":%q,"value":1}`, owner,
		a.now().Add(-time.Duration(secondsAgo)*time.Second).UTC().Format(time.RFC3339))
}

// publish publishes a message to AWS IoT.
func (a *account) publish(ctx context.Context, topic, payload string) error {
	return a.publishAll(ctx, topic, payload)
}

// publishAll publishes messages to one topic of AWS IoT at the same time.
func (a *account) publishAll(ctx context.Context, topic string, payloads ...string) error {
	endpoint, err := a.aws(ctx, "iot", "describe-endpoint", "--endpoint-type", "iot:Data-ATS", "--query",
		"endpointAddress")
	if err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	for i, payload := range payloads {
		path, err := a.file(fmt.Sprint("message", i), payload)
		if err != nil {
			return errors.Join(err, group.Wait())
		}
		group.Go(func() error {
			_, err := a.aws(ctx, "iot-data", "publish", "--endpoint-url", "https://"+endpoint, "--topic", topic,
				"--qos", "1", "--payload", path)
			return err
		})
	}
	return group.Wait()
}

// sum returns the sum of a metric since a time.
func (a *account) sum(ctx context.Context, namespace, metric string, since time.Time,
	dimensions ...string) (float64, error) {
	words := []string{"cloudwatch", "get-metric-statistics", "--namespace", namespace, "--metric-name", metric,
		"--start-time", since.UTC().Format(time.RFC3339), "--end-time",
		a.now().Add(time.Minute).UTC().Format(time.RFC3339),
		"--period", "60", "--statistics", "Sum", "--query", "sum(Datapoints[].Sum)", "--dimensions"}
	return a.number(ctx, append(words, dimensions...)...)
}
