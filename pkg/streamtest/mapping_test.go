package streamtest_test

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

	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// stream is a table stream of shards that tests write to.
type stream struct {
	mu     sync.Mutex
	shards []streamtest.Shard
	pages  map[string][]streamtest.Record
	closed map[string]bool
	broken int // reads that fail first
}

func newStream(shards ...streamtest.Shard) *stream {
	return &stream{shards: shards, pages: map[string][]streamtest.Record{}, closed: map[string]bool{}}
}

func (s *stream) Shards(context.Context) ([]streamtest.Shard, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken > 0 {
		s.broken--
		return nil, errors.New("not now")
	}
	return slices.Clone(s.shards), nil
}

func (s *stream) Read(_ context.Context, shard, after string) (streamtest.Page, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken > 0 {
		s.broken--
		return streamtest.Page{}, errors.New("not now")
	}
	all := s.pages[shard]
	from := slices.IndexFunc(all, func(r streamtest.Record) bool { return r.Seq == after }) + 1
	records := all[from:min(len(all), from+70)]
	return streamtest.Page{Records: slices.Clone(records), Closed: s.closed[shard] && from+70 >= len(all)}, nil
}

// write appends records numbered from first to last, of as many items as are given.
func (s *stream) write(shard string, first, last, items int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for n := first; n <= last; n++ {
		item := fmt.Sprint("item", n%items)
		body := fmt.Sprintf(`{"eventName":"INSERT","dynamodb":{"SequenceNumber":"%d","Keys":{"sk":{"S":"%s"}}}}`, n, item)
		s.pages[shard] = append(s.pages[shard], streamtest.Record{
			Seq: fmt.Sprint(n), Item: item, At: model.TimeOf(time.Now()), Body: json.RawMessage(body),
		})
	}
}

func (s *stream) close(shard string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed[shard] = true
}

// function is what a mapping invokes: it keeps every batch, and answers by script.
type function struct {
	mu      sync.Mutex
	batches [][]string // sequence numbers
	times   []time.Time
	answer  func(seqs []string) ([]byte, error) // nil acknowledges all
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
	if f.answer == nil {
		return nil, nil
	}
	return f.answer(seqs)
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

// bench is a mapping in time that stands still while nothing happens.
type bench struct {
	*streamtest.Mapping
	stream   *stream
	function *function
	mu       sync.Mutex
	givenUp  []streamtest.GivenUp
}

func newBench(settings streamtest.Settings) *bench {
	b := &bench{stream: newStream(streamtest.Shard{ID: "s"}), function: &function{}}
	b.Mapping = &streamtest.Mapping{
		Source: b.stream, Invoke: b.function.Invoke, Settings: settings, Stream: "arn:stream",
		Now: func() model.Time { return model.TimeOf(time.Now()) },
		Sleep: func(ctx context.Context, d time.Duration) error {
			select {
			case <-time.After(d):
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		},
		OnFailure: func(_ context.Context, g streamtest.GivenUp) error {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.givenUp = append(b.givenUp, g)
			return nil
		},
	}
	return b
}

// run runs the mapping while body does, and ends it.
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

// drain runs the mapping until all that is in the stream has been dealt with.
func (b *bench) drain(t *testing.T) {
	t.Helper()
	b.run(t, func(ctx context.Context) {
		if err := b.CaughtUp(ctx); err != nil {
			t.Error(err)
		}
	})
}

func TestMapping_DeliversAllInOrderInBatchesOfTheSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(streamtest.Settings{BatchSize: 100, Window: time.Second})
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

func TestMapping_BatchThatIsNotFullGathersForTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(streamtest.Settings{BatchSize: 100, Window: 5 * time.Second})
		b.run(t, func(context.Context) {
			start := time.Now()
			for n := 1; n <= 8; n++ {
				b.stream.write("s", n, n, 1)
				time.Sleep(time.Second)
			}
			time.Sleep(10 * time.Second)
			if got := b.function.delivered(); got != "1 2 3 4 5 | 6 7 8" && got != "1 2 3 4 5 6 | 7 8" {
				t.Errorf("delivered %s, want what came within the window together", got)
			}
			if first := b.function.first().Sub(start); first < 5*time.Second || first > 6*time.Second {
				t.Errorf("the first batch went out after %s, want about 5 s", first)
			}
		})
	})
}

