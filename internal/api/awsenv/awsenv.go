// Package awsenv configures AWS clients for Lambda functions: region and credentials from the environment,
// and connections that are reused.
//
// The SDK's config package also finds profiles, SSO sessions and instance roles. A function does not need
// them, and they take a large part of its cold start and its binary. The command line uses the SDK's package.
package awsenv

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// idleConnections is the number of idle connections to keep: as many as a function has
// concurrent requests, so that connections are reused.
const idleConnections = 64

// Errors of Config and of its credentials.
var (
	ErrNoRegion      = errors.New("no region: set AWS_REGION")
	ErrNoCredentials = errors.New(
		"no credentials in the environment: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as Lambda does")
)

// Config returns the configuration of a client in region; "" means AWS_REGION. Credentials are read when they
// are first needed and never refreshed: Lambda ends the process before they expire. The error is ErrNoRegion.
func Config(region string) (aws.Config, error) {
	region = cmp.Or(region, os.Getenv("AWS_REGION"))
	if region == "" {
		return aws.Config{}, ErrNoRegion
	}
	return aws.Config{
		Region:      region,
		HTTPClient:  HTTPClient(),
		Credentials: aws.NewCredentialsCache(aws.CredentialsProviderFunc(credentials)),
	}, nil
}

// HTTPClient returns an HTTP client that reuses connections.
func HTTPClient() aws.HTTPClient {
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.MaxIdleConnsPerHost = idleConnections
	})
}

func credentials(context.Context) (aws.Credentials, error) {
	c := aws.Credentials{
		AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
		SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken:    os.Getenv("AWS_SESSION_TOKEN"),
		Source:          "environment",
	}
	if !c.HasKeys() {
		return aws.Credentials{}, ErrNoCredentials
	}
	return c, nil
}
