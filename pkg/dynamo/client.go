package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// localRegion names a region to servers that do not care.
const localRegion = "us-east-1"

// NewClient is a client for the service in region, or for another server where
// endpoint is set. "" as region means what the environment says. Build it once, at
// cold start: it keeps connections and may be used concurrently.
//
// For an endpoint nothing is looked up: DynamoDB Local takes any credentials, and
// real ones must not be sent to it.
func NewClient(ctx context.Context, region, endpoint string) (*dynamodb.Client, error) {
	if endpoint != "" {
		return localClient(region, endpoint), nil
	}
	var options []func(*config.LoadOptions) error
	if region != "" {
		options = append(options, config.WithRegion(region))
	}
	c, err := config.LoadDefaultConfig(ctx, options...)
	if err != nil {
		return nil, fmt.Errorf("configure the DynamoDB client: %w", err)
	}
	if c.Region == "" {
		return nil, fmt.Errorf("configure the DynamoDB client: no region: set AWS_REGION, or an endpoint for a server on this machine")
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
		Credentials:  aws.CredentialsProviderFunc(localCredentials),
	})
}

func localCredentials(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local", Source: "DynamoDB Local"}, nil
}
