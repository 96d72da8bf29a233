package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/internal/envelope"
	"github.com/tidemark-db/tidemark/internal/local"
	"github.com/tidemark-db/tidemark/internal/retry"
)

// awsConfig is how to reach AWS, or, where an endpoint is given, a server on this
// machine, which takes any credentials and must not be sent real ones.
func awsConfig(ctx context.Context, to *connection) (aws.Config, error) {
	if to.endpoint != "" {
		return aws.Config{
			Region: cmp.Or(to.region, local.Region),
			Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
				return aws.Credentials{AccessKeyID: "local", SecretAccessKey: "local"}, nil
			}),
		}, nil
	}
	read, err := config.LoadDefaultConfig(ctx, func(o *config.LoadOptions) error {
		o.Region = to.region
		return nil
	})
	if err != nil {
		return aws.Config{}, usagef("reach AWS: %w", err)
	}
	return read, nil
}

// streams reads ranges of table streams.
type streams struct {
	client *dynamodbstreams.Client
	region string
}

func openStreams(ctx context.Context, to *connection) (*streams, error) {
	read, err := awsConfig(ctx, to)
	if err != nil {
		return nil, err
	}
	client := dynamodbstreams.NewFromConfig(read, func(o *dynamodbstreams.Options) {
		if to.endpoint != "" {
			o.BaseEndpoint = &to.endpoint
		}
	})
	return &streams{client: client, region: read.Region}, nil
}

// An open stream shard may answer with nothing for a while before it answers with
// what it has.
const (
	emptyReads = 50
	emptyPause = 200 * time.Millisecond
)

// rangePage is a page of a range, as each of the functions reads it that the table stream
// invokes: what they cannot settle waits in one queue, and does not say whose it is.
type rangePage struct {
	envelope.StreamBatch                   // as aggregate does
	expiries             []envelope.Expiry // as purge does
}

// read hands out the records of a range, a page at a time, decoded as the functions
// decode them. Sequence numbers are not compared: the range ends where its last one
// is met.
func (s *streams) read(ctx context.Context, g envelope.GivenUp, take func(rangePage) error) error {
	out, err := s.client.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: &g.Stream, ShardId: &g.Shard, SequenceNumber: &g.First,
		ShardIteratorType: types.ShardIteratorTypeAtSequenceNumber,
	})
	if err != nil {
		return streamError(g, err)
	}
	empty := 0
	for at := out.ShardIterator; at != nil; {
		page, err := s.client.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: at})
		if err != nil {
			return streamError(g, err)
		}
		records, last := upTo(page.Records, g.Last)
		if len(records) > 0 {
			empty = 0
			if err := s.hand(g, records, take); err != nil {
				return err
			}
		}
		if last {
			return nil
		}
		if len(page.Records) == 0 {
			if empty++; empty > emptyReads {
				break
			}
			if err := retry.Sleep(ctx, emptyPause); err != nil {
				return err
			}
		}
		at = page.NextShardIterator
	}
	return fmt.Errorf("read shard %s: record %s, the last of the range, did not come", g.Shard, g.Last)
}

// upTo cuts records after the one that is the last of the range.
func upTo(records []types.Record, last string) ([]types.Record, bool) {
	for i := range records {
		if d := records[i].Dynamodb; d != nil && d.SequenceNumber != nil && *d.SequenceNumber == last {
			return records[:i+1], true
		}
	}
	return records, false
}

func (s *streams) hand(g envelope.GivenUp, records []types.Record, take func(rangePage) error) error {
	var payload strings.Builder
	payload.WriteString(`{"Records":[`)
	for i := range records {
		if i > 0 {
			payload.WriteByte(',')
		}
		payload.Write(local.LambdaRecord(s.region, g.Stream, &records[i]))
	}
	payload.WriteString(`]}`)
	var decoder envelope.StreamDecoder
	batch, err := decoder.Decode([]byte(payload.String()))
	if err != nil {
		return err
	}
	expiries, err := envelope.Expiries([]byte(payload.String()))
	if err != nil {
		return err
	}
	return take(rangePage{batch, expiries})
}

// streamError tells a range that is forgotten from one that cannot be read now. A
// shard that is not there has ended more than a day ago; so has a stream.
func streamError(g envelope.GivenUp, err error) error {
	var old *types.TrimmedDataAccessException
	var gone *types.ResourceNotFoundException
	if errors.As(err, &old) || errors.As(err, &gone) {
		return fmt.Errorf("read shard %s: %w: %w", g.Shard, errTrimmed, err)
	}
	return fmt.Errorf("read shard %s: %w", g.Shard, err)
}
