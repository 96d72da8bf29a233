package bench

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/internal/store/storedtime"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// standardReading is an event as a struct with the SDK's tags: the shortest way to the
// same typed result with the standard libraries.
type standardReading struct {
	PK          string                `dynamodbav:"pk"`
	SK          string                `dynamodbav:"sk"`
	Version     int                   `dynamodbav:"v"`
	ExpiresAt   int64                 `dynamodbav:"expiresAt"`
	Hash        []byte                `dynamodbav:"_hash"`
	Arrived     string                `dynamodbav:"_arrived"`
	Battery     attributevalue.Number `dynamodbav:"battery"`
	Humidity    attributevalue.Number `dynamodbav:"humidity"`
	Temperature attributevalue.Number `dynamodbav:"temperature"`
}

// standardDecode is the standard way from a payload to changes: the event type of
// aws-lambda-go, then the SDK's attributevalue.
func standardDecode(payload []byte) ([]storage.Change, error) {
	var in events.DynamoDBEvent
	if err := json.Unmarshal(payload, &in); err != nil {
		return nil, err
	}
	out := make([]storage.Change, 0, len(in.Records))
	for i := range in.Records {
		r := &in.Records[i]
		key, err := keys.ParseEvent(keys.Key{PK: r.Change.Keys["pk"].String(), SK: r.Change.Keys["sk"].String()})
		if err != nil {
			return nil, err
		}
		image, err := standardImage(r.Change.NewImage)
		if err != nil {
			return nil, err
		}
		after, err := image.event()
		if err != nil {
			return nil, err
		}
		out = append(out, storage.Change{
			Type: storage.Inserted, Key: key, After: after, Seq: r.Change.SequenceNumber,
			Source: r.EventSourceArn, EventID: r.EventID, At: model.NewTime(r.Change.ApproximateCreationDateTime.Time),
		})
	}
	return out, nil
}

func standardImage(image map[string]events.DynamoDBAttributeValue) (*standardReading, error) {
	attributes := make(map[string]types.AttributeValue, len(image))
	for name, v := range image {
		switch v.DataType() {
		case events.DataTypeString:
			attributes[name] = &types.AttributeValueMemberS{Value: v.String()}
		case events.DataTypeNumber:
			attributes[name] = &types.AttributeValueMemberN{Value: v.Number()}
		case events.DataTypeBinary:
			attributes[name] = &types.AttributeValueMemberB{Value: v.Binary()}
		default:
			return nil, fmt.Errorf("attribute %s", name)
		}
	}
	var r standardReading
	return &r, attributevalue.UnmarshalMap(attributes, &r)
}

func (r *standardReading) event() (*model.Event, error) {
	key, err := keys.ParseEvent(keys.Key{PK: r.PK, SK: r.SK})
	if err != nil {
		return nil, err
	}
	e := &model.Event{Series: key.Series, Order: key.Order, ExpiresAt: r.ExpiresAt}
	copy(e.Hash[:], r.Hash)
	if e.ArrivedAt, err = storedtime.Parse(r.Arrived); err != nil {
		return nil, err
	}
	for name, text := range map[string]attributevalue.Number{"battery": r.Battery, "humidity": r.Humidity,
		"temperature": r.Temperature} {
		d, err := model.ParseDecimal(strings.TrimSpace(string(text)))
		if err != nil {
			return nil, errors.Join(errors.New(name), err)
		}
		e.Attrs = append(e.Attrs, model.Attr{Name: name, Value: model.NumberValue(d)})
	}
	e.Attrs.Sort()
	return e, nil
}
