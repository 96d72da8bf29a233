package stack

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/base/config"
	"github.com/tidemark-db/tidemark/internal/ops/repair/changeover"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// applyConfig applies the configuration to the table. Before that, the functions run by the
// configuration that the table has.
func applyConfig(ctx context.Context, endpoint, name string, settings *config.Config,
	now func() model.Time) error {
	client, err := dynamo.NewClient(ctx, Region, endpoint)
	if err != nil {
		return err
	}
	c := &changeover.Changer{
		Table: dynamo.New(client, name), Declare: settings.Catalog, Now: now,
		MaxAhead: settings.Limits.MaxAhead, QueueShards: settings.Queue.Shards,
	}
	if _, err = c.Apply(ctx); err == nil {
		_, err = c.ApplyQueue(ctx)
	}
	return err
}

// EnsureTable creates the table if it does not exist, and returns the ARN of its stream.
func EnsureTable(ctx context.Context, endpoint, name string) (string, error) {
	client, err := dynamo.NewClient(ctx, Region, endpoint)
	if err != nil {
		return "", err
	}
	if err := dynamo.New(client, name).Create(ctx); err != nil {
		return "", err
	}
	out, err := client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
	if err != nil {
		return "", fmt.Errorf("describe table %s: %w", name, err)
	}
	return aws.ToString(out.Table.LatestStreamArn), nil
}
