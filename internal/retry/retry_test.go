package retry_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/model"
)

var errBroken = errors.New("broken")

// table answers what it is given, one after the other, the last one for ever.
type table struct {
	answers []model.Answer
	err     error // instead of the last answer
	asked   int
}

func (t *table) request(context.Context) (model.Answer, error) {
	answer := t.answers[min(t.asked, len(t.answers)-1)]
	t.asked++
	if t.err != nil && t.asked >= len(t.answers) {
		return answer, t.err
	}
	return answer, nil
}

// waiter notes how long it was to sleep instead of sleeping.
func waiter(slept *[]time.Duration) retry.Waiter {
	return retry.Waiter{Rand: rand.NewChaCha8([32]byte{1}), Sleep: func(ctx context.Context, d time.Duration) error {
		*slept = append(*slept, d)
		return ctx.Err()
	}}
}

func TestInsist_RepeatsWhatWasNotDecidedAndNothingElse(t *testing.T) {
	for name, c := range map[string]struct {
		answers []model.Answer
		err     error
		want    model.Answer
		asked   int
		wantErr error
	}{
		"written at once":         {[]model.Answer{model.Written}, nil, model.Written, 1, nil},
		"refused is a verdict":    {[]model.Answer{model.Refused}, nil, model.Refused, 1, nil},
		"written after waiting":   {[]model.Answer{model.Throttled, model.Uncertain, model.Conflicting, model.Written}, nil, model.Written, 4, nil},
		"never decided":           {[]model.Answer{model.Throttled}, nil, model.Throttled, 12, retry.ErrUndecided},
		"an error is not retried": {[]model.Answer{model.Throttled, model.Uncertain}, errBroken, model.Uncertain, 2, errBroken},
	} {
		var slept []time.Duration
		to := &table{answers: c.answers, err: c.err}
		got, err := waiter(&slept).Insist(t.Context(), to.request)
		if got != c.want || to.asked != c.asked || !errors.Is(err, c.wantErr) {
			t.Errorf("%s: %v, %v after %d requests; want %v, %v after %d", name, got, err, to.asked, c.want, c.wantErr, c.asked)
		}
		if len(slept) != c.asked-1 {
			t.Errorf("%s: %d pauses between %d requests", name, len(slept), c.asked)
		}
	}
}

func TestInsist_TellsOfEachRepeat(t *testing.T) {
	var slept []time.Duration
	var told []model.Answer
	w := waiter(&slept)
	w.Retried = func(a model.Answer) { told = append(told, a) }
	if _, err := w.Insist(t.Context(), (&table{answers: []model.Answer{model.Throttled, model.Uncertain, model.Written}}).request); err != nil {
		t.Fatal(err)
	}
	if len(told) != 2 || told[0] != model.Throttled || told[1] != model.Uncertain {
		t.Errorf("told of %v, want the two answers that decided nothing", told)
	}
}

func TestInsist_EndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w := retry.Waiter{Rand: rand.NewChaCha8([32]byte{1})}
	asked := 0
	_, err := w.Insist(ctx, func(context.Context) (model.Answer, error) {
		asked++
		cancel()
		return model.Throttled, nil
	})
	if !errors.Is(err, retry.ErrUndecided) || asked != 1 {
		t.Errorf("%v after %d requests, want no decision after the one that the context ended in", err, asked)
	}
	if _, err := w.Insist(ctx, func(ctx context.Context) (model.Answer, error) { return 0, ctx.Err() }); !errors.Is(err, retry.ErrUndecided) {
		t.Errorf("a request cut off: %v, want no decision", err)
	}
}

func TestPause_IsAPartOfABoundThatDoublesUpToItsCap(t *testing.T) {
	var slept []time.Duration
	w := waiter(&slept)
	w.Base, w.Cap = 10*time.Millisecond, 60*time.Millisecond
	bounds := []time.Duration{10, 20, 40, 60, 60}
	longest := make([]time.Duration, len(bounds))
	for range 200 {
		for i := range bounds {
			if err := w.Pause(t.Context(), i+1); err != nil {
				t.Fatal(err)
			}
			longest[i] = max(longest[i], slept[len(slept)-1])
		}
	}
	for i, bound := range bounds {
		bound *= time.Millisecond
		if longest[i] > bound || longest[i] < bound*9/10 {
			t.Errorf("after attempt %d: at most %v in 200, want close below %v", i+1, longest[i], bound)
		}
	}
}

func TestPause_SaysWhereChanceCannotBeHad(t *testing.T) {
	err := retry.Waiter{Rand: failing{}}.Pause(t.Context(), 1)
	if !errors.Is(err, errBroken) || errors.Is(err, retry.ErrUndecided) {
		t.Errorf("%v, want the reader's own error", err)
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, errBroken }

func TestLeaveRoom_EndsBeforeTheDeadline(t *testing.T) {
	at := time.Now().Add(time.Hour)
	ctx, cancel := context.WithDeadline(t.Context(), at)
	defer cancel()
	early, stop := retry.Patience{Room: time.Minute}.LeaveRoom(ctx)
	defer stop()
	if got, ok := early.Deadline(); !ok || !got.Equal(at.Add(-time.Minute)) {
		t.Errorf("ends at %v, want a minute before %v", got, at)
	}
	open, stop := retry.Patience{Room: time.Minute}.LeaveRoom(t.Context())
	defer stop()
	if _, ok := open.Deadline(); ok {
		t.Error("a context without a deadline was given one")
	}
}
