package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// newClient returns a DynamoDB client with the user's own AWS profile, sign-in or role.
// With an endpoint, which means a server on this machine, it looks for none of them.
func newClient(ctx context.Context, region, endpoint string) (*dynamodb.Client, error) {
	if endpoint != "" {
		return dynamo.NewClient(ctx, region, endpoint)
	}
	c, err := awsConfig(ctx, &connection{region: region})
	if err != nil {
		return nil, err
	}
	if c.Region == "" {
		return nil, fmt.Errorf("no AWS region is configured: set AWS_REGION, or pass --region")
	}
	return dynamodb.NewFromConfig(c), nil
}

// awsConfig returns the settings for AWS clients. With an endpoint, which means a server
// on this machine, the credentials are made up, so that real ones are never sent there.
func awsConfig(ctx context.Context, to *connection) (aws.Config, error) {
	if to.endpoint != "" {
		return aws.Config{
			Region: cmp.Or(to.region, local.Region),
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
			}),
		}, nil
	}
	read, err := config.LoadDefaultConfig(ctx, func(o *config.LoadOptions) error {
		o.Region = to.region
		return nil
	})
	if err != nil {
		return aws.Config{}, usagef("load the AWS configuration: %w", err)
	}
	return read, nil
}
