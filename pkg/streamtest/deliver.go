package streamtest

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// GivenUp says which range of a shard will not be delivered again. It carries no
// records, only where they stood, as Lambda's on-failure message does.
type GivenUp struct {
	Condition string     // RetriesExhausted or AgeExceeded
	Invokes   int        // how often the batch was tried
	Stream    string     // ARN of the table stream
	Shard     string     // the stream shard
	First     string     // SequenceNumber of its first record
	Last      string     // SequenceNumber of its last record
	FirstAt   model.Time // when the first change was made
	LastAt    model.Time // when the last change was made
	Records   int        // how many records were given up
	At        model.Time // when that was
}

// The conditions of GivenUp, as Lambda names them.
const (
	RetriesExhausted = "RetryAttemptsExhausted"
	AgeExceeded      = "RecordAgeExceeded"
)

// piece is records that are sent together, and how often they failed.
type piece struct {
	records []Record
	tries   int
}

// deliver brings a batch to its end: each record is acknowledged or given up. What
// follows waits, since the order of a lane is kept through every retry.
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

// attempt sends a piece once and answers what of it is still to be sent.
func (l *lane) attempt(ctx context.Context, p piece) ([]piece, error) {
	p, err := l.dropOld(ctx, p)
	if err != nil || len(p.records) == 0 {
		return nil, err
	}
	answer, err := l.Invoke(ctx, payload(p.records))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	settled, named := 0, false
	if err == nil {
		settled, named = l.settled(answer, p.records)
	}
	l.settle(settled)
	return l.retry(ctx, piece{p.records[settled:], p.tries}, named)
}

// retry says how what failed is sent again. A batch that failed whole is split, which
// counts no try; one whose answer named the first failed record has been split there
// already, and is sent again from that record on.
func (l *lane) retry(ctx context.Context, p piece, named bool) ([]piece, error) {
	n := len(p.records)
	if n == 0 {
		return nil, nil
	}
	if l.Settings.Bisect && !named && n > 1 {
		return []piece{{p.records[:n/2], p.tries}, {p.records[n/2:], p.tries}}, nil
	}
	p.tries++
	if l.Settings.MaxRetries >= 0 && p.tries > l.Settings.MaxRetries {
		return nil, l.giveUp(ctx, RetriesExhausted, p.records, p.tries)
	}
	return []piece{p}, l.Sleep(ctx, min(lastRetry, firstRetry<<min(p.tries-1, 20)))
}

// dropOld gives up the records at the front of p that are past the age limit.
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

// giveUp tells OnFailure, as often as it takes: nothing is lost silently.
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
	l.settle(len(records))
	return nil
}

func (l *lane) settle(n int) { l.progress.step(func() { l.state.pending -= n }) }

// payload is the event that Lambda sends.
func payload(records []Record) []byte {
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

// settled is how many records from the front an answer acknowledges, and whether it
// named where to go on. No answer, null and an empty list acknowledge all; an
// identifier that is empty, null, misspelt or of no record of the batch fails the
// batch whole, and so does an answer that is no JSON.
func (l *lane) settled(answer []byte, records []Record) (n int, named bool) {
	if !l.Settings.ReportFailures || len(bytes.TrimSpace(answer)) == 0 {
		return len(records), true
	}
	var in struct {
		Failures []struct {
			Seq string `json:"itemIdentifier"`
		} `json:"batchItemFailures"`
	}
	if err := json.Unmarshal(answer, &in); err != nil {
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
