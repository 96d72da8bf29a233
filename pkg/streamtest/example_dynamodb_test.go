package streamtest_test

import (
	"context"
	"fmt"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// stock is a stream handler as it is deployed, with the client of the AWS SDK: it adds up what is sold.
type stock struct{ client *dynamodb.Client }

func (s stock) handle(ctx context.Context, batch events.DynamoDBEvent) error {
	for _, record := range batch.Records {
		_, err := s.client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
			TableName: aws.String("totals"), Key: map[string]types.AttributeValue{"id": textValue("sold")},
			UpdateExpression: aws.String("ADD amount :sold"),
			ExpressionAttributeValues: map[string]types.AttributeValue{
				":sold": &types.AttributeValueMemberN{Value: record.Change.NewImage["amount"].Number()},
			},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// The handler is tested unchanged: its client speaks with DynamoDB in memory. Find returns the shortest
// history in which the total is wrong.
func ExampleDynamoDB() {
	ctx := context.Background()
	trial := streamtest.Trial{Setup: func(s *streamtest.Sim) {
		client := dynamodb.New(dynamodb.Options{
			Region: "eu-west-1", Credentials: anyone, // any credentials do
			HTTPClient: &http.Client{Transport: streamtest.NewDynamoDB(s)}, Retryer: aws.NopRetryer{},
		})
		for table, stream := range map[string]bool{"sales": true, "totals": false} {
			if err := createTable(ctx, client, table, stream); err != nil {
				s.Fail(err)
			}
		}
		s.Deliver(streamtest.Delivery{
			Settings: streamtest.Settings{MaxRetries: -1},
			Handler:  streamtest.Function(lambda.NewHandler(stock{client}.handle).Invoke),
		})
		s.Go("the shop", s.Dice(), func(ctx context.Context) {
			_, _ = client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("sales"),
				Item: map[string]types.AttributeValue{
					"id": textValue("sale 1"), "amount": &types.AttributeValueMemberN{Value: "10"},
				}})
		})
		s.Check(func() error {
			sold, err := amountIn(ctx, client, "sales", "sale 1")
			total, err2 := amountIn(ctx, client, "totals", "sold")
			if err != nil || err2 != nil || sold == total {
				return err
			}
			return fmt.Errorf("the total is %s, the sale is %s", total, sold)
		})
	}}
	fmt.Print(trial.Find(1, 100))
	// Output:
	// seed 18 fails: the total is 20, the sale is 10
	// 2 of its 29 choices are enough to fail:
	// 2026-01-01
	//   09:00:00.100  the shop INSERT sale 1 {amount=10 id=sale 1}
	//   09:00:00.300  invocation 1 starts: INSERT sale 1
	//   09:00:00.400  invocation 1 INSERT sold {amount=10 id=sold}
	//   09:00:00.400  invocation 1 returns null
	//   09:00:01.300  invocation 2 (again) starts: INSERT sale 1
	//   09:00:01.400  invocation 2 (again) MODIFY sold {amount=20 id=sold}
	//   09:00:01.400  invocation 2 (again) returns null
	// failed: the total is 20, the sale is 10
}

func createTable(ctx context.Context, client *dynamodb.Client, name string, stream bool) error {
	_, err := client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName: aws.String(name), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{
			{AttributeName: aws.String("id"), AttributeType: types.ScalarAttributeTypeS},
		},
		KeySchema: []types.KeySchemaElement{{AttributeName: aws.String("id"), KeyType: types.KeyTypeHash}},
		StreamSpecification: &types.StreamSpecification{StreamEnabled: aws.Bool(stream),
			StreamViewType: map[bool]types.StreamViewType{true: types.StreamViewTypeNewAndOldImages}[stream]},
	})
	return err
}

func amountIn(ctx context.Context, client *dynamodb.Client, table, id string) (string, error) {
	out, err := client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table),
		Key: map[string]types.AttributeValue{"id": textValue(id)}})
	if err != nil {
		return "", err
	}
	n, _ := out.Item["amount"].(*types.AttributeValueMemberN)
	if n == nil {
		return "0", nil
	}
	return n.Value, nil
}

func textValue(text string) types.AttributeValue { return &types.AttributeValueMemberS{Value: text} }
