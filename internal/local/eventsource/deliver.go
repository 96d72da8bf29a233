package eventsource

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// GivenUp describes a range of a shard that will not be delivered again. It contains the
// position of the records and not the records, as Lambda's on-failure message does.
type GivenUp struct {
	Condition string     // RetriesExhausted or AgeExceeded
	Invokes   int        // attempts to deliver the batch
	Stream    string     // ARN of the table stream
	Shard     string     // the stream shard
	First     string     // SequenceNumber of its first record
	Last      string     // SequenceNumber of its last record
	FirstAt   model.Time // time of the first change
	LastAt    model.Time // time of the last change
	Records   int        // number of records given up
	At        model.Time // when they were given up
}

// The values of GivenUp.Condition, as Lambda names them.
const (
	RetriesExhausted = "RetryAttemptsExhausted"
	AgeExceeded      = "RecordAgeExceeded"
)

// piece is records that are sent together, and the number of failed attempts.
type piece struct {
	records []Record
	tries   int
}

// Deliver delivers one batch of a shard, without Run. It returns only an error of ctx or Sleep.
func (m *Mapping) Deliver(ctx context.Context, shard string, batch []Record) error {
	l := lane{Mapping: m, shard: shard, state: &shardState{}}
	return l.deliver(ctx, batch)
}

// deliver invokes the function until each record of the batch is acknowledged or given up.
// Later records of the lane wait, so that retries keep the order.
func (l *lane) deliver(ctx context.Context, batch []Record) error {
	for work := []piece{{records: batch}}; len(work) > 0; {
		rest, err := l.attempt(ctx, work[0])
		if err != nil {
			return err
		}
		work = append(rest, work[1:]...)
	}
	return nil
}

// attempt sends a piece once and returns the pieces of it that are still to be sent.
func (l *lane) attempt(ctx context.Context, p piece) ([]piece, error) {
	p, err := l.dropOld(ctx, p)
	if err != nil || len(p.records) == 0 {
		return nil, err
	}
	response, err := l.Invoke(ctx, Payload(p.records))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	done, partial := 0, false
	if err == nil {
		done, partial = l.Settings.Acknowledged(response, p.records)
	}
	l.finish(done)
	return l.retry(ctx, piece{p.records[done:], p.tries}, partial)
}

// retry returns the pieces to send after a failure. A batch that failed as a whole is
// split, which does not count as a retry. A batch with a partial response is sent again from
// its first failed record, and is not split further.
func (l *lane) retry(ctx context.Context, p piece, partial bool) ([]piece, error) {
	n := len(p.records)
	if n == 0 {
		return nil, nil
	}
	if l.Settings.Bisect && !partial && n > 1 {
		return []piece{{p.records[:n/2], p.tries}, {p.records[n/2:], p.tries}}, nil
	}
	p.tries++
	if l.Settings.MaxRetries >= 0 && p.tries > l.Settings.MaxRetries {
		return nil, l.giveUp(ctx, RetriesExhausted, p.records, p.tries)
	}
	return []piece{p}, l.Sleep(ctx, min(lastRetry, firstRetry<<min(p.tries-1, 20)))
}

// dropOld gives up the records at the start of p that exceed the age limit.
func (l *lane) dropOld(ctx context.Context, p piece) (piece, error) {
	if l.Settings.MaxRecordAge == 0 {
		return p, nil
	}
	now := l.Now()
	young := slices.IndexFunc(p.records, func(r Record) bool { return now.Sub(r.At) <= l.Settings.MaxRecordAge })
	if young < 0 {
		young = len(p.records)
	}
	if young == 0 {
		return p, nil
	}
	return piece{p.records[young:], p.tries}, l.giveUp(ctx, AgeExceeded, p.records[:young], p.tries)
}

// giveUp calls OnFailure until it succeeds, so that no record is lost without a message.
func (l *lane) giveUp(ctx context.Context, condition string, records []Record, invokes int) error {
	first, last := records[0], records[len(records)-1]
	g := GivenUp{
		Condition: condition, Invokes: invokes, Stream: l.Stream, Shard: l.shard,
		First: first.Seq, Last: last.Seq, FirstAt: first.At, LastAt: last.At,
		Records: len(records), At: l.Now(),
	}
	for l.OnFailure != nil && l.OnFailure(ctx, g) != nil {
		if err := l.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	l.finish(len(records))
	return nil
}

func (l *lane) finish(n int) { l.progress.step(func() { l.state.pending -= n }) }

// Payload returns the event that Lambda sends for records.
func Payload(records []Record) []byte {
	size := len(`{"Records":[]}`)
	for _, r := range records {
		size += len(r.Body) + 1
	}
	b := append(make([]byte, 0, size), `{"Records":[`...)
	for i, r := range records {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, r.Body...)
	}
	return append(b, `]}`...)
}

// Acknowledged returns the number of records, from the first one, that a response acknowledges, and whether
// the response is valid. An empty response, null and an empty list acknowledge all records. A response that
// is not JSON, or that has an identifier of no record of the batch, acknowledges none.
func (s Settings) Acknowledged(response []byte, records []Record) (n int, valid bool) {
	if !s.ReportFailures || len(bytes.TrimSpace(response)) == 0 {
		return len(records), true
	}
	var in struct {
		Failures []struct {
			Seq string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(response, &in); err != nil {
		return 0, false
	}
	lowest := len(records)
	for _, f := range in.Failures {
		at := slices.IndexFunc(records, func(r Record) bool { return r.Seq != "" && r.Seq == f.Seq })
		if at < 0 {
			return 0, false
		}
		lowest = min(lowest, at)
	}
	return lowest, true
}
