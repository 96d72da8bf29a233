package main

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// newClient is a client as people at a terminal expect it: with their profile, sign-in
// or role, wherever the SDK finds one. For an endpoint nothing is looked up.
func newClient(ctx context.Context, region, endpoint string) (*dynamodb.Client, error) {
	if endpoint != "" {
		return dynamo.NewClient(ctx, region, endpoint)
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
