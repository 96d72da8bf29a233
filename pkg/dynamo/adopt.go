package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Adopt enables what a restore from a backup leaves out: the table's stream and its TTL. It keeps settings
// that already exist, so it may be called again. It waits until the stream is enabled and returns its ARN. A
// table with another schema is an error that names the difference, and Adopt changes nothing.
func (t *Table) Adopt(ctx context.Context) (streamARN string, err error) {
	arn, err := t.adopt(ctx, Standard())
	if err != nil {
		return "", fmt.Errorf("adopt table: %w", advise(err))
	}
	return arn, nil
}

func (t *Table) adopt(ctx context.Context, d Definition) (string, error) {
	if _, err := t.StreamARN(ctx); err != nil { // fails at once if there is no table
		return "", err
	}
	described, err := t.active(ctx)
	if err != nil {
		return "", err
	}
	existing := newDefinition(described)
	streams := existing.Stream != ""
	if !streams {
		existing.Stream = d.Stream // enabled below
	}
	if err := d.differs(existing); err != nil {
		return "", err
	}
	if !streams {
		if described, err = t.enableStream(ctx, d.Stream); err != nil {
			return "", err
		}
	}
	return aws.ToString(described.LatestStreamArn), t.enableTTL(ctx, d.TTL)
}

func (t *Table) enableStream(ctx context.Context, view string) (*types.TableDescription, error) {
	_, err := t.client.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: &t.name,
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: new(true), StreamViewType: types.StreamViewType(view),
		},
	})
	if err != nil {
		return nil, err
	}
	return t.active(ctx)
}

// active waits until the table is active and returns its description.
func (t *Table) active(ctx context.Context) (*types.TableDescription, error) {
	waiter := dynamodb.NewTableExistsWaiter(t.client, waiterDelays)
	out, err := waiter.WaitForOutput(ctx, &dynamodb.DescribeTableInput{TableName: &t.name}, activeTimeout)
	if err != nil {
		return nil, err
	}
	return out.Table, nil
}

// StreamARN returns the ARN of the table's stream; "" if it has none.
func (t *Table) StreamARN(ctx context.Context) (string, error) {
	out, err := t.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return "", fmt.Errorf("describe table %s: %w", t.name, advise(err))
	}
	return aws.ToString(out.Table.LatestStreamArn), nil
}
