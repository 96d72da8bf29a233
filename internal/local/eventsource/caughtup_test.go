package eventsource_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
)

func TestCaughtUp_WaitsForRunningInvocations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 10})
		b.function.takes = 10 * time.Second
		b.stream.write("s", 1, 30, 1)
		start := time.Now()
		b.drain(t)
		if took := time.Since(start); took < 30*time.Second || len(b.function.batches) != 3 {
			t.Errorf("caught up after %s and %d batches, want 30 s and 3", took, len(b.function.batches))
		}
	})
}

func TestCaughtUp_DoesNotWaitForTheWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{BatchSize: 100, Window: 5 * time.Minute})
		b.stream.write("s", 1, 130, 1)
		start := time.Now()
		b.drain(t)
		if took := time.Since(start); took > 2*time.Second ||
			!slices.Equal(sizes(b.function.batches), []int{100, 30}) {
			t.Errorf("caught up after %s by batches of %v; want at once, by 100 and 30", took,
				sizes(b.function.batches))
		}
	})
}

func TestCaughtUp_EndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{})
		b.function.takes = time.Hour
		b.stream.write("s", 1, 1, 1)
		b.run(t, func(ctx context.Context) {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			if err := b.CaughtUp(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("%v, want the context's error", err)
			}
		})
	})
}

func TestCaughtUp_IncludesRecordsWrittenSinceTheLastCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(eventsource.Settings{})
		b.run(t, func(ctx context.Context) {
			for n := 1; n <= 5; n++ {
				b.stream.write("s", n, n, 1)
				if err := b.CaughtUp(ctx); err != nil {
					t.Fatal(err)
				}
				if got := b.function.delivered(); got != strings.Join(numbers(1, n), " | ") {
					t.Errorf("caught up with %s delivered, want 1 to %d", got, n)
				}
			}
		})
	})
}
