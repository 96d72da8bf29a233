package verify

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// Results come in order, however long each takes, so many at once, and an error comes last.
func TestInOrder_ReturnsResultsInOrderAndThenTheError(t *testing.T) {
	const n, parallel, fails = 100, 8, 60
	failed := errors.New("failed")
	var reading, most atomic.Int64
	read := func(_ context.Context, i int) (int, error) {
		defer reading.Add(-1)
		now := reading.Add(1)
		for old := most.Load(); now > old && !most.CompareAndSwap(old, now); {
			old = most.Load()
		}
		time.Sleep(time.Duration(i*7%5) * time.Millisecond)
		if i == fails {
			return 0, failed
		}
		return i, nil
	}
	got := 0
	for i, err := range inOrder(t.Context(), n, parallel, read) {
		switch {
		case got == fails && errors.Is(err, failed):
		case err != nil || i != got:
			t.Fatalf("result %d is %d, %v", got, i, err)
		}
		got++
	}
	if got != fails+1 || most.Load() > parallel || most.Load() < 2 || reading.Load() != 0 {
		t.Errorf("%d results, %d read at once, %d at the end; want %d, up to %d and none",
			got, most.Load(), reading.Load(), fails+1, parallel)
	}
}
