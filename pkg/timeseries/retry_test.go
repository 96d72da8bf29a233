package timeseries_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/pkg/domains/iot"
	"github.com/tidemark-db/tidemark/pkg/model"
	"github.com/tidemark-db/tidemark/pkg/timeseries"
)

// outcomeErrors are the errors of a single append by its outcome.
var outcomeErrors = map[model.Outcome]error{
	model.Collision: timeseries.ErrCollision, model.Conflict: timeseries.ErrConflict,
	model.Gone: timeseries.ErrGone,
}

// fits reports whether err is the error that belongs to an outcome.
func fits(outcome model.Outcome, err error) bool {
	want := outcomeErrors[outcome]
	return want == nil && err == nil || want != nil && errors.Is(err, want)
}

func TestRetry_RepeatsOnlyWhatIsUndecided(t *testing.T) {
	t.Parallel()
	other := errors.New("other")
	for _, last := range []error{nil, other, timeseries.ErrPermanent, timeseries.ErrRejected,
		timeseries.ErrConflict} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			err := timeseries.Retry(t.Context(), func(context.Context) error {
				if calls++; calls < 3 {
					return timeseries.ErrUndecided
				}
				return last
			})
			if calls != 3 || !errors.Is(err, last) {
				t.Errorf("%d calls, %v; want 3 and %v", calls, err, last)
			}
		})
	}
}

func TestRetry_PausesAndEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		calls := 0
		err := timeseries.Retry(ctx, func(context.Context) error { calls++; return timeseries.ErrUndecided })
		if !errors.Is(err, timeseries.ErrUndecided) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v, want ErrUndecided and the deadline", err)
		}
		if calls < 30 || calls > 300 {
			t.Errorf("%d calls in a minute, want pauses that grow to 2 s", calls)
		}
	})
}

// Of 100 events in 10 ms, the program learns which are not stored.
func TestAppend_AnEventThatIsNotStoredIsAnError(t *testing.T) {
	t.Parallel()
	readings := openOn(t, newTable(), iot.Readings, timeseries.Options{})
	stored := int64(0)
	for n := range 100 {
		v := Reading{Device: "sensor_01", At: today.Add(time.Duration(n-100) * 100 * time.Microsecond),
			Location: string(rune('a' + n%10))}
		out, err := readings.Append(t.Context(), v)
		if !fits(out.Outcome, err) || out.Stored() != (err == nil) {
			t.Fatalf("event %d: %s, %v", n, out.Outcome, err)
		}
		if err == nil && out.Outcome != model.Duplicate {
			stored++
		}
	}
	if found, err := readings.Count(t.Context(), timeseries.Key{Subject: "sensor_01"}); err != nil ||
		found.Events != stored {
		t.Errorf("%d events, %v; want the %d whose appends had no error", found.Events, err, stored)
	}
}
