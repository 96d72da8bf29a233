package retry_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
)

var errBroken = errors.New("broken")

// table returns the given results one after the other, and the last one from then on.
type table struct {
	results  []storage.WriteResult
	err      error // returned with the last result
	requests int
}

func (t *table) request(context.Context) (storage.WriteResult, error) {
	result := t.results[min(t.requests, len(t.results)-1)]
	t.requests++
	if t.err != nil && t.requests >= len(t.results) {
		return result, t.err
	}
	return result, nil
}

// recording returns a Retrier that records pauses instead of sleeping.
func recording(pauses *[]time.Duration) retry.Retrier {
	return retry.Retrier{Rand: rand.NewChaCha8([32]byte{1}),
		Sleep: func(ctx context.Context, d time.Duration) error {
			*pauses = append(*pauses, d)
			return ctx.Err()
		}}
}

func TestDo_RepeatsUntilTheTableDecides(t *testing.T) {
	for name, c := range map[string]struct {
		results  []storage.WriteResult
		err      error
		want     storage.WriteResult
		requests int
		wantErr  error
	}{
		"written at once":                  {[]storage.WriteResult{storage.Written}, nil, storage.Written, 1, nil},
		"a failed condition is a decision": {[]storage.WriteResult{storage.ConditionFailed}, nil, storage.ConditionFailed, 1, nil},
		"written after pauses":             {[]storage.WriteResult{storage.Throttled, storage.Unknown, storage.Conflicted, storage.Written}, nil, storage.Written, 4, nil},
		"never decided":                    {[]storage.WriteResult{storage.Throttled}, nil, storage.Throttled, 12, retry.ErrUndecided},
		"an error is not repeated":         {[]storage.WriteResult{storage.Throttled, storage.Unknown}, errBroken, storage.Unknown, 2, errBroken},
	} {
		var pauses []time.Duration
		to := &table{results: c.results, err: c.err}
		got, err := recording(&pauses).Do(t.Context(), to.request)
		if got != c.want || to.requests != c.requests || !errors.Is(err, c.wantErr) {
			t.Errorf("%s: %v, %v after %d requests; want %v, %v after %d", name, got, err, to.requests, c.want,
				c.wantErr, c.requests)
		}
		if len(pauses) != c.requests-1 {
			t.Errorf("%s: %d pauses between %d requests", name, len(pauses), c.requests)
		}
	}
}

func TestDo_ReportsEachRepetition(t *testing.T) {
	var pauses []time.Duration
	var reported []storage.WriteResult
	r := recording(&pauses)
	r.OnRetry = func(result storage.WriteResult) { reported = append(reported, result) }
	if _, err := r.Do(t.Context(), (&table{results: []storage.WriteResult{storage.Throttled, storage.Unknown,
		storage.Written}}).request); err != nil {
		t.Fatal(err)
	}
	if len(reported) != 2 || reported[0] != storage.Throttled || reported[1] != storage.Unknown {
		t.Errorf("reported %v, want [throttled unknown]", reported)
	}
}

func TestDo_EndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := retry.Retrier{Rand: rand.NewChaCha8([32]byte{1})}
	requests := 0
	_, err := r.Do(ctx, func(context.Context) (storage.WriteResult, error) {
		requests++
		cancel()
		return storage.Throttled, nil
	})
	if !errors.Is(err, retry.ErrUndecided) || requests != 1 {
		t.Errorf("error %v after %d requests, want ErrUndecided after 1", err, requests)
	}
	if _, err := r.Do(ctx, func(ctx context.Context) (storage.WriteResult, error) {
		return 0, ctx.Err()
	}); !errors.Is(err, retry.ErrUndecided) {
		t.Errorf("request cancelled by the context: error %v, want ErrUndecided", err)
	}
}

