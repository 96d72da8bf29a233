package streamrange

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"github.com/tidemark-db/tidemark/internal/store/tablestream"
)

// shard returns its pages one by one; "" in a page is an empty page. After the last page
// the shard stays open and returns empty pages.
type shard struct {
	pages []string // sequence numbers, one a page
	next  int
	err   error // of the first request
}

func (s *shard) GetShardIterator(context.Context, *dynamodbstreams.GetShardIteratorInput,
	...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetShardIteratorOutput, error) {
	return &dynamodbstreams.GetShardIteratorOutput{ShardIterator: new("0")}, s.err
}

func (s *shard) GetRecords(context.Context, *dynamodbstreams.GetRecordsInput,
	...func(*dynamodbstreams.Options)) (*dynamodbstreams.GetRecordsOutput, error) {
	out := &dynamodbstreams.GetRecordsOutput{NextShardIterator: new("next")}
	if s.next < len(s.pages) && s.pages[s.next] != "" {
		out.Records = []types.Record{{Dynamodb: &types.StreamRecord{SequenceNumber: &s.pages[s.next]}}}
	}
	s.next++
	return out, nil
}

// read returns the sequence numbers of a range.
func read(t *testing.T, s *shard, last string) (got []string, err error) {
	t.Helper()
	r := &Reader{
		Client: s,
		Encode: func(_, _ string, r *types.Record) []byte {
			return []byte(`{"eventName":"INSERT","dynamodb":{"Keys":{"pk":{"S":"X"},"sk":{"S":"Y"}},"SequenceNumber":"` + *r.Dynamodb.SequenceNumber + `"}}`)
		},
		Sleep: func(context.Context, time.Duration) error { return nil },
	}
	wanted := tablestream.FailedRange{Shard: "s", First: "1", Last: last}
	err = r.Read(t.Context(), wanted, func(p Page) error {
		got = append(got, p.Seqs...)
		if len(p.Expiries) != len(p.Seqs) {
			t.Errorf("%d records, decoded as %d expiries", len(p.Seqs), len(p.Expiries))
		}
		return nil
	})
	return got, err
}

func TestReader_ReadsUpToTheLastRecordOfTheRange(t *testing.T) {
	got, err := read(t, &shard{pages: []string{"1", "", "", "2", "3", "4"}}, "3")
	if want := []string{"1", "2", "3"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("read %v, %v; want %v", got, err, want)
	}
}

func TestReader_ReportsARangeWithoutItsLastRecord(t *testing.T) {
	if _, err := read(t, &shard{pages: []string{"1", "2"}}, "9"); err == nil || errors.Is(err, ErrTrimmed) {
		t.Errorf("got %v, want an error that is not ErrTrimmed", err)
	}
}

func TestReader_RangeThatTheStreamNoLongerHasIsErrTrimmed(t *testing.T) {
	for _, c := range []struct {
		err     error
		trimmed bool
	}{
		{&types.TrimmedDataAccessException{}, true},
		{&types.ResourceNotFoundException{}, true},
		{errors.New("throttled"), false},
	} {
		if _, err := read(t, &shard{err: c.err}, "1"); err == nil || errors.Is(err, ErrTrimmed) != c.trimmed {
			t.Errorf("%v became %v, want trimmed %t", c.err, err, c.trimmed)
		}
	}
}
