package stack

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

const here = "arn:aws:dynamodb:us-east-1:000000000000:table/tidemark/stream/2026"

func inserted() types.Record {
	return types.Record{
		EventID: aws.String("e1"), EventName: types.OperationTypeInsert, EventVersion: aws.String("1.1"),
		Dynamodb: &types.StreamRecord{
			ApproximateCreationDateTime: aws.Time(time.Unix(1776693600, 5e8)),
			Keys: map[string]types.AttributeValue{
				"pk": &types.AttributeValueMemberS{Value: "DEVICE#a"}, "sk": &types.AttributeValueMemberS{Value: "EVENT#R##t#"},
			},
			NewImage: map[string]types.AttributeValue{
				"temperature": &types.AttributeValueMemberN{Value: "22.4"}, "_hash": &types.AttributeValueMemberB{Value: []byte{1, 2}},
				"ok": &types.AttributeValueMemberBOOL{Value: true}, "none": &types.AttributeValueMemberNULL{Value: true},
			},
			SequenceNumber: aws.String("100000000001"), SizeBytes: aws.Int64(99), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	}
}

const insertedJSON = `{"awsRegion":"us-east-1",` +
	`"dynamodb":{"ApproximateCreationDateTime":1776693600,"Keys":{"pk":{"S":"DEVICE#a"},"sk":{"S":"EVENT#R##t#"}},` +
	`"NewImage":{"_hash":{"B":"AQI="},"none":{"NULL":true},"ok":{"BOOL":true},"temperature":{"N":"22.4"}},` +
	`"SequenceNumber":"100000000001","SizeBytes":99,"StreamViewType":"NEW_AND_OLD_IMAGES"},` +
	`"eventID":"e1","eventName":"INSERT","eventSource":"aws:dynamodb","eventVersion":"1.1",` +
	`"eventSourceARN":"arn:aws:dynamodb:us-east-1:000000000000:table/tidemark/stream/2026"}`

func TestLambdaRecord_HasTheFormOfLambdasEvent(t *testing.T) {
	r := inserted()
	if got := string(LambdaRecord(Region, here, &r)); got != insertedJSON {
		t.Errorf("got\n%s\nwant\n%s", got, insertedJSON)
	}
}

func TestLambdaRecord_KeepsTheIdentityOfARemoval(t *testing.T) {
	r := inserted()
	r.EventName = types.OperationTypeRemove
	r.UserIdentity = &types.Identity{Type: aws.String("Service"),
		PrincipalId: aws.String("dynamodb.amazonaws.com")}
	r.Dynamodb.OldImage, r.Dynamodb.NewImage = r.Dynamodb.NewImage, nil
	var got events.DynamoDBEventRecord
	if err := json.Unmarshal(LambdaRecord(Region, here, &r), &got); err != nil {
		t.Fatal(err)
	}
	want := &events.DynamoDBUserIdentity{Type: "Service", PrincipalID: "dynamodb.amazonaws.com"}
	if diff := cmp.Diff(want, got.UserIdentity); diff != "" || got.EventName != "REMOVE" ||
		got.Change.NewImage != nil || len(got.Change.OldImage) != 4 {
		t.Errorf("identity differs (-want +got):\n%s\nrecord: %+v", diff, got)
	}
}

func TestLambdaRecord_LocalExpiriesHaveLambdasForm(t *testing.T) {
	r := inserted()
	r.EventName = "UNKNOWN_TO_SDK_VERSION"
	got := string(LambdaRecord(Region, here, &r))
	for _, want := range []string{`"eventName":"REMOVE"`,
		`"userIdentity":{"type":"Service","principalId":"dynamodb.amazonaws.com"}`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s\ndoes not contain %s", got, want)
		}
	}
}

