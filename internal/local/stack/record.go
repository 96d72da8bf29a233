package stack

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/internal/base/lists"
)

// ttlIdentity is the identity of TTL in Lambda's events.
var ttlIdentity = events.DynamoDBUserIdentity{Type: "Service", PrincipalID: "dynamodb.amazonaws.com"}

// LambdaRecord returns a record of a stream as in the Records of Lambda's event. Equal records have
// equal bytes.
//
// DynamoDB Local reports the removals of its TTL with an event name that the SDK does not know and
// without an identity. They are written in Lambda's form.
func LambdaRecord(region, arn string, r *types.Record) []byte {
	out := events.DynamoDBEventRecord{
		EventID: aws.ToString(r.EventID), EventName: string(r.EventName),
		EventVersion: aws.ToString(r.EventVersion), EventSource: "aws:dynamodb", EventSourceArn: arn,
		AWSRegion: region,
	}
	switch {
	case !slices.Contains(r.EventName.Values(), r.EventName):
		out.EventName, out.UserIdentity = string(types.OperationTypeRemove), &ttlIdentity
	case r.UserIdentity != nil:
		out.UserIdentity = &events.DynamoDBUserIdentity{Type: aws.ToString(r.UserIdentity.Type),
			PrincipalID: aws.ToString(r.UserIdentity.PrincipalId)}
	}
	if d := r.Dynamodb; d != nil {
		at := aws.ToTime(d.ApproximateCreationDateTime).Truncate(time.Second) // whole seconds, as Lambda's
		out.Change = events.DynamoDBStreamRecord{
			ApproximateCreationDateTime: events.SecondsEpochTime{Time: at},
			Keys:                        lambdaItem(d.Keys), NewImage: lambdaItem(d.NewImage),
			OldImage: lambdaItem(d.OldImage), SequenceNumber: aws.ToString(d.SequenceNumber),
			SizeBytes:      aws.ToInt64(d.SizeBytes),
			StreamViewType: string(d.StreamViewType),
		}
	}
	return mustMarshal(out)
}

// mustMarshal encodes strings, numbers and their maps, which always have a JSON form.
func mustMarshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a stream record: %v", err))
	}
	return text
}

func lambdaItem(in map[string]types.AttributeValue) map[string]events.DynamoDBAttributeValue {
	out := make(map[string]events.DynamoDBAttributeValue, len(in))
	for name, v := range in {
		out[name] = lambdaValue(v)
	}
	return out
}

func lambdaValue(v types.AttributeValue) events.DynamoDBAttributeValue {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return events.NewStringAttribute(v.Value)
	case *types.AttributeValueMemberN:
		return events.NewNumberAttribute(v.Value)
	case *types.AttributeValueMemberB:
		return events.NewBinaryAttribute(v.Value)
	case *types.AttributeValueMemberBOOL:
		return events.NewBooleanAttribute(v.Value)
	case *types.AttributeValueMemberM:
		return events.NewMapAttribute(lambdaItem(v.Value))
	case *types.AttributeValueMemberL:
		return events.NewListAttribute(lists.Map(v.Value, lambdaValue))
	case *types.AttributeValueMemberSS:
		return events.NewStringSetAttribute(v.Value)
	case *types.AttributeValueMemberNS:
		return events.NewNumberSetAttribute(v.Value)
	case *types.AttributeValueMemberBS:
		return events.NewBinarySetAttribute(v.Value)
	}
	return events.NewNullAttribute()
}
