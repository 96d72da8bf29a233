package tablestream

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// FailedRange is a range of a table stream that its mapping discarded, from a message of
// the on-failure queue. The message has the position of the records, not their content.
type FailedRange struct {
	Condition       string // the reason, such as RetryAttemptsExhausted
	Stream          string // ARN of the table stream
	Shard           string // the stream shard
	First, Last     string // SequenceNumbers of the first and the last record
	Records         int
	FirstAt, LastAt model.Time // when the first and the last change were made
}

// failedMessage is the body of an on-failure message.
type failedMessage struct {
	RequestContext struct {
		Condition string `json:"condition"`
		Invokes   int    `json:"approximateInvokeCount"`
	} `json:"requestContext"`
	Version   string `json:"version"`
	Timestamp string `json:"timestamp"`
	Batch     struct {
		Shard   string `json:"shardId"`
		First   string `json:"startSequenceNumber"`
		Last    string `json:"endSequenceNumber"`
		FirstAt string `json:"approximateArrivalOfFirstRecord"`
		LastAt  string `json:"approximateArrivalOfLastRecord"`
		Size    int    `json:"batchSize"`
		Stream  string `json:"streamArn"`
	} `json:"DDBStreamBatchInfo"`
}

// EncodeFailedRange returns the body of the message that Lambda sends for a range at a time, after so
// many invocations.
func EncodeFailedRange(g FailedRange, at model.Time, invokes int) ([]byte, error) {
	m := failedMessage{Version: "1.0", Timestamp: at.String()}
	m.RequestContext.Condition, m.RequestContext.Invokes = g.Condition, invokes
	m.Batch.Shard = g.Shard
	m.Batch.Stream = g.Stream
	m.Batch.Size = g.Records
	m.Batch.First, m.Batch.Last = g.First, g.Last
	m.Batch.FirstAt, m.Batch.LastAt = g.FirstAt.String(), g.LastAt.String()
	return json.Marshal(m)
}

// DecodeFailedRange decodes the body of an on-failure message. The error is for a message
// that is not from the mapping of a table stream.
func DecodeFailedRange(body []byte) (FailedRange, error) {
	var in failedMessage
	if err := json.Unmarshal(body, &in); err != nil {
		return FailedRange{}, fmt.Errorf("decode on-failure message: %w", err)
	}
	g := FailedRange{
		Condition: in.RequestContext.Condition, Stream: in.Batch.Stream, Shard: in.Batch.Shard,
		First: in.Batch.First, Last: in.Batch.Last, Records: in.Batch.Size,
	}
	if g.Stream == "" || g.Shard == "" || g.First == "" || g.Last == "" {
		return FailedRange{},
			errors.New("decode on-failure message: it has no range of a table stream " +
				"(DDBStreamBatchInfo): is this the on-failure queue of the aggregate mapping?")
	}
	var err error
	if g.FirstAt, err = model.ParseTime(in.Batch.FirstAt, model.TruncateFinerTime); err == nil {
		g.LastAt, err = model.ParseTime(in.Batch.LastAt, model.TruncateFinerTime)
	}
	if err != nil {
		return FailedRange{}, fmt.Errorf("decode on-failure message: approximate arrival: %w", err)
	}
	return g, nil
}