func TestUntilWritten_RepeatsEverythingThatIsNotPermanent(t *testing.T) {
	transient := func(err error) bool { return !errors.Is(err, errBroken) }
	errBusy := errors.New("busy")
	for name, c := range map[string]struct {
		results  []storage.WriteResult
		err      error
		requests int
		wantErr  error
	}{
		"written at once":                {[]storage.WriteResult{storage.Written}, nil, 1, nil},
		"a failed condition is repeated": {[]storage.WriteResult{storage.ConditionFailed, storage.Unknown, storage.Written}, nil, 3, nil},
		"a transient error is repeated":  {[]storage.WriteResult{storage.Throttled}, errBusy, 12, errBusy},
		"a permanent error is not":       {[]storage.WriteResult{storage.Throttled, storage.Written}, errBroken, 2, errBroken},
		"never written":                  {[]storage.WriteResult{storage.ConditionFailed}, nil, 12, retry.ErrUndecided},
	} {
		var pauses []time.Duration
		to := &table{results: c.results, err: c.err}
		err := recording(&pauses).UntilWritten(t.Context(), transient, to.request)
		if to.requests != c.requests || !errors.Is(err, c.wantErr) {
			t.Errorf("%s: %v after %d requests; want %v after %d", name, err, to.requests, c.wantErr, c.requests)
		}
		if len(pauses) != c.requests-1 {
			t.Errorf("%s: %d pauses between %d requests", name, len(pauses), c.requests)
		}
	}
}

func TestUntilWritten_EndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	requests := 0
	err := retry.Retrier{Rand: rand.NewChaCha8([32]byte{1})}.UntilWritten(ctx, func(error) bool { return true },
		func(context.Context) (storage.WriteResult, error) {
			requests++
			cancel()
			return storage.Throttled, errBroken
		})
	if !errors.Is(err, context.Canceled) || !errors.Is(err, errBroken) || requests != 1 {
		t.Errorf("error %v after %d requests, want the context's and the attempt's after 1", err, requests)
	}
}

func TestPause_IsAPartOfABoundThatDoublesUpToTheCap(t *testing.T) {
	var pauses []time.Duration
	r := recording(&pauses)
	r.Base, r.Cap = 10*time.Millisecond, 60*time.Millisecond
	bounds := []time.Duration{10, 20, 40, 60, 60}
	longest := make([]time.Duration, len(bounds))
	for range 200 {
		for i := range bounds {
			if err := r.Pause(t.Context(), i+1); err != nil {
				t.Fatal(err)
			}
			longest[i] = max(longest[i], pauses[len(pauses)-1])
		}
	}
	for i, bound := range bounds {
		bound *= time.Millisecond
		if longest[i] > bound || longest[i] < bound*9/10 {
			t.Errorf("after attempt %d: at most %v in 200, want just below %v", i+1, longest[i], bound)
		}
	}
}

func TestPause_ReturnsTheErrorOfTheRandomSource(t *testing.T) {
	err := retry.Retrier{Rand: failing{}}.Pause(t.Context(), 1)
	if !errors.Is(err, errBroken) || errors.Is(err, retry.ErrUndecided) {
		t.Errorf("error %v, want the random source's", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

func TestWithHeadroom_EndsBeforeTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for left, want := range map[time.Duration]time.Duration{time.Hour: 2 * time.Second,
			5 * time.Second: 500 * time.Millisecond} {
			deadline := time.Now().Add(left)
			ctx, cancel := context.WithDeadline(t.Context(), deadline)
			earlier, stop := retry.WithHeadroom(ctx, 2*time.Second)
			if got, ok := earlier.Deadline(); !ok || deadline.Sub(got) != want {
				t.Errorf("%v left: ends %v early, want %v", left, deadline.Sub(got), want)
			}
			stop()
			cancel()
		}
	})
}

func TestWithHeadroom_AddsNoDeadline(t *testing.T) {
	ctx, cancel := retry.WithHeadroom(t.Context(), time.Minute)
	defer cancel()
	if deadline, ok := ctx.Deadline(); ok {
		t.Errorf("got the deadline %v, want none", deadline)
	}
}
