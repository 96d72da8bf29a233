package dynamo

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// Adopt gives a table what a restore leaves out: its stream and its TTL. What is set
// already is left alone, so it may be called again. It waits until the table stream
// is there and answers its ARN. A table of another shape is an error that names the
// difference, and nothing is changed.
func (t *Table) Adopt(ctx context.Context) (streamARN string, err error) {
	arn, err := t.adopt(ctx, Standard())
	if err != nil {
		return "", fmt.Errorf("adopt table: %w", advise(err))
	}
	return arn, nil
}

func (t *Table) adopt(ctx context.Context, d Definition) (string, error) {
	if _, err := t.StreamARN(ctx); err != nil { // of a table that is not there, nothing is waited for
		return "", err
	}
	described, err := t.active(ctx)
	if err != nil {
		return "", err
	}
	there := definitionOf(described)
	streams := there.Stream != ""
	if !streams {
		there.Stream = d.Stream // to come
	}
	if err := d.differs(there); err != nil {
		return "", err
	}
	if !streams {
		if described, err = t.enableStream(ctx, d.Stream); err != nil {
			return "", err
		}
	}
	return deref(described.LatestStreamArn), t.enableTTL(ctx, d.TTL)
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

// active waits until the table takes requests.
func (t *Table) active(ctx context.Context) (*types.TableDescription, error) {
	waiter := dynamodb.NewTableExistsWaiter(t.client, patiently)
	out, err := waiter.WaitForOutput(ctx, &dynamodb.DescribeTableInput{TableName: &t.name}, activeWithin)
	if err != nil {
		return nil, err
	}
	return out.Table, nil
}

// StreamARN is the ARN of the table's stream, "" where it has none.
func (t *Table) StreamARN(ctx context.Context) (string, error) {
	out, err := t.client.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.name})
	if err != nil {
		return "", fmt.Errorf("describe table %s: %w", t.name, advise(err))
	}
	return deref(out.Table.LatestStreamArn), nil
}
