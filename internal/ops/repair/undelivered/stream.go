package undelivered

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/kinesis"
	"github.com/aws/aws-sdk-go-v2/service/kinesis/types"
)

// Range is a range of the data stream that its mapping discarded.
type Range struct{ StreamARN, ShardID, StartSequenceNumber, EndSequenceNumber string }

// Kinesis is the part of the SDK's client that a Reader calls.
type Kinesis interface {
	GetShardIterator(ctx context.Context, in *kinesis.GetShardIteratorInput,
		options ...func(*kinesis.Options)) (*kinesis.GetShardIteratorOutput, error)
	GetRecords(ctx context.Context, in *kinesis.GetRecordsInput,
		options ...func(*kinesis.Options)) (*kinesis.GetRecordsOutput, error)
}

var _ Kinesis = (*kinesis.Client)(nil)

// Reader reads ranges of a data stream.
type Reader struct{ Client Kinesis }

// Read calls visit with each record of a range, and with the identity that the record had in the event of
// its delivery. A range of which the stream no longer has the first record is an error: it keeps
// records for 24 hours, or as long as it is configured to.
func (r Reader) Read(ctx context.Context, lost Range, visit func(origin string, payload []byte) error) error {
	start, err := r.Client.GetShardIterator(ctx, &kinesis.GetShardIteratorInput{
		StreamARN: &lost.StreamARN, ShardId: &lost.ShardID, StartingSequenceNumber: &lost.StartSequenceNumber,
		ShardIteratorType: types.ShardIteratorTypeAtSequenceNumber,
	})
	if err != nil {
		return fmt.Errorf("read shard %s: %w", lost.ShardID, err)
	}
	first := true
	for at := start.ShardIterator; at != nil; {
		page, err := r.Client.GetRecords(ctx,
			&kinesis.GetRecordsInput{ShardIterator: at, StreamARN: &lost.StreamARN})
		if err != nil {
			return fmt.Errorf("read shard %s: %w", lost.ShardID, err)
		}
		for _, record := range page.Records {
			if first && *record.SequenceNumber != lost.StartSequenceNumber {
				return fmt.Errorf("read shard %s: the data stream no longer has record %s, the first of the range",
					lost.ShardID, lost.StartSequenceNumber)
			}
			first = false
			if err := visit(lost.ShardID+":"+*record.SequenceNumber, record.Data); err != nil {
				return err
			}
			if *record.SequenceNumber == lost.EndSequenceNumber {
				return nil
			}
		}
		if at = page.NextShardIterator; page.MillisBehindLatest != nil && *page.MillisBehindLatest == 0 &&
			len(page.Records) == 0 {
			break
		}
	}
	return fmt.Errorf("read shard %s: record %s, the last of the range, was not found", lost.ShardID,
		lost.EndSequenceNumber)
}
