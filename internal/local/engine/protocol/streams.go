package protocol

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/engine"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

// iteratorLifetime is how long an iterator can be used.
const iteratorLifetime = 15 * time.Minute

// sequence returns the sequence number of a record.
func sequence(seq uint64) string { return fmt.Sprintf("4%020d", seq) }

// parseSequence is the inverse of sequence.
func parseSequence(number string) (uint64, error) {
	digits, ok := strings.CutPrefix(number, "4")
	seq, err := strconv.ParseUint(digits, 10, 64)
	if !ok || err != nil || len(number) != 21 {
		return 0, invalidf("Invalid sequence number: %s", number)
	}
	return seq, nil
}

func shardID(n int) string { return fmt.Sprintf("shardId-%020d-%08x", n, n) }

// shardNumber is the inverse of shardID, for a shard of the table.
func (t *table) shardNumber(id string) (int, engine.Shard, error) {
	all, _ := t.Shards()
	for n, shard := range all {
		if shardID(n) == id {
			return n, shard, nil
		}
	}
	return 0, engine.Shard{}, &failure{notFound, "Requested resource not found: Shard does not exist"}
}

// stream returns the table of a stream.
func (s *Server) stream(arn string) (*table, error) {
	t, err := s.find(arn)
	if err != nil {
		return nil, &failure{notFound, "Requested resource not found: Stream: " + arn + " not found"}
	}
	_, label, _ := strings.Cut(arn, "/stream/")
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.streams) == 0 || t.streams[len(t.streams)-1] != label {
		return nil, &failure{notFound, "Requested resource not found: Stream: " + arn + " not found"}
	}
	return t, nil
}

type listStreamsInput struct {
	TableName               string
	Limit                   int
	ExclusiveStartStreamArn string
}

type streamSummary struct{ StreamArn, StreamLabel, TableName string }

func listStreams(s *Server, in *listStreamsInput) (any, error) {
	out := struct{ Streams []streamSummary }{[]streamSummary{}}
	s.each(func(t *table) {
		if d := s.describe(t); d.LatestStreamArn != "" && (in.TableName == "" || in.TableName == t.name) {
			out.Streams = append(out.Streams, streamSummary{
				StreamArn: d.LatestStreamArn, StreamLabel: d.LatestStreamLabel, TableName: t.name,
			})
		}
	})
	return out, nil
}

type describeStreamInput struct {
	StreamArn             string
	ExclusiveStartShardId string
	Limit                 int
}

type shardOutput struct {
	ShardId             string
	ParentShardId       string `json:",omitempty"`
	SequenceNumberRange struct {
		StartingSequenceNumber string
		EndingSequenceNumber   string `json:",omitempty"`
	}
}

type streamDescription struct {
	StreamArn, StreamLabel, StreamStatus, StreamViewType, TableName string
	CreationRequestDateTime                                         float64
	KeySchema                                                       []keyElement
	Shards                                                          []shardOutput
	LastEvaluatedShardId                                            string `json:",omitempty"`
}

// shardsAPage is how many shards DescribeStream lists.
const shardsAPage = 100

func describeStream(s *Server, in *describeStreamInput) (any, error) {
	t, err := s.stream(in.StreamArn)
	if err != nil {
		return nil, err
	}
	d := s.describe(t)
	out := streamDescription{
		StreamArn: d.LatestStreamArn, StreamLabel: d.LatestStreamLabel, TableName: t.name,
		StreamViewType: newAndOldImages, StreamStatus: "ENABLED", CreationRequestDateTime: d.CreationDateTime,
		KeySchema: d.KeySchema,
		Shards:    []shardOutput{},
	}
	if d.StreamSpecification == nil {
		out.StreamStatus = "DISABLED"
	}
	limit := shardsAPage
	if in.Limit > 0 {
		limit = min(in.Limit, limit)
	}
	all, trimmed := t.Shards()
	for n, shard := range all {
		if shard.Last > 0 && shard.Last <= trimmed || in.ExclusiveStartShardId >= shardID(n) {
			continue // its records are gone, or it was listed before
		}
		if len(out.Shards) == limit {
			out.LastEvaluatedShardId = out.Shards[limit-1].ShardId
			break
		}
		out.Shards = append(out.Shards, describeShard(n, shard))
	}
	return struct{ StreamDescription streamDescription }{out}, nil
}

func describeShard(n int, shard engine.Shard) (out shardOutput) {
	out.ShardId = shardID(n)
	out.SequenceNumberRange.StartingSequenceNumber = sequence(shard.First)
	if shard.Parent >= 0 {
		out.ParentShardId = shardID(shard.Parent)
	}
	if shard.Last > 0 {
		out.SequenceNumberRange.EndingSequenceNumber = sequence(shard.Last)
	}
	return out
}

type shardIteratorInput struct{ StreamArn, ShardId, ShardIteratorType, SequenceNumber string }

