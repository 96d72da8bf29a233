package stack

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// recordsAPage is the maximum of GetRecords.
const recordsAPage = 1000

// TableStream reads the stream of a table from its oldest record, and converts each record to the
// form of Lambda's event. It is an eventsource.Source.
type TableStream struct {
	client *dynamodbstreams.Client
	arn    string

	disabled atomic.Bool          // reads no records
	records  atomic.Int64         // read so far
	changed  func([]types.Record) // called with these records; may be nil

	mu   sync.Mutex          // guards next
	next map[string]position // the position in each shard
}

// position is an open iterator after the sequence number after.
type position struct {
	after    string
	iterator string
}

// NewTableStream reads the stream of arn from the DynamoDB at endpoint.
func NewTableStream(endpoint, arn string) *TableStream {
	client := dynamodbstreams.New(
		dynamodbstreams.Options{Region: Region, BaseEndpoint: &endpoint, Credentials: credentials})
	return &TableStream{client: client, arn: arn, next: map[string]position{}}
}

// Credentials of all local requests. DynamoDB Local separates tables by access key and region
// unless it runs with -sharedDb, so all requests must use the same.
const (
	Region    = "us-east-1"
	accessKey = "local"
	secretKey = "local"
)

var credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: accessKey, SecretAccessKey: secretKey}, nil
})

var _ eventsource.Source = (*TableStream)(nil)

// Shards lists the existing stream shards.
func (s *TableStream) Shards(ctx context.Context) ([]eventsource.Shard, error) {
	var shards []eventsource.Shard
	in := &dynamodbstreams.DescribeStreamInput{StreamArn: &s.arn}
	for {
		out, err := s.client.DescribeStream(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("describe table stream: %w", err)
		}
		for _, shard := range out.StreamDescription.Shards {
			shards = append(shards,
				eventsource.Shard{ID: aws.ToString(shard.ShardId), Parent: aws.ToString(shard.ParentShardId)})
		}
		if in.ExclusiveStartShardId = out.StreamDescription.LastEvaluatedShardId; in.ExclusiveStartShardId == nil {
			return listedParents(shards), nil
		}
	}
}

// listedParents removes the parents that are no longer listed.
func listedParents(shards []eventsource.Shard) []eventsource.Shard {
	listed := map[string]bool{}
	for _, s := range shards {
		listed[s.ID] = true
	}
	for i := range shards {
		if !listed[shards[i].Parent] {
			shards[i].Parent = ""
		}
	}
	return shards
}

// Read returns the records after the sequence number after; none while the mapping is disabled.
func (s *TableStream) Read(ctx context.Context, shard, after string) (eventsource.Page, error) {
	if s.disabled.Load() {
		return eventsource.Page{}, nil
	}
	iterator, err := s.iterator(ctx, shard, after)
	if err != nil {
		return eventsource.Page{}, fmt.Errorf("read shard %s: %w", shard, err)
	}
	limit := int32(recordsAPage)
	out, err := s.client.GetRecords(ctx,
		&dynamodbstreams.GetRecordsInput{ShardIterator: &iterator, Limit: &limit})
	if err != nil {
		s.forget(shard)
		return eventsource.Page{}, fmt.Errorf("read shard %s: %w", shard, err)
	}
	page := eventsource.Page{Records: s.decode(out.Records), Closed: out.NextShardIterator == nil}
	if n := len(page.Records); n > 0 {
		after = page.Records[n-1].Seq
	}
	s.remember(shard, position{after: after, iterator: aws.ToString(out.NextShardIterator)})
	s.records.Add(int64(len(page.Records)))
	if s.changed != nil {
		s.changed(out.Records)
	}
	return page, nil
}

// iterator returns the open iterator of the shard, or a new one.
func (s *TableStream) iterator(ctx context.Context, shard, after string) (string, error) {
	s.mu.Lock()
	open, ok := s.next[shard]
	s.mu.Unlock()
	if ok && open.after == after && open.iterator != "" {
		return open.iterator, nil
	}
	in := &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &s.arn, ShardId: &shard, ShardIteratorType: types.ShardIteratorTypeTrimHorizon,
	}
	if after != "" {
		in.ShardIteratorType, in.SequenceNumber = types.ShardIteratorTypeAfterSequenceNumber, &after
	}
	out, err := s.client.GetShardIterator(ctx, in)
	if trimmed := new(types.TrimmedDataAccessException); errors.As(err, &trimmed) && after != "" {
		return s.iterator(ctx, shard, "") // the next record has expired: continue with the oldest one
	}
	if err != nil {
		return "", err
	}
	return aws.ToString(out.ShardIterator), nil
}

func (s *TableStream) remember(shard string, at position) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next[shard] = at
}

// forget removes an iterator that failed: it may have expired.
func (s *TableStream) forget(shard string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.next, shard)
}

// decode converts the records of a page.
func (s *TableStream) decode(in []types.Record) []eventsource.Record {
	return lists.Map(in, func(r types.Record) eventsource.Record {
		out := eventsource.Record{Body: LambdaRecord(Region, s.arn, &r)}
		if d := r.Dynamodb; d != nil {
			out.Item, out.Seq = string(mustMarshal(lambdaItem(d.Keys))), aws.ToString(d.SequenceNumber)
			if d.ApproximateCreationDateTime != nil {
				out.At = model.NewTime(*d.ApproximateCreationDateTime)
			}
		}
		return out
	})
}
