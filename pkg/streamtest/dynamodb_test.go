package streamtest_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// anyone has credentials, which nothing checks.
var anyone = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
})

func newClient(s *streamtest.Sim) *dynamodb.Client {
	return dynamodb.New(dynamodb.Options{
		Region: "eu-west-1", Credentials: anyone,
		HTTPClient: &http.Client{Transport: streamtest.NewDynamoDB(s)}, Retryer: aws.NopRetryer{},
	})
}

func idOnly(id string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{"id": textValue(id)}
}

func TestNewDynamoDB_WithoutASimServesAnyClient(t *testing.T) {
	t.Parallel()
	client := newClient(nil)
	if err := createTable(t.Context(), client, "orders", true); err != nil {
		t.Fatal(err)
	}
	put := &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: idOnly("a"),
		ConditionExpression: aws.String("attribute_not_exists(id)")}
	if _, err := client.PutItem(t.Context(), put); err != nil {
		t.Fatal(err)
	}
	var exists *types.ConditionalCheckFailedException
	if _, err := client.PutItem(t.Context(), put); !errors.As(err, &exists) {
		t.Errorf("the second put: %v, want a failed condition", err)
	}
	_, err := client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String("orders"),
		FilterExpression: aws.String("id = :id"), ExpressionAttributeValues: map[string]types.AttributeValue{
			":id": textValue("a")}})
	if err == nil || !strings.Contains(err.Error(), "FilterExpression") {
		t.Errorf("a filter: %v, want an error that names it", err)
	}
}

// attempt is how a write ended for its sender.
type attempt int

const (
	stored attempt = iota + 1
	notStored
	notKnown
)

func classify(err error, seen map[string]bool) attempt {
	var busy *types.ProvisionedThroughputExceededException
	var conflict *types.TransactionConflictException
	var cancelled *types.TransactionCanceledException
	switch {
	case err == nil:
		return stored
	case errors.As(err, &busy):
		seen["throttled"] = true
		return notStored
	case errors.As(err, &conflict):
		seen["conflict"] = true
		return notStored
	case errors.As(err, &cancelled) && len(cancelled.CancellationReasons) == 2:
		seen["transaction conflict"] = true
		return notStored
	case errors.Is(err, streamtest.ErrUnknown):
		seen["unknown"] = true
	}
	return notKnown
}

// Whatever fault a request meets: what the SDK calls not stored is not stored, what it calls stored is, and
// each stored item is delivered.
func TestDynamoDB_ErrorsOfTheSDKSayWhatWasStored(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for seed := range uint64(300) {
		trial := streamtest.Trial{Setup: func(s *streamtest.Sim) {
			attempts, delivered := map[string]attempt{}, map[string]bool{}
			lost := false
			client := newClient(s)
			if err := createTable(t.Context(), client, "orders", true); err != nil {
				s.Fail(err)
			}
			s.Deliver(streamtest.Delivery{Settings: streamtest.Settings{MaxRetries: -1},
				Handler: streamtest.Function(lambda.NewHandler(
					func(_ context.Context, batch events.DynamoDBEvent) error {
						for _, r := range batch.Records {
							delivered[r.Change.Keys["id"].String()] = true
						}
						return nil
					}).Invoke),
				Lost: func([]json.RawMessage) { lost = true }, // the function was stopped for a day
			})
			s.Go("the shop", s.Dice(), func(ctx context.Context) {
				for i := range 3 {
					id := fmt.Sprint("order ", i)
					_, err := client.PutItem(ctx, &dynamodb.PutItemInput{TableName: aws.String("orders"),
						Item: idOnly(id)})
					attempts[id] = classify(err, seen)
				}
				var both []types.TransactWriteItem
				for _, id := range []string{"left", "right"} {
					both = append(both, types.TransactWriteItem{Put: &types.Put{TableName: aws.String("orders"),
						Item: idOnly(id)}})
				}
				_, err := client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: both})
				attempts["left"] = classify(err, seen)
				attempts["right"] = attempts["left"]
			})
			s.Check(func() error {
				for id, how := range attempts {
					out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("orders"),
						Key: idOnly(id)})
					there := out != nil && out.Item != nil
					if err != nil || how == stored != there && how != notKnown || there && !delivered[id] && !lost {
						return fmt.Errorf("%s: attempt %d, stored %t, delivered %t, %v", id, how, there, delivered[id],
							err)
					}
				}
				return nil
			})
		}}
		if r := trial.Run(seed); r.Failure != nil {
			t.Fatalf("seed %d: %v\n%v", seed, r.Failure, trial.Shrink(seed))
		}
	}
	for _, name := range []string{"throttled", "conflict", "transaction conflict", "unknown"} {
		if !seen[name] {
			t.Errorf("no request was ever %s: the test shows nothing", name)
		}
	}
}

func TestDynamoDB_ExpiresItemsByTTL(t *testing.T) {
	t.Parallel()
	expired := 0
	trial := streamtest.Trial{Rates: streamtest.Only(), Setup: func(s *streamtest.Sim) {
		client := newClient(s)
		err := createTable(t.Context(), client, "orders", true)
		_, err2 := client.UpdateTimeToLive(t.Context(), &dynamodb.UpdateTimeToLiveInput{
			TableName: aws.String("orders"), TimeToLiveSpecification: &types.TimeToLiveSpecification{
				AttributeName: aws.String("expires"), Enabled: aws.Bool(true)}})
		if err := errors.Join(err, err2); err != nil {
			s.Fail(err)
		}
		s.Deliver(streamtest.Delivery{Handler: streamtest.Function(lambda.NewHandler(
			func(_ context.Context, batch events.DynamoDBEvent) error {
				for _, r := range batch.Records {
					if r.UserIdentity != nil && r.UserIdentity.PrincipalID == "dynamodb.amazonaws.com" {
						expired++
					}
				}
				return nil
			}).Invoke)})
		item := idOnly("a")
		item["expires"] = &types.AttributeValueMemberN{Value: fmt.Sprint(s.Now().Add(time.Hour).Unix())}
		_, err = client.PutItem(t.Context(), &dynamodb.PutItemInput{TableName: aws.String("orders"), Item: item})
		if err != nil {
			s.Fail(err)
		}
		s.After(2*time.Hour, func() {
			out, err := client.GetItem(t.Context(), &dynamodb.GetItemInput{TableName: aws.String("orders"),
				Key: idOnly("a")})
			if err != nil || out.Item != nil {
				s.Fail(fmt.Errorf("two hours later: %v, %w", out, err))
			}
		})
	}}
	if r := trial.Run(1); r.Failure != nil || expired != 1 {
		t.Errorf("%v, %d records by the service, want 1", r.Failure, expired)
	}
}
