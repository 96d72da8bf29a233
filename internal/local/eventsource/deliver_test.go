package eventsource_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
)

func failFrom(seq string) []byte {
	return fmt.Appendf(nil, `{"batchItemFailures":[{"itemIdentifier":%q}]}`, seq)
}

func TestDeliver_PartialFailureIsRetriedFromTheLowest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 5, MaxRetries: -1, ReportFailures: true})
		b.stream.write("s", 1, 10, 1)
		failures := 0
		b.function.respond = func(seqs []string) ([]byte, error) {
			if failures++; failures == 1 {
				return []byte(`{"batchItemFailures":[{"itemIdentifier":"4"},{"itemIdentifier":"3"}]}`), nil
			}
			return nil, nil
		}
		b.drain(t)
		if got := b.function.delivered(); got != "1 2 3 4 5 | 3 4 5 | 6 7 8 9 10" {
			t.Errorf("delivered %s; want a retry from 3, then the next batch", got)
		}
	})
}

func TestDeliver_ResponsesAreReadAsByLambda(t *testing.T) {
	for _, c := range []struct {
		response string
		again    bool // the whole batch is retried
	}{
		{``, false},
		{`null`, false},
		{`{}`, false},
		{`{"batchItemFailures":null}`, false},
		{`{"batchItemFailures":[]}`, false},
		{`{"batchItemFailures":[{"itemIdentifier":""}]}`, true},
		{`{"batchItemFailures":[{"itemIdentifier":null}]}`, true},
		{`{"batchItemFailures":[{"ItemIdentifer":"2"}]}`, true},
		{`{"batchItemFailures":[{"itemIdentifier":"99"}]}`, true},
		{`{"batchItemFailures":[{"itemIdentifier":"3"},{"itemIdentifier":""}]}`, true},
		{`{"batchItemFailures":7}`, true},
		{`acked`, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(eventsource.Settings{MaxRetries: -1, ReportFailures: true})
			b.stream.write("s", 1, 3, 1)
			first := true
			b.function.respond = func([]string) ([]byte, error) {
				if first {
					first = false
					return []byte(c.response), nil
				}
				return nil, nil
			}
			b.drain(t)
			want := "1 2 3"
			if c.again {
				want = "1 2 3 | 1 2 3"
			}
			if got := b.function.delivered(); got != want {
				t.Errorf("response %s: delivered %s, want %s", c.response, got, want)
			}
		})
	}
}

func TestDeliver_ResponsesAreIgnoredWithoutReportFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{MaxRetries: 3})
		b.stream.write("s", 1, 3, 1)
		b.function.respond = func([]string) ([]byte, error) { return failFrom("1"), nil }
		b.drain(t)
		if got := b.function.delivered(); got != "1 2 3" {
			t.Errorf("delivered %s, want 1 2 3 once", got)
		}
	})
}

func TestDeliver_BisectGivesUpOnlyTheFailingRecord(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 100, MaxRetries: 2, Bisect: true, ReportFailures: true})
		b.stream.write("s", 1, 100, 1)
		acked := map[string]bool{}
		b.function.respond = func(seqs []string) ([]byte, error) {
			if slices.Contains(seqs, "37") {
				return nil, errors.New("crashed")
			}
			for _, seq := range seqs {
				acked[seq] = true
			}
			return nil, nil
		}
		b.drain(t)
		if len(acked) != 99 || len(b.givenUp) != 1 {
			t.Fatalf("%d acknowledged, given up %+v; want 99, and one", len(acked), b.givenUp)
		}
		g := b.givenUp[0]
		if g.First != "37" || g.Last != "37" || g.Records != 1 || g.Invokes != 3 ||
			g.Condition != eventsource.RetriesExhausted ||
			g.Shard != "s" || g.Stream != "arn:stream" || g.At == 0 || g.FirstAt == 0 || g.LastAt != g.FirstAt {
			t.Errorf("given up %+v; want record 37 after three invocations", g)
		}
	})
}

func TestDeliver_WholeBatchIsGivenUpAndTheShardContinues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 10, MaxRetries: 4, ReportFailures: true})
		b.stream.write("s", 1, 20, 1)
		b.function.respond = func(seqs []string) ([]byte, error) {
			if slices.Contains(seqs, "6") {
				return failFrom("6"), nil
			}
			return nil, nil
		}
		b.drain(t)
		if len(b.function.batches) != 6 || len(b.givenUp) != 1 || b.givenUp[0].First != "6" ||
			b.givenUp[0].Last != "10" {
			t.Errorf("%d invocations, given up %+v; want 6, and 6 to 10 after five of them", len(b.function.batches),
				b.givenUp)
		}
		if last := b.function.batches[5]; !slices.Equal(last, numbers(11, 20)) {
			t.Errorf("then %v, want 11 to 20", last)
		}
	})
}

func TestDeliver_NoRetriesIsOneInvocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{MaxRetries: 0})
		b.stream.write("s", 1, 2, 1)
		b.function.respond = func([]string) ([]byte, error) { return nil, errors.New("no") }
		b.drain(t)
		if len(b.function.batches) != 1 || len(b.givenUp) != 1 || b.givenUp[0].Invokes != 1 {
			t.Errorf("%d invocations, given up %+v; want one of each", len(b.function.batches), b.givenUp)
		}
	})
}

func TestDeliver_RecordsOverTheAgeLimitAreGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 10, MaxRetries: -1, MaxRecordAge: time.Minute})
		b.stream.write("s", 1, 3, 1)
		time.Sleep(50 * time.Second)
		b.stream.write("s", 4, 5, 1)
		start := time.Now()
		b.function.respond = func([]string) ([]byte, error) {
			if time.Since(start) < 30*time.Second {
				return nil, errors.New("unreachable")
			}
			return nil, nil
		}
		b.drain(t)
		if len(b.givenUp) != 1 || b.givenUp[0].Condition != eventsource.AgeExceeded || b.givenUp[0].First != "1" ||
			b.givenUp[0].Last != "3" {
			t.Errorf("given up %+v; want 1 to 3, for their age", b.givenUp)
		}
		if last := b.function.batches[len(b.function.batches)-1]; !slices.Equal(last, []string{"4", "5"}) {
			t.Errorf("last batch %v, want 4 5", last)
		}
	})
}

func TestDeliver_RetriesBackOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{MaxRetries: 12})
		b.stream.write("s", 1, 1, 1)
		b.function.respond = func([]string) ([]byte, error) { return nil, errors.New("no") }
		b.drain(t)
		for i := 1; i < len(b.function.times); i++ {
			want := min(10*time.Second, 100*time.Millisecond<<(i-1))
			if got := b.function.times[i].Sub(b.function.times[i-1]); got != want {
				t.Errorf("retry %d after %s, want %s", i, got, want)
			}
		}
	})
}

func TestDeliver_OnFailureIsRetriedUntilItSucceeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{MaxRetries: 0})
		b.stream.write("s", 1, 1, 1)
		b.function.respond = func([]string) ([]byte, error) { return nil, errors.New("no") }
		calls := 0
		b.OnFailure = func(context.Context, eventsource.GivenUp) error {
			if calls++; calls < 4 {
				return errors.New("queue unreachable")
			}
			return nil
		}
		b.drain(t)
		if calls != 4 {
			t.Errorf("OnFailure was called %d times, want 4", calls)
		}
	})
}