func getShardIterator(s *Server, in *shardIteratorInput) (any, error) {
	t, err := s.stream(in.StreamArn)
	if err != nil {
		return nil, err
	}
	n, shard, err := t.shardNumber(in.ShardId)
	if err != nil {
		return nil, err
	}
	_, trimmed := t.Shards()
	after := max(trimmed, shard.First-1)
	switch in.ShardIteratorType {
	case "TRIM_HORIZON":
	case "LATEST":
		if after = t.Tail(); shard.Last > 0 {
			after = shard.Last
		}
	case "AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER":
		if after, err = parseSequence(in.SequenceNumber); err != nil {
			return nil, err
		}
		if in.ShardIteratorType == "AT_SEQUENCE_NUMBER" {
			after--
		}
		if after < trimmed {
			return nil, &failure{trimmedData,
				"The operation attempted to read past the oldest stream record in a shard."}
		}
	default:
		return nil, invalidAt("shardIteratorType", in.ShardIteratorType,
			"Member must satisfy enum value set: [AFTER_SEQUENCE_NUMBER, LATEST, AT_SEQUENCE_NUMBER, "+
				"TRIM_HORIZON]")
	}
	return struct{ ShardIterator string }{s.iterator(in.StreamArn, n, after)}, nil
}

// iterator returns an iterator of a shard after a record.
func (s *Server) iterator(arn string, shard int, after uint64) string {
	return fmt.Sprintf("%s|%d|%d|%d", arn, shard, after, s.now())
}

// parseIterator is the inverse of iterator.
func parseIterator(text string) (arn string, shard int, after uint64, issued int64, err error) {
	parts := strings.Split(text, "|")
	if len(parts) == 4 {
		arn = parts[0]
		if _, err = fmt.Sscanf(strings.Join(parts[1:], " "), "%d %d %d", &shard, &after, &issued); err == nil {
			return arn, shard, after, issued, nil
		}
	}
	return "", 0, 0, 0, invalid("Invalid ShardIterator")
}

type getRecordsInput struct {
	ShardIterator string
	Limit         *int
}

// maxRecords is how many records one request returns.
const maxRecords = 1000

func getRecords(s *Server, in *getRecordsInput) (any, error) {
	arn, shard, after, issued, err := parseIterator(in.ShardIterator)
	if err != nil {
		return nil, err
	}
	if int64(s.now())-issued > iteratorLifetime.Milliseconds() {
		return nil, &failure{expiredIterator, "The provided iterator exceeds the maximum age allowed."}
	}
	t, err := s.stream(arn)
	if err != nil {
		return nil, err
	}
	limit := maxRecords
	if in.Limit != nil {
		if limit = *in.Limit; limit < 1 || limit > maxRecords {
			return nil, invalidAt("limit", strconv.Itoa(limit),
				fmt.Sprintf("Member must have value between 1 and %d", maxRecords))
		}
	}
	page, next, gone, end := t.ReadShard(shard, after, limit)
	if gone {
		return nil, &failure{trimmedData,
			"The operation attempted to read past the oldest stream record in a shard."}
	}
	if young := t.limits.young(page); young >= 0 {
		next, end = page[young].Seq-1, false
		page = page[:young]
	}
	out := &recordsOutput{schema: t.Schema(), region: s.region, records: page}
	if !end {
		out.next = s.iterator(arn, shard, next)
	}
	return out, nil
}

// recordsOutput is the response of GetRecords.
type recordsOutput struct {
	schema  engine.Schema
	region  string
	records []engine.Record
	next    string // "" at the end of a closed shard
}

func (o *recordsOutput) appendTo(dst []byte) []byte {
	dst = append(dst, `{"Records":[`...)
	for i := range o.records {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = o.appendRecord(dst, &o.records[i])
	}
	dst = append(dst, ']')
	if o.next != "" {
		dst = appendQuoted(append(dst, `,"NextShardIterator":`...), o.next)
	}
	return append(dst, '}')
}

func (o *recordsOutput) appendRecord(dst []byte, r *engine.Record) []byte {
	dst = append(append(dst, `{"eventID":"`...), r.EventID()...)
	dst = append(append(dst, `","eventName":"`...), r.Name()...)
	dst = append(append(dst, `","eventVersion":"1.1","eventSource":"aws:dynamodb","awsRegion":"`...),
		o.region...)
	if dst = append(dst, '"'); r.Service {
		dst = append(dst, `,"userIdentity":{"PrincipalId":"dynamodb.amazonaws.com","Type":"Service"}`...)
	}
	dst = strconv.AppendInt(append(dst, `,"dynamodb":{"ApproximateCreationDateTime":`...), r.At.Seconds(), 10)
	dst = appendItem(append(dst, `,"Keys":`...), o.schema.KeyItem(r.Keys))
	for _, image := range []struct {
		name string
		it   item.Item
	}{{"NewImage", r.New}, {"OldImage", r.Old}} {
		if image.it != nil {
			dst = append(append(append(dst, `,"`...), image.name...), `":`...)
			dst = appendItem(dst, image.it)
		}
	}
	dst = append(append(dst, `,"SequenceNumber":"`...), sequence(r.Seq)...)
	dst = strconv.AppendInt(append(dst, `","SizeBytes":`...), int64(r.Old.Size()+r.New.Size()), 10)
	return append(dst, `,"StreamViewType":"NEW_AND_OLD_IMAGES"}}`...)
}
