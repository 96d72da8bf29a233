package eventsource_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// stream is a table stream of shards that tests write to.
type stream struct {
	mu     sync.Mutex
	shards []eventsource.Shard
	pages  map[string][]eventsource.Record
	closed map[string]bool
	broken int // reads that fail first
}

func newStream(shards ...eventsource.Shard) *stream {
	return &stream{shards: shards, pages: map[string][]eventsource.Record{}, closed: map[string]bool{}}
}

func (s *stream) Shards(context.Context) ([]eventsource.Shard, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken > 0 {
		s.broken--
		return nil, errors.New("not now")
	}
	return slices.Clone(s.shards), nil
}

func (s *stream) Read(_ context.Context, shard, after string) (eventsource.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken > 0 {
		s.broken--
		return eventsource.Page{}, errors.New("not now")
	}
	all := s.pages[shard]
	from := slices.IndexFunc(all, func(r eventsource.Record) bool { return r.Seq == after }) + 1
	records := all[from:min(len(all), from+70)]
	return eventsource.Page{Records: slices.Clone(records), Closed: s.closed[shard] && from+70 >= len(all)}, nil
}

// write appends records numbered from first to last, of as many items as are given.
func (s *stream) write(shard string, first, last, items int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := first; n <= last; n++ {
		item := fmt.Sprint("item", n%items)
		body := fmt.Sprintf(`{"eventName":"INSERT","dynamodb":{"SequenceNumber":"%d","Keys":{"sk":{"S":"%s"}}}}`, n,
			item)
		s.pages[shard] = append(s.pages[shard], eventsource.Record{
			Seq: fmt.Sprint(n), Item: item, At: model.NewTime(time.Now()), Body: json.RawMessage(body),
		})
	}
}

func (s *stream) close(shard string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed[shard] = true
}

// function records every batch, and returns scripted responses.
type function struct {
	mu      sync.Mutex
	batches [][]string // sequence numbers
	times   []time.Time
	respond func(seqs []string) ([]byte, error) // nil acknowledges all
	takes   time.Duration
}

func (f *function) Invoke(_ context.Context, payload []byte) ([]byte, error) {
	var in struct {
		Records []struct {
			DynamoDB struct{ SequenceNumber string } `json:"dynamodb"`
		}
	}
	if err := json.Unmarshal(payload, &in); err != nil {
		return nil, err
	}
	var seqs []string
	for _, r := range in.Records {
		seqs = append(seqs, r.DynamoDB.SequenceNumber)
	}
	f.mu.Lock()
	f.batches = append(f.batches, seqs)
	f.times = append(f.times, time.Now())
	f.mu.Unlock()
	time.Sleep(f.takes)
	if f.respond == nil {
		return nil, nil
	}
	return f.respond(seqs)
}

func (f *function) delivered() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []string
	for _, b := range f.batches {
		all = append(all, strings.Join(b, " "))
	}
	return strings.Join(all, " | ")
}

func (f *function) first() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.times[0]
}

func sizes(batches [][]string) (n []int) {
	for _, b := range batches {
		n = append(n, len(b))
	}
	return n
}

func numbers(first, last int) (all []string) {
	for n := first; n <= last; n++ {
		all = append(all, fmt.Sprint(n))
	}
	return all
}

// bench is a mapping on simulated time.
type bench struct {
	*eventsource.Mapping
	stream   *stream
	function *function
	mu       sync.Mutex
	givenUp  []eventsource.GivenUp
}

func newBench(settings eventsource.Settings) *bench {
	b := &bench{stream: newStream(eventsource.Shard{ID: "s"}), function: &function{}}
	b.Mapping = &eventsource.Mapping{
		Source: b.stream, Invoke: b.function.Invoke, Settings: settings, Stream: "arn:stream",
		Now: func() model.Time { return model.NewTime(time.Now()) },
		Sleep: func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		OnFailure: func(_ context.Context, g eventsource.GivenUp) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.givenUp = append(b.givenUp, g)
			return nil
		},
	}
	return b
}

// run runs the mapping during body.
func (b *bench) run(t *testing.T, body func(ctx context.Context)) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- b.Run(ctx) }()
	body(ctx)
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run ended with %v, want the context's error", err)
	}
}

// drain runs the mapping until every record is acknowledged or given up.
func (b *bench) drain(t *testing.T) {
	t.Helper()
	b.run(t, func(ctx context.Context) {
		if err := b.CaughtUp(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestMapping_DeliversInOrderInFullBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 100, Window: time.Second})
		b.stream.write("s", 1, 250, 3)
		b.drain(t)
		if got := slices.Concat(b.function.batches...); !slices.Equal(got, numbers(1, 250)) {
			t.Errorf("delivered %v, want 1 to 250 in order", got)
		}
		if got := sizes(b.function.batches); !slices.Equal(got, []int{100, 100, 50}) {
			t.Errorf("batches of %v, want 100, 100, 50", got)
		}
	})
}

func TestMapping_IncompleteBatchWaitsForTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 100, Window: 5 * time.Second})
		b.run(t, func(context.Context) {
			start := time.Now()
			for n := 1; n <= 8; n++ {
				b.stream.write("s", n, n, 1)
				time.Sleep(time.Second)
			}
			time.Sleep(10 * time.Second)
			if got := b.function.delivered(); got != "1 2 3 4 5 | 6 7 8" && got != "1 2 3 4 5 6 | 7 8" {
				t.Errorf("delivered %s, want the records of the window in one batch", got)
			}
			if first := b.function.first().Sub(start); first < 5*time.Second || first > 6*time.Second {
				t.Errorf("the first batch was sent after %s, want about 5 s", first)
			}
		})
	})
}

func TestMapping_BatchHasAtMostSixMegabytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 100})
		b.stream.write("s", 1, 20, 1)
		pad := strings.Repeat(" ", 1<<20)
		for i := range b.stream.pages["s"] {
			b.stream.pages["s"][i].Body = append(json.RawMessage(pad), b.stream.pages["s"][i].Body...)
		}
		b.drain(t)
		if got := sizes(b.function.batches); !slices.Equal(got, []int{5, 5, 5, 5}) {
			t.Errorf("20 records of over a megabyte: batches of %v, want four of 5", got)
		}
	})
}

func TestMapping_FilteredRecordsAreNeverDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		filter, err := eventsource.ParseFilter(`{"dynamodb":{"Keys":{"sk":{"S":["item1"]}}}}`)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(eventsource.Settings{Filter: filter})
		b.stream.write("s", 1, 6, 3)
		b.drain(t)
		if got := b.function.delivered(); got != "1 4" {
			t.Errorf("delivered %s, want 1 4", got)
		}
	})
}

func TestMapping_ChildShardWaitsForItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 10, MaxRetries: -1})
		b.stream.shards = []eventsource.Shard{{ID: "left", Parent: "s"}, {ID: "right", Parent: "s"},
			{ID: "s", Parent: "gone"}}
		b.stream.write("s", 1, 30, 1)
		b.stream.write("left", 31, 40, 1)
		b.stream.write("right", 41, 50, 1)
		b.stream.close("s")
		failed := false
		b.function.respond = func(seqs []string) ([]byte, error) {
			if seqs[0] == "21" && !failed {
				failed = true
				return nil, errors.New("once")
			}
			return nil, nil
		}
		b.drain(t)
		got := slices.Concat(b.function.batches...)
		if len(got) < 40 || !slices.Equal(got[:40], slices.Concat(numbers(1, 30), numbers(21, 30))) {
			t.Errorf("delivered %v; want all of the parent first", got)
		}
		if len(got) != 60 {
			t.Errorf("%d delivered, want 60 with both children", len(got))
		}
	})
}

func TestMapping_ChildrenAreReadOnceTheParentIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 10})
		b.stream.shards = []eventsource.Shard{{ID: "child", Parent: "s"}, {ID: "s"}}
		b.stream.write("s", 1, 5, 1)
		b.stream.write("child", 6, 9, 1)
		b.run(t, func(context.Context) {
			time.Sleep(time.Minute)
			if got := b.function.delivered(); got != "1 2 3 4 5" {
				t.Errorf("delivered %s before the parent was closed", got)
			}
			b.stream.close("s")
			time.Sleep(time.Minute)
			if got := b.function.delivered(); got != "1 2 3 4 5 | 6 7 8 9" {
				t.Errorf("delivered %s, want the child after its parent", got)
			}
		})
	})
}

func TestMapping_FailedReadIsRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{})
		b.stream.broken = 7
		b.stream.write("s", 1, 3, 1)
		b.drain(t)
		if got := b.function.delivered(); got != "1 2 3" {
			t.Errorf("delivered %s, want 1 2 3", got)
		}
	})
}

func TestMapping_ParallelizationKeepsTheOrderOfItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 7, Parallelization: 4, MaxRetries: -1})
		b.function.takes = 100 * time.Millisecond
		b.stream.write("s", 1, 400, 12)
		start := time.Now()
		b.drain(t)
		last := map[int]int{}
		for _, seq := range slices.Concat(b.function.batches...) {
			var n int
			fmt.Sscan(seq, &n)
			if n <= last[n%12] {
				t.Errorf("item%d: %d was delivered after %d", n%12, n, last[n%12])
			}
			last[n%12] = n
		}
		if alone := time.Duration(len(b.function.batches)) * b.function.takes; time.Since(start) > alone*3/4 {
			t.Errorf("%d batches took %s: they were not concurrent", len(b.function.batches), time.Since(start))
		}
	})
}

func TestMapping_StopsWhileAFunctionIsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{MaxRetries: -1})
		b.function.takes = time.Minute
		b.function.respond = func([]string) ([]byte, error) { return nil, errors.New("stopped") }
		b.stream.write("s", 1, 500, 1)
		b.run(t, func(context.Context) { time.Sleep(30 * time.Second) })
		if len(b.givenUp) != 0 {
			t.Errorf("given up %v, want none: a batch that was interrupted is not acknowledged", b.givenUp)
		}
	})
}
