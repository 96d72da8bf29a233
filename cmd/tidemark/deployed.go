package main

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/service/cloudformation"
	"github.com/aws/aws-sdk-go-v2/service/lambda"

	"github.com/tidemark-db/tidemark/internal/config"
)

// The outputs of a stack, as infra names them.
const (
	outputTable = "TableName"
	outputURL   = "ApiUrl"
)

// deployedTo points the connection at a stack in AWS, whatever runs on this machine.
func (c *connection) deployedTo(ctx context.Context, stack string) error {
	read, err := awsConfig(ctx, &connection{region: c.region})
	if err != nil {
		return err
	}
	told, err := cloudformation.NewFromConfig(read).DescribeStacks(ctx, &cloudformation.DescribeStacksInput{StackName: &stack})
	if err != nil {
		return fmt.Errorf("read the outputs of stack %s: %w", stack, err)
	}
	c.endpoint, c.table, c.url = "", "", ""
	for _, s := range told.Stacks {
		for _, o := range s.Outputs {
			switch *o.OutputKey {
			case outputTable:
				c.table = *o.OutputValue
			case outputURL:
				c.url = *o.OutputValue
			}
		}
	}
	if c.table == "" || c.url == "" {
		return fmt.Errorf("stack %s names no %s and %s among its outputs: is it one of Tidemark, and is it up?", stack, outputTable, outputURL)
	}
	return nil
}

// maxZip bounds what is downloaded of a function, in bytes.
const maxZip = 64 << 20

// deployedFile is the tidemark.yaml that the stack's functions run by, out of the very
// zip that they were started from.
func deployedFile(ctx context.Context, to *connection, stack string) ([]byte, error) {
	read, err := awsConfig(ctx, &connection{region: to.region})
	if err != nil {
		return nil, err
	}
	function := stack + "-ingest"
	told, err := lambda.NewFromConfig(read).GetFunction(ctx, &lambda.GetFunctionInput{FunctionName: &function})
	if err != nil {
		return nil, fmt.Errorf("find function %s: %w", function, err)
	}
	if told.Code == nil || told.Code.Location == nil {
		return nil, fmt.Errorf("function %s: AWS does not say where its code lies", function)
	}
	code, err := download(ctx, *told.Code.Location)
	if err != nil {
		return nil, fmt.Errorf("download the code of %s: %w", function, err)
	}
	return fileOfZip(code, config.FileName)
}

// download never names the address in an error: it is signed, and lets anybody in.
func download(ctx context.Context, address string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("its address cannot be read")
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
		return nil, fmt.Errorf("the deployed code has no %s, so it runs by the defaults of its version: %w", name, err)
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxZip))
}