func TestMapping_BatchIsCutAtSixMegabytes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(streamtest.Settings{BatchSize: 100})
		b.stream.write("s", 1, 20, 1)
		pad := strings.Repeat(" ", 1<<20)
		for i := range b.stream.pages["s"] {
			b.stream.pages["s"][i].Body = append(json.RawMessage(pad), b.stream.pages["s"][i].Body...)
		}
		b.drain(t)
		if got := sizes(b.function.batches); !slices.Equal(got, []int{5, 5, 5, 5}) {
			t.Errorf("20 records of a megabyte and a bit: batches of %v, want four of 5", got)
		}
	})
}

func TestMapping_FilteredRecordsAreNeverDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		filter, err := streamtest.ParseFilter(`{"dynamodb":{"Keys":{"sk":{"S":["item1"]}}}}`)
		if err != nil {
			t.Fatal(err)
		}
		b := newBench(streamtest.Settings{Filter: filter})
		b.stream.write("s", 1, 6, 3)
		b.drain(t)
		if got := b.function.delivered(); got != "1 4" {
			t.Errorf("delivered %s, want 1 4", got)
		}
	})
}

func TestMapping_ChildShardWaitsForItsParent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(streamtest.Settings{BatchSize: 10, MaxRetries: -1})
		b.stream.shards = []streamtest.Shard{{ID: "left", Parent: "s"}, {ID: "right", Parent: "s"}, {ID: "s", Parent: "gone"}}
		b.stream.write("s", 1, 30, 1)
		b.stream.write("left", 31, 40, 1)
		b.stream.write("right", 41, 50, 1)
		b.stream.close("s")
		failed := false
		b.function.answer = func(seqs []string) ([]byte, error) {
			if seqs[0] == "21" && !failed {
				failed = true
				return nil, errors.New("once")
			}
			return nil, nil
		}
		b.drain(t)
		got := slices.Concat(b.function.batches...)
		if len(got) < 40 || !slices.Equal(got[:40], slices.Concat(numbers(1, 30), numbers(21, 30))) {
			t.Errorf("delivered %v; want the parent to its end first", got)
		}
		if len(got) != 60 {
			t.Errorf("%d delivered, want 60: both children too", len(got))
		}
	})
}

func TestMapping_ChildrenAreReadOnceTheParentIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(streamtest.Settings{BatchSize: 10})
		b.stream.shards = []streamtest.Shard{{ID: "child", Parent: "s"}, {ID: "s"}}
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

func TestMapping_SourceThatFailsIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(streamtest.Settings{})
		b.stream.broken = 7
		b.stream.write("s", 1, 3, 1)
		b.drain(t)
		if got := b.function.delivered(); got != "1 2 3" {
			t.Errorf("delivered %s, want 1 2 3", got)
		}
	})
}

func TestMapping_ItemsKeepTheirOrderUnderParallelization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(streamtest.Settings{BatchSize: 7, Parallelization: 4, MaxRetries: -1})
		b.function.takes = 100 * time.Millisecond
		b.stream.write("s", 1, 400, 12)
		start := time.Now()
		b.drain(t)
		last := map[int]int{}
		for _, seq := range slices.Concat(b.function.batches...) {
			var n int
			fmt.Sscan(seq, &n)
			if n <= last[n%12] {
				t.Errorf("item%d: %d came after %d", n%12, n, last[n%12])
			}
			last[n%12] = n
		}
		if alone := time.Duration(len(b.function.batches)) * b.function.takes; time.Since(start) > alone*3/4 {
			t.Errorf("%d batches took %s: they were not under way at once", len(b.function.batches), time.Since(start))
		}
	})
}

func TestMapping_StopsWhileAFunctionIsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(streamtest.Settings{MaxRetries: -1})
		b.function.takes = time.Minute
		b.function.answer = func([]string) ([]byte, error) { return nil, errors.New("stopped") }
		b.stream.write("s", 1, 500, 1)
		b.run(t, func(context.Context) { time.Sleep(30 * time.Second) })
		if len(b.givenUp) != 0 {
			t.Errorf("given up %v: what was under way at the end is only not acknowledged", b.givenUp)
		}
	})
}
