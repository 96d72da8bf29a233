package tidemarkcdk

import (
	"context"
	"errors"
	"maps"
	"strconv"
	"sync"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// services are the AWS services around a stage, with what they count in a minute. Traffic is small: one
// change, one message of each source and one request a minute, and what the schedules do.
type services struct {
	mu        sync.Mutex // guards the fields below it
	metrics   map[string]float64
	failing   map[string]bool // functions whose invocations fail
	throttled map[string]bool // functions without concurrency
	stopped   map[string]bool // mappings, schedules and targets that do nothing
	dead      int             // messages in the on-failure queue
	full      map[string]bool // tables and indexes that throttle
	waiting   map[string][]time.Time
}

func newServices() *services {
	return &services{metrics: map[string]float64{}, failing: map[string]bool{}, throttled: map[string]bool{},
		stopped: map[string]bool{},
		full:    map[string]bool{}, waiting: map[string][]time.Time{}}
}

func (s *services) add(metric string, n float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.metrics[metric] += n
}

func (s *services) is(state map[string]bool, name string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return state[name]
}

func (s *services) set(state map[string]bool, name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state[name] = true
}

var errFunction = errors.New("the function failed")

// invoke invokes a function of the stage, as Lambda counts it.
func (s *services) invoke(function string) error {
	if s.is(s.throttled, function) {
		s.add("AWS/Lambda Throttles "+function, 1)
		return errFunction
	}
	s.add("AWS/Lambda Invocations "+function, 1)
	if s.is(s.failing, function) {
		s.add("AWS/Lambda Errors "+function, 1)
		return errFunction
	}
	return nil
}

// changes is a table stream with a record for each minute.
type changes struct {
	began time.Time
	read  func(n int)
}

func (c *changes) Shards(context.Context) ([]eventsource.Shard, error) {
	return []eventsource.Shard{{ID: "a"}}, nil
}

func (c *changes) Read(_ context.Context, _, after string) (page eventsource.Page, _ error) {
	from, _ := strconv.Atoi(after)
	for n := from + 1; !c.began.Add(time.Duration(n) * time.Minute).After(time.Now()); n++ {
		page.Records = append(page.Records, eventsource.Record{Seq: strconv.Itoa(n), Item: "i", Body: []byte("{}"),
			At: model.NewTime(c.began.Add(time.Duration(n) * time.Minute))})
	}
	c.read(len(page.Records))
	return page, nil
}

// follow runs the mapping of the table stream to a function until ctx ends.
func (s *services) follow(ctx context.Context, mapping, function string) {
	source := &changes{began: time.Now().Add(-30 * time.Second), read: func(n int) {
		s.add("AWS/Lambda PolledEventCount "+mapping, float64(n))
	}}
	m := &eventsource.Mapping{
		Source: source, Stream: "arn", Settings: eventsource.Settings{MaxRetries: 2},
		Now: func() model.Time { return model.NewTime(time.Now()) }, Sleep: retry.Sleep,
		Invoke: func(context.Context, []byte) ([]byte, error) { return nil, s.invoke(function) },
		OnFailure: func(_ context.Context, g eventsource.GivenUp) error {
			if s.is(s.stopped, "OnFailureQueue") { // Lambda drops what it cannot send
				s.add("AWS/Lambda DroppedEventCount "+mapping, float64(g.Records))
				return nil
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			s.dead++
			return nil
		},
	}
	for ctx.Err() == nil {
		if s.is(s.stopped, mapping) {
			_ = retry.Sleep(ctx, time.Second)
			continue
		}
		running, stop := context.WithCancel(ctx)
		go func() {
			for !s.is(s.stopped, mapping) && retry.Sleep(running, time.Second) == nil {
			}
			stop()
		}()
		_ = m.Run(running) // it ends with its context only
		stop()
	}
}

// ages are the metrics of what waits in front of ingest: each service defines their unit.
var ages = map[string]time.Duration{
	"AWS/SQS ApproximateAgeOfOldestMessage InboxQueue.QueueName": time.Second,
	"AWS/Kinesis GetRecords.IteratorAgeMilliseconds InletStream": time.Millisecond,
	"AWS/Lambda AsyncEventAge IngestFunction":                    time.Millisecond,
}

// pass lets a minute pass, and returns what was published in it.
func (s *services) pass() map[string]float64 {
	for metric := range ages {
		s.waiting[metric] = append(s.waiting[metric], time.Now())
		for len(s.waiting[metric]) > 0 && s.invoke("IngestFunction") == nil {
			s.waiting[metric] = s.waiting[metric][1:]
		}
	}
	if s.invoke("IngestFunction") != nil { // a request
		s.add("AWS/ApiGateway 5xx Api", 1)
	}
	if !s.is(s.stopped, "PurgeSchedule") {
		_ = s.invoke("PurgeFunction")
	}
	for _, metric := range []string{"Read", "Write"} {
		for _, of := range []string{"Table", "Table gsi1", "Table gsi2"} {
			if s.is(s.full, metric+" "+of) {
				s.add("AWS/DynamoDB "+metric+"ThrottleEvents "+of, 1)
			}
		}
	}
	if s.is(s.stopped, "Topic") {
		s.add("AWS/Events FailedInvocations "+alertTarget, 1)
	}
	time.Sleep(time.Minute)
	synctest.Wait()
	for metric, unit := range ages {
		if queue := s.waiting[metric]; len(queue) > 0 {
			s.add(metric, float64(time.Since(queue[0])/unit))
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.dead > 0 {
		s.metrics["AWS/SQS ApproximateNumberOfMessagesVisible OnFailureQueue.QueueName"] = float64(s.dead)
	}
	published := maps.Clone(s.metrics)
	clear(s.metrics)
	return published
}

const alertTarget = "AlertBus tidemark-full-critical-alerts"
