package envelope

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// GivenUp is a range of a table stream that its mapping gave up: what a message of
// the on-failure queue says. It carries no records, only where they stood.
type GivenUp struct {
	Condition       string // why, as RetryAttemptsExhausted
	Stream          string // ARN of the table stream
	Shard           string // the stream shard
	First, Last     string // SequenceNumbers of its first and last record
	Records         int
	FirstAt, LastAt model.Time // when the first and the last change were made
}

// DecodeGivenUp reads the body of an on-failure message. An error says that it is
// none of a table stream's mapping.
func DecodeGivenUp(body []byte) (GivenUp, error) {
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
		return GivenUp{}, fmt.Errorf("decode on-failure message: %w", err)
	}
	g := GivenUp{
		Condition: in.RequestContext.Condition, Stream: in.Batch.StreamARN, Shard: in.Batch.ShardID,
		First: in.Batch.StartSequenceNumber, Last: in.Batch.EndSequenceNumber, Records: in.Batch.BatchSize,
	}
	if g.Stream == "" || g.Shard == "" || g.First == "" || g.Last == "" {
		return GivenUp{}, errors.New("decode on-failure message: no range of a table stream in it (DDBStreamBatchInfo): is it the on-failure queue of the aggregate mapping?")
	}
	var err error
	if g.FirstAt, err = model.ParseTime(in.Batch.ApproximateArrivalOfFirstRecord, model.TruncateFiner); err == nil {
		g.LastAt, err = model.ParseTime(in.Batch.ApproximateArrivalOfLastRecord, model.TruncateFiner)
	}
	if err != nil {
		return GivenUp{}, fmt.Errorf("decode on-failure message: approximate arrival: %w", err)
	}
	return g, nil
}
