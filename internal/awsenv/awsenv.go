// Package awsenv is how a function reaches AWS: region and credentials as Lambda puts
// them into the environment, and connections that are kept.
//
// Profiles, sign-ins and instance roles are looked up by the SDK's config package,
// which a function has no use for and which takes a large part of its cold start and
// of its binary. What runs at a terminal uses that package itself.
package awsenv

import (
	"context"
	"errors"
	"net/http"
	"os"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// idleConnections are kept for the next request: as many as a function has requests in
// flight, so that none opens its connection anew.
const idleConnections = 64

// Errors of Config and of the credentials in it.
var (
	ErrNoRegion      = errors.New("no region: set AWS_REGION")
	ErrNoCredentials = errors.New("no credentials in the environment: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, as Lambda does")
)

// Config is for a client in region, "" meaning AWS_REGION. Credentials are read when
// they are first needed, and live as long as the process: Lambda ends it before they
// do. The error is ErrNoRegion.
func Config(region string) (aws.Config, error) {
	if region == "" {
		region = os.Getenv("AWS_REGION")
	}
	if region == "" {
		return aws.Config{}, ErrNoRegion
	}
	return aws.Config{
		Region:      region,
		HTTPClient:  HTTPClient(),
		Credentials: aws.NewCredentialsCache(aws.CredentialsProviderFunc(credentials)),
	}, nil
}

// HTTPClient keeps connections.
func HTTPClient() aws.HTTPClient {
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) { t.MaxIdleConnsPerHost = idleConnections })
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
