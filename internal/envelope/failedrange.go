package envelope

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

// DecodeFailedRange decodes the body of an on-failure message. The error is for a message
// that is not from the mapping of a table stream.
func DecodeFailedRange(body []byte) (FailedRange, error) {
	var in struct {
		RequestContext struct{ Condition string }
		Batch          struct {
			ShardID                         string
			StartSequenceNumber             string
			EndSequenceNumber               string
			ApproximateArrivalOfFirstRecord string
			ApproximateArrivalOfLastRecord  string
			BatchSize                       int
			StreamARN                       string
		} `json:"DDBStreamBatchInfo"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return FailedRange{}, fmt.Errorf("decode on-failure message: %w", err)
	}
	g := FailedRange{
		Condition: in.RequestContext.Condition, Stream: in.Batch.StreamARN, Shard: in.Batch.ShardID,
		First: in.Batch.StartSequenceNumber, Last: in.Batch.EndSequenceNumber, Records: in.Batch.BatchSize,
	}
	if g.Stream == "" || g.Shard == "" || g.First == "" || g.Last == "" {
		return FailedRange{}, errors.New("decode on-failure message: it has no range of a table stream (DDBStreamBatchInfo): is this the on-failure queue of the aggregate mapping?")
	}
	var err error
	if g.FirstAt, err = model.ParseTime(in.Batch.ApproximateArrivalOfFirstRecord, model.TruncateFinerTime); err == nil {
		g.LastAt, err = model.ParseTime(in.Batch.ApproximateArrivalOfLastRecord, model.TruncateFinerTime)
	}
	if err != nil {
		return FailedRange{}, fmt.Errorf("decode on-failure message: approximate arrival: %w", err)
	}
	return g, nil
}
