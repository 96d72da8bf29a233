// Package streamrange reads a range of a table stream again, as an on-failure message names it.
package streamrange

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/tablestream"
)

// ErrTrimmed means that the table stream no longer has all records of a range: it keeps them for 24 hours.
var ErrTrimmed = errors.New("the table stream no longer has it")

// Client is the part of the SDK's DynamoDB Streams client that a Reader calls.
type Client interface {
	GetShardIterator(ctx context.Context, in *dynamodbstreams.GetShardIteratorInput,
		options ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error)
	GetRecords(ctx context.Context, in *dynamodbstreams.GetRecordsInput,
		options ...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error)
}

var _ Client = (*dynamodbstreams.Client)(nil)

// Encoder returns a record of the stream arn as Lambda delivers it to a function.
type Encoder func(region, arn string, r *types.Record) []byte

// Reader reads ranges of table streams. It may be used concurrently.
type Reader struct {
	Client Client
	Region string
	Encode Encoder
	// Sleep waits between requests to an open shard; nil means retry.Sleep.
	Sleep func(context.Context, time.Duration) error
}

// New returns a Reader. An endpoint is the address of a server on this machine; "" means AWS.
func New(config aws.Config, endpoint string, encode Encoder) *Reader {
	client := dynamodbstreams.NewFromConfig(config, func(o *dynamodbstreams.Options) {
		if endpoint != "" {
			o.BaseEndpoint = &endpoint
		}
	})
	return &Reader{Client: client, Region: config.Region, Encode: encode}
}

// Page is a page of records, decoded in both ways in which functions read the table
// stream. Both put the ranges that they failed to process into one on-failure queue,
// and a message does not say which function it is from.
type Page struct {
	tablestream.Batch                      // as aggregate reads it
	Expiries          []tablestream.Expiry // as purge reads it
}

// An open shard may return empty pages for a while before its records.
const (
	maxEmptyPages = 50
	emptyPause    = 200 * time.Millisecond
)

// Read calls visit for every page of a range. The range ends at the record with its
// last sequence number; sequence numbers are not compared by order. An error that is
// ErrTrimmed means that some of the range is gone.
func (r *Reader) Read(ctx context.Context, g tablestream.FailedRange, visit func(Page) error) error {
	out, err := r.Client.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &g.Stream, ShardId: &g.Shard, SequenceNumber: &g.First,
		ShardIteratorType: types.ShardIteratorTypeAtSequenceNumber,
	})
	if err != nil {
		return readError(g, err)
	}
	empty := 0
	for at := out.ShardIterator; at != nil; {
		page, err := r.Client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at})
		if err != nil {
			return readError(g, err)
		}
		records, last := cutAfter(page.Records, g.Last)
		if len(records) > 0 {
			empty = 0
			if err := r.visit(g, records, visit); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		if len(page.Records) == 0 {
			if empty++; empty > maxEmptyPages {
				break
			}
			if err := r.sleep(ctx, emptyPause); err != nil {
				return err
			}
		}
		at = page.NextShardIterator
	}
	return fmt.Errorf("read shard %s: record %s, the last of the range, was not found", g.Shard, g.Last)
}

func (r *Reader) sleep(ctx context.Context, d time.Duration) error {
	if r.Sleep != nil {
		return r.Sleep(ctx, d)
	}
	return retry.Sleep(ctx, d)
}

// cutAfter drops the records after the one with the sequence number last, and reports
// whether it is among them.
func cutAfter(records []types.Record, last string) ([]types.Record, bool) {
	for i := range records {
		if d := records[i].Dynamodb; d != nil && d.SequenceNumber != nil && *d.SequenceNumber == last {
			return records[:i+1], true
		}
	}
	return records, false
}

// visit decodes records and calls visit with them.
func (r *Reader) visit(g tablestream.FailedRange, records []types.Record, visit func(Page) error) error {
	var payload strings.Builder
	payload.WriteString(`{"Records":[`)
	for i := range records {
		if i > 0 {
			payload.WriteByte(',')
		}
		payload.Write(r.Encode(r.Region, g.Stream, &records[i]))
	}
	payload.WriteString(`]}`)
	page, err := Decode([]byte(payload.String()))
	if err != nil {
		return err
	}
	return visit(page)
}

// Decode decodes a batch of records in both ways.
func Decode(payload []byte) (Page, error) {
	var decoder tablestream.Decoder
	batch, err := decoder.Decode(payload)
	if err != nil {
		return Page{}, err
	}
	expiries, err := tablestream.Expiries(payload)
	if err != nil {
		return Page{}, err
	}
	return Page{batch, expiries}, nil
}

// readError makes ErrTrimmed of the errors that mean it: records are trimmed after 24
// hours, and a shard or a stream disappears 24 hours after its end.
func readError(g tablestream.FailedRange, err error) error {
	var trimmed *types.TrimmedDataAccessException
	var gone *types.ResourceNotFoundException
	if errors.As(err, &trimmed) || errors.As(err, &gone) {
		return fmt.Errorf("read shard %s: %w: %w", g.Shard, ErrTrimmed, err)
	}
	return fmt.Errorf("read shard %s: %w", g.Shard, err)
}