// Lambda's types decode every item that is written.
func TestLambdaItem_IsDecodedByLambdasTypes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		item := rapid.MapOfN(rapid.String(), value(3), 0, 8).Draw(t, "item")
		text := mustMarshal(lambdaItem(item))
		var got map[string]events.DynamoDBAttributeValue
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if len(got) != len(item) {
			t.Fatalf("%s: %d attributes, want %d", text, len(got), len(item))
		}
		for name, want := range item {
			if !same(want, got[name]) {
				t.Fatalf("%s: attribute %q is not %#v", text, name, want)
			}
		}
		if again := mustMarshal(lambdaItem(maps.Clone(item))); !bytes.Equal(again, text) {
			t.Fatalf("equal items have different text: %s and %s", text, again)
		}
	})
}

func value(depth int) *rapid.Generator[types.AttributeValue] {
	return rapid.Custom(func(t *rapid.T) types.AttributeValue {
		kinds := 8
		if depth > 0 {
			kinds = 10
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return &types.AttributeValueMemberS{Value: rapid.String().Draw(t, "s")}
		case 1:
			return &types.AttributeValueMemberN{Value: rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,9})?`).Draw(t,
				"n")}
		case 2:
			return &types.AttributeValueMemberB{Value: rapid.SliceOf(rapid.Byte()).Draw(t, "b")}
		case 3:
			return &types.AttributeValueMemberBOOL{Value: rapid.Bool().Draw(t, "bool")}
		case 4:
			return &types.AttributeValueMemberNULL{Value: true}
		case 5:
			return &types.AttributeValueMemberSS{Value: rapid.SliceOfN(rapid.String(), 1, 3).Draw(t, "ss")}
		case 6:
			return &types.AttributeValueMemberNS{Value: rapid.SliceOfN(rapid.StringMatching(`[1-9][0-9]{0,5}`), 1,
				3).Draw(t, "ns")}
		case 7:
			return &types.AttributeValueMemberBS{Value: rapid.SliceOfN(rapid.SliceOf(rapid.Byte()), 1, 3).Draw(t,
				"bs")}
		case 8:
			return &types.AttributeValueMemberL{Value: rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "l")}
		default:
			return &types.AttributeValueMemberM{Value: rapid.MapOfN(rapid.String(), value(depth-1), 0, 3).Draw(t, "m")}
		}
	})
}

func same(want types.AttributeValue, got events.DynamoDBAttributeValue) bool {
	switch want := want.(type) {
	case *types.AttributeValueMemberS:
		return got.DataType() == events.DataTypeString && got.String() == want.Value
	case *types.AttributeValueMemberN:
		return got.DataType() == events.DataTypeNumber && got.Number() == want.Value
	case *types.AttributeValueMemberB:
		return got.DataType() == events.DataTypeBinary && bytes.Equal(got.Binary(), want.Value)
	case *types.AttributeValueMemberBOOL:
		return got.DataType() == events.DataTypeBoolean && got.Boolean() == want.Value
	case *types.AttributeValueMemberNULL:
		return got.DataType() == events.DataTypeNull
	case *types.AttributeValueMemberSS:
		return slices.Equal(got.StringSet(), want.Value)
	case *types.AttributeValueMemberNS:
		return slices.Equal(got.NumberSet(), want.Value)
	case *types.AttributeValueMemberBS:
		return slices.EqualFunc(got.BinarySet(), want.Value, bytes.Equal)
	case *types.AttributeValueMemberL:
		return slices.EqualFunc(want.Value, got.List(), same)
	case *types.AttributeValueMemberM:
		return maps.EqualFunc(want.Value, got.Map(), same)
	}
	return false
}

func TestDecode_RecordsOfOnePageAreIndependent(t *testing.T) {
	first, second := inserted(), inserted()
	second.Dynamodb.SequenceNumber = aws.String("100000000002")
	s := &TableStream{arn: here}
	got := s.decode([]types.Record{first, second})
	for i, seq := range []string{"100000000001", "100000000002"} {
		want := strings.Replace(insertedJSON, "100000000001", seq, 1)
		if string(got[i].Body) != want || got[i].Seq != seq {
			t.Errorf("record %d is %s %s", i, got[i].Seq, got[i].Body)
		}
	}
	if got[0].Item != got[1].Item || got[0].At != 1776693600500 {
		t.Errorf("two records of one item have items %q and %q, the first at %s", got[0].Item, got[1].Item,
			got[0].At)
	}
}
