package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/awsenv"
)

// localRegion is the region for servers that ignore it.
const localRegion = "us-east-1"

// NewClient returns a client for the service in region, or for the server at endpoint if
// that is set. An empty region means AWS_REGION. Create the client once, at cold start:
// it keeps connections open and is safe for concurrent use. Credentials come from the
// environment; see package awsenv. For a profile or a sign-in, create a client with the
// SDK's config package and pass it to New.
//
// An endpoint always gets fixed credentials: DynamoDB Local accepts any, and real ones
// must not be sent to it.
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
