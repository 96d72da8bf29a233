package local

import (
	"context"
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/internal/config"
	"github.com/tidemark-db/tidemark/internal/repair/changeover"
	"github.com/tidemark-db/tidemark/pkg/dynamo"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// applyConfig makes the configuration that of the table. Until it is, the functions would run
// by the table's own.
func applyConfig(ctx context.Context, endpoint, name string, settings *config.Config) error {
	client, err := dynamo.NewClient(ctx, Region, endpoint)
	if err != nil {
		return err
	}
	now := func() model.Time { return model.TimeOf(time.Now()) }
	c := &changeover.Changer{Table: dynamo.New(client, name), Declare: settings.Catalog, Now: now, MaxAhead: settings.Limits.MaxAhead}
	_, err = c.Apply(ctx)
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
