package envelope_test

import (
	"testing"

	"github.com/tidemark-db/tidemark/internal/api/envelope"
)

func TestFromBatch_GivesEachRecordAStableOrigin(t *testing.T) {
	t.Parallel()
	queue := []byte(`{"Records":[{"messageId":"m1","body":"[{\"a\":1},{\"a\":2}]"},{"messageId":"m2","body":""}]}`)
	stream := []byte(`{"Records":[{"eventID":"s:7","kinesis":{"sequenceNumber":"7","data":"W3siYSI6MX0seyJhIjoyfV0="}},{"eventID":"s:8","kinesis":{"sequenceNumber":"8","data":""}}]}`)
	for _, c := range []struct {
		source  envelope.Source
		payload []byte
		want    [][2]string // delivery and origin of each message
	}{
		{envelope.SQS, queue, [][2]string{{"m1", "m1/0"}, {"m1", "m1/1"}, {"m2", "m2/0"}}},
		{envelope.Kinesis, stream, [][2]string{{"7", "s:7/0"}, {"7", "s:7/1"}, {"8", "s:8/0"}}},
	} {
		got, err := envelope.FromBatch(c.source, c.payload, "READING", 10)
		if err != nil || len(got) != len(c.want) {
			t.Fatalf("%s: got %+v, %v", c.source, got, err)
		}
		for i, m := range got {
			if (m.Delivery != c.want[i][0]) || m.Origin != c.want[i][1] || m.Kind != "READING" ||
				(m.DecodeError != nil) != (i == 2) {
				t.Errorf("%s: message %d is %+v, want %q", c.source, i, m, c.want[i])
			}
		}
	}
	if _, err := envelope.FromBatch(envelope.Kinesis, []byte(`{"Records":[{"kinesis":{"data":"!"}}]}`),
		"READING", 10); err == nil {
		t.Error("want an error for data that is not base64")
	}
}
