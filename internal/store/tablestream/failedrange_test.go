package tablestream_test

import (
	"strings"
	"testing"

	"github.com/tidemark-db/tidemark/internal/store/tablestream"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// onFailureMessage is a message as Lambda sends it.
const onFailureMessage = `{
  "requestContext": {"requestId": "316aa6d0", "functionArn": "arn:aws:lambda:eu-west-1:1:function:f",
    "condition": "RetryAttemptsExhausted", "approximateInvokeCount": 51},
  "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
  "version": "1.0", "timestamp": "2026-04-20T14:13:49.717Z",
  "DDBStreamBatchInfo": {"shardId": "shardId-0001", "startSequenceNumber": "800000000003126276362",
    "endSequenceNumber": "800000000003126276399", "approximateArrivalOfFirstRecord": "2026-04-20T14:13:19Z",
    "approximateArrivalOfLastRecord": "2026-04-20T14:13:20Z", "batchSize": 17,
    "streamArn": "arn:aws:dynamodb:eu-west-1:1:table/t/stream/2026-01-01T00:00:00.000"}}`

func TestDecodeFailedRange_HasThePositionOfTheRecords(t *testing.T) {
	got, err := tablestream.DecodeFailedRange([]byte(onFailureMessage))
	at := func(text string) model.Time { x, _ := model.ParseTime(text, model.RejectFinerTime); return x }
	want := tablestream.FailedRange{
		Condition: "RetryAttemptsExhausted", Stream: "arn:aws:dynamodb:eu-west-1:1:table/t/stream/2026-01-01T00:00:00.000",
		Shard: "shardId-0001", First: "800000000003126276362", Last: "800000000003126276399", Records: 17,
		FirstAt: at("2026-04-20T14:13:19Z"), LastAt: at("2026-04-20T14:13:20Z"),
	}
	if err != nil || got != want {
		t.Errorf("got %+v, %v\nwant %+v", got, err, want)
	}
}

func TestDecodeFailedRange_RejectsOtherMessages(t *testing.T) {
	for body, why := range map[string]string{
		`{`:               "unexpected end",
		`{"hello": true}`: "DDBStreamBatchInfo",
		strings.Replace(onFailureMessage, "2026-04-20T14:13:20Z", "soon", 1): "approximate arrival",
	} {
		_, err := tablestream.DecodeFailedRange([]byte(body))
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%.40s: %v, want %q", body, err, why)
		}
	}
}
