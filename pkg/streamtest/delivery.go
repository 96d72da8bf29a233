package streamtest

import (
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/tidemark-db/tidemark/internal/base/lists"
	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
)

// Invoke calls the function under test with a payload, as Lambda does, and returns its response.
type Invoke func(ctx context.Context, payload []byte) ([]byte, error)

// Handler returns the function under test for one invocation.
type Handler func(*Process) Invoke

// Function returns a Handler for a function that needs no clock and no random source.
func Function(invoke Invoke) Handler { return func(*Process) Invoke { return invoke } }

// Process is the environment of one invocation.
type Process struct {
	Now   func() time.Time                                 // the clock, which may be skewed
	Sleep func(ctx context.Context, d time.Duration) error // waits for a simulated duration
	Rand  io.Reader                                        // a random source that depends on the seed

	process *simstream.Process
}

// Old reports whether this invocation runs the previous version, while a deployment replaces
// it. Call it only if the test has two versions.
func (p *Process) Old() bool { return p.process.Old() }

// Settings are the settings of the event source mapping, with the meaning that Lambda gives them.
type Settings struct {
	BatchSize       int           // most records per invocation; zero means 100
	MaxRetries      int           // of a batch that fails; negative means no limit
	MaxRecordAge    time.Duration // older records are given up; zero means no limit
	Bisect          bool          // split a failed batch in two
	Parallelization int           // concurrent batches of a shard; zero means one
	Filter          []string      // filter patterns in JSON; nil delivers all records
	ReportFailures  bool          // use batchItemFailures of the response
}

// Delivery connects the function under test to the table stream.
type Delivery struct {
	Settings Settings
	Handler  Handler
	// GivenUp is called for records that exceeded their retries or age, for which Lambda
	// sends a message to the on-failure destination. It may be nil.
	GivenUp func(GivenUp)
	// Lost is called for records that the stream removed before they were delivered, which
	// in AWS nothing reports. It may be nil.
	Lost func(records []json.RawMessage)
}

// GivenUp describes records that will not be delivered again.
type GivenUp struct {
	Condition string            // RetryAttemptsExhausted or RecordAgeExceeded
	Invokes   int               // attempts to deliver the batch
	Stream    string            // ARN of the table stream
	Shard     string            // the stream shard
	First     string            // sequence number of the first record
	Last      string            // sequence number of the last record
	Records   []json.RawMessage // the records, which Lambda's message does not contain
}

// Deliver delivers the changes of all tables of the history. Call it once, before any change.
// An invalid filter pattern fails the history.
func (s *Sim) Deliver(d Delivery) {
	filter, err := eventsource.ParseFilter(d.Settings.Filter...)
	if err != nil {
		s.Fail(err)
		return
	}
	s.sim.Deliver(simstream.Delivery{
		Settings: eventsource.Settings{
			BatchSize: d.Settings.BatchSize, MaxRetries: d.Settings.MaxRetries, MaxRecordAge: d.Settings.MaxRecordAge,
			Bisect: d.Settings.Bisect, Parallelization: d.Settings.Parallelization, Filter: filter,
			ReportFailures: d.Settings.ReportFailures,
		},
		Handler: func(p *simstream.Process) eventsource.Invoke {
			now := func() time.Time { return p.Now().Time() }
			return eventsource.Invoke(d.Handler(&Process{Now: now, Sleep: p.Sleep, Rand: p.Rand, process: p}))
		},
		GivenUp: func(g eventsource.GivenUp, records []eventsource.Record) {
			if d.GivenUp != nil {
				d.GivenUp(GivenUp{
					Condition: g.Condition, Invokes: g.Invokes, Stream: g.Stream, Shard: g.Shard,
					First: g.First, Last: g.Last, Records: recordBodies(records),
				})
			}
		},
		Lost: func(records []eventsource.Record) {
			if d.Lost != nil {
				d.Lost(recordBodies(records))
			}
		},
	})
}

func recordBodies(records []eventsource.Record) []json.RawMessage {
	return lists.Map(records, func(r eventsource.Record) json.RawMessage { return r.Body })
}
