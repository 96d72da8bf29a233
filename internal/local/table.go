package local

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/tidemark-db/tidemark/pkg/dynamo"
)

// ensureTable creates the table if it does not exist, and returns the ARN of its stream.
func ensureTable(ctx context.Context, endpoint, name string) (string, error) {
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
	return deref(out.Table.LatestStreamArn), nil
}
