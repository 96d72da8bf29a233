package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/awsenv"
)

// localRegion names a region to servers that do not care.
const localRegion = "us-east-1"

// NewClient is a client for the service in region, or for another server where
// endpoint is set. "" as region means AWS_REGION. Build it once, at cold start: it
// keeps connections and may be used concurrently. Credentials are those of the
// environment (see awsenv); who wants a profile or a sign-in builds a client with the
// SDK's config package and gives it to New.
//
// For an endpoint nothing is looked up: DynamoDB Local takes any credentials, and
// real ones must not be sent to it.
func NewClient(_ context.Context, region, endpoint string) (*dynamodb.Client, error) {
	if endpoint != "" {
		return localClient(region, endpoint), nil
	}
	c, err := awsenv.Config(region)
	if err != nil {
		return nil, fmt.Errorf("configure the DynamoDB client: %w, or an endpoint for a server on this machine", err)
	}
	return dynamodb.NewFromConfig(c), nil
}

func localClient(region, endpoint string) *dynamodb.Client {
	if region == "" {
		region = localRegion
	}
	return dynamodb.New(dynamodb.Options{
		Region:       region,
		BaseEndpoint: &endpoint,
		HTTPClient:   awsenv.HTTPClient(),
		Credentials:  aws.CredentialsProviderFunc(localCredentials),
	})
}

func localCredentials(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local", Source: "DynamoDB Local"}, nil
}
