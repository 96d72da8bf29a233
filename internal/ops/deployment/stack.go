// Package deployment finds a stack that is deployed in AWS: its table and URL, the
// configuration that its functions run with, and an HTTP client that its API accepts.
package deployment

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/tidemark-db/tidemark/internal/base/configfile"
)

// The outputs of a stack, as module infra names them.
const (
	outputTable       = "TableName"
	outputURL         = "ApiUrl"
	outputSecret      = "LinkSecretArn"
	outputOnFailure   = "OnFailureQueueUrl"
	outputUndelivered = "UndeliveredQueueUrl"
	outputInbox       = "InboxQueueUrl"
	outputMapping     = "MappingId"
	outputMonitoring  = "Monitoring"
)

// Stack is what a deployed stack consists of.
type Stack struct {
	Table string // its name
	URL   string // of the HTTP API
	// LinkSecret is the ARN of the secret that signs shared links; "" if the stage has none.
	LinkSecret string
	// URLs of its queues; InboxQueue is "" if the stage has none.
	OnFailureQueue, UndeliveredQueue, InboxQueue string
	// Mapping is the id of the event source mapping from the table stream to aggregate.
	Mapping string
	// Monitoring is how much of CloudWatch the stage pays for: full or lean.
	Monitoring string
}

// output returns the field of an output; nil for an output that no command needs.
func (s *Stack) output(name string) *string {
	return map[string]*string{
		outputTable: &s.Table, outputURL: &s.URL, outputSecret: &s.LinkSecret, outputMapping: &s.Mapping,
		outputOnFailure: &s.OnFailureQueue, outputUndelivered: &s.UndeliveredQueue, outputInbox: &s.InboxQueue,
		outputMonitoring: &s.Monitoring,
	}[name]
}

// ErrNoStack reports that there is no stack of that name.
var ErrNoStack = errors.New("the stack does not exist")

// Find reads the outputs of a stack. The error wraps ErrNoStack if there is none.
func Find(ctx context.Context, cfg aws.Config, stack string) (Stack, error) {
	described, err := cloudformation.NewFromConfig(cfg).DescribeStacks(ctx,
		&cloudformation.DescribeStacksInput{StackName: &stack})
	if err != nil && strings.Contains(err.Error(), "does not exist") {
		err = fmt.Errorf("%w: %w", ErrNoStack, err)
	}
	if err != nil {
		return Stack{}, fmt.Errorf("read the outputs of stack %s: %w", stack, err)
	}
	var found Stack
	for _, s := range described.Stacks {
		for _, o := range s.Outputs {
			if field := found.output(*o.OutputKey); field != nil {
				*field = *o.OutputValue
			}
		}
	}
	if found.Table == "" || found.URL == "" {
		return Stack{}, fmt.Errorf(
			"stack %s has no outputs %s and %s: check that it is a Tidemark stack and that its deployment is complete",
			stack, outputTable, outputURL)
	}
	return found, nil
}

// maxZip bounds the download of a function's code, in bytes.
const maxZip = 64 << 20

// ConfigFile returns the tidemark.yaml that the functions of a stack run with, from the
// code that is deployed.
func ConfigFile(ctx context.Context, cfg aws.Config, stack string) ([]byte, error) {
	function := stack + "-ingest"
	described, err := lambda.NewFromConfig(cfg).GetFunction(ctx,
		&lambda.GetFunctionInput{FunctionName: &function})
	if err != nil {
		return nil, fmt.Errorf("find function %s: %w", function, err)
	}
	if described.Code == nil || described.Code.Location == nil {
		return nil, fmt.Errorf("find the code of function %s: AWS returned no location", function)
	}
	code, err := download(ctx, *described.Code.Location)
	if err != nil {
		return nil, fmt.Errorf("download the code of function %s: %w", function, err)
	}
	return fileOfZip(code, configfile.FileName)
}

// download reads a presigned address. The address grants access, so that no error contains it.
func download(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("the address is not valid")
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, errors.New(resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxZip))
}

func fileOfZip(code []byte, name string) ([]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(code), int64(len(code)))
	if err != nil {
		return nil, fmt.Errorf("open the deployed code: %w", err)
	}
	file, err := archive.Open(name)
	if err != nil {
		return nil, fmt.Errorf("the deployed code has no %s, so it runs with the defaults of its version: %w", name,
			err)
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxZip))
}
