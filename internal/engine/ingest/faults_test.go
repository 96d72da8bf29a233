package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/tidemark-db/tidemark/internal/engine/ingest"
	"github.com/tidemark-db/tidemark/internal/store/retry"
	"github.com/tidemark-db/tidemark/internal/store/storage"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// fault is a failure of one request.
type fault struct {
	result    storage.WriteResult
	persisted bool // the write is stored all the same
	forgotten bool // and its token is forgotten, as after ten minutes
}

func (f fault) String() string {
	return fmt.Sprintf("%s, persisted %t, token forgotten %t", f.result, f.persisted, f.forgotten)
}

// faults are all possible failures. A throttled or conflicted write is never stored.
var faults = []fault{
	{result: storage.Throttled},
	{result: storage.Conflicted},
	{result: storage.Unknown},
	{result: storage.Unknown, persisted: true},
	{result: storage.Unknown, persisted: true, forgotten: true},
}

// faulty is a table on which some requests fail. It also records the transactions.
type faulty struct {
	*memory.Table
	hit func(request int) (fault, bool) // by number, from 0

	mu       sync.Mutex
	requests int                         // guarded by mu
	sent     []storage.AppendTransaction // guarded by mu
}

func (f *faulty) next(tx storage.AppendTransaction) (fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.requests
	f.requests++
	f.sent = append(f.sent, tx)
	return f.hit(n)
}

func (f *faulty) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	failure, hit := f.next(tx)
	if !hit {
		return f.Table.Append(ctx, tx)
	}
	if failure.forgotten {
		tx.Token = ""
	}
	if failure.persisted {
		if _, err := f.Table.Append(ctx, tx); err != nil {
			return storage.StoreResult{}, err
		}
	}
	return storage.StoreResult{Result: failure.result}, nil
}

func (f *faulty) Put(ctx context.Context, e model.Event) (storage.StoreResult, error) {
	failure, hit := f.next(storage.AppendTransaction{})
	if !hit {
		return f.Table.Put(ctx, e)
	}
	if failure.persisted {
		if _, err := f.Table.Put(ctx, e); err != nil {
			return storage.StoreResult{}, err
		}
	}
	return storage.StoreResult{Result: failure.result}, nil
}

func never(int) (fault, bool) { return fault{}, false }

// calls are all kinds of calls on a series that has one event, at minute 10.
var calls = []struct {
	name         string
	change       func(*catalog.Kind)
	where        model.Condition
	observations []ingest.TypedObservation
}{
	{"newer", keeping, nil, []ingest.TypedObservation{observation(minute(11), "", num("t", 1))}},
	{"late kept", keeping, nil, []ingest.TypedObservation{observation(minute(9), "", num("t", 1))}},
	{"late dropped", dropping, nil, []ingest.TypedObservation{observation(minute(9), "", num("t", 1))}},
	{"duplicate", keeping, nil, []ingest.TypedObservation{observation(minute(10), "", num("t", 0))}},
	{"collision", keeping, nil, []ingest.TypedObservation{observation(minute(10), "", num("t", 9))}},
	{"creation", keeping, nil, []ingest.TypedObservation{{Subject: "sensor_02", At: minute(1), Attrs: model.Attrs{num("t", 1)}}}},
	{"batch", keeping, nil, []ingest.TypedObservation{
		observation(minute(9), "", num("t", 1)), observation(minute(12), "", num("t", 2)),
		observation(minute(11), "", num("t", 3)), observation(minute(10), "", num("t", 0)),
		observation(minute(13), "", num("t", 4)),
		observation(minute(12), "", num("t", 2))}},
	{"batch, late dropped", dropping, nil, []ingest.TypedObservation{
		observation(minute(9), "", num("t", 1)), observation(minute(12), "", num("t", 2)),
		observation(minute(11), "", num("t", 3))}},
	{"without latest item", withoutLatest, nil, []ingest.TypedObservation{
		observation(minute(11), "", num("t", 1)), observation(minute(10), "", num("t", 0)),
		observation(minute(10), "", num("t", 9))}},
	{"conditional, newer", keeping, model.Condition{{Field: "t", Op: model.Exists}}, []ingest.TypedObservation{observation(minute(11), "", num("t", 1))}},
	{"conditional, late", keeping, model.Condition{{Field: "t", Op: model.Exists}}, []ingest.TypedObservation{observation(minute(9), "", num("t", 1))}},
	{"conditional, condition fails", keeping, model.Condition{{Field: "t", Op: model.Missing}}, []ingest.TypedObservation{observation(minute(11), "", num("t", 1))}},
}

// play makes a call on a new table. After the first event of the series, requests fail as hit
// returns.
func play(t *testing.T, call int, hit func(int) (fault, bool)) ([]model.Outcome, *faulty) {
	t.Helper()
	c := calls[call]
	kind := newKind(t, c.change)
	store := &faulty{Table: memory.New(clock), hit: never}
	s := serviceOn(store, 1)
	appendAll(t, s, kind, observation(minute(10), "", num("t", 0)))
	store.hit = hit
	store.requests = 0
	store.sent = nil
	if c.where == nil {
		return listOutcomes(appendAll(t, s, kind, c.observations...)), store
	}
	o, err := s.AppendIf(t.Context(), kind, c.observations[0], c.where)
	if err != nil {
		t.Fatalf("AppendIf: %v", err)
	}
	return []model.Outcome{o.Outcome}, store
}

func TestAppend_EveryFaultAtEveryWriteChangesNothing(t *testing.T) {
	t.Parallel()
	for call, c := range calls {
		want, clean := play(t, call, never)
		for request := range clean.requests {
			for _, f := range faults {
				t.Run(fmt.Sprintf("%s/request %d %s", c.name, request, f), func(t *testing.T) {
					got, store := play(t, call, func(n int) (fault, bool) { return f, n == request })
					if !agree(got, want, f) {
						t.Errorf("outcomes: got %v, want %v", got, want)
					}
					wantSameStored(t, store.Table, clean.Table)
				})
			}
		}
	}
}

// agree reports whether a fault changed no outcome, except that an event of a stored write
// whose token is forgotten, or that had none, is found as a duplicate.
func agree(got, want []model.Outcome, f fault) bool {
	return slices.EqualFunc(got, want, func(g, w model.Outcome) bool {
		return g == w || f.persisted && g == model.Duplicate && (w == model.Applied || w == model.Late)
	})
}

func TestAppend_RetriesWithTheSameToken(t *testing.T) {
	t.Parallel()
	for _, result := range []storage.WriteResult{storage.Throttled, storage.Conflicted, storage.Unknown} {
		_, store := play(t, 0, func(n int) (fault, bool) { return fault{result: result}, n < 3 })
		if len(store.sent) != 4 {
			t.Fatalf("%s three times: %d requests, want 4", result, len(store.sent))
		}
		for i, tx := range store.sent {
			if tx.Token == "" || tx.Token != store.sent[0].Token {
				t.Errorf("%s: request %d has token %q, want the first's, %q", result, i, tx.Token, store.sent[0].Token)
			}
		}
	}
}

func TestAppend_ChangedTransactionHasANewToken(t *testing.T) {
	t.Parallel()
	_, store := play(t, 1, never) // late: its condition fails first, then it is put
	if len(store.sent) != 2 || store.sent[0].Token == store.sent[1].Token {
		t.Errorf("sent %+v, want two transactions with different tokens", store.sent)
	}
}

func TestAppend_IsUnknownWhenTheAttemptsRunOut(t *testing.T) {
	t.Parallel()
	kind := newKind(t, keeping)
	busy := func(int) (fault, bool) { return fault{result: storage.Throttled}, true }
	store := &faulty{Table: memory.New(clock), hit: busy}
	s := serviceOn(store, 1)
	s.RetryPolicy.Attempts = 5
	var retried []storage.WriteResult
	s.OnRetry = func(r storage.WriteResult) { retried = append(retried, r) }
	s.Parallel = 1

	wantOutcomes(t, appendAll(t, s, kind, observation(minute(1), ""), observation(minute(2), "")), model.Unknown,
		model.Unknown)
	if store.requests != 5 || len(retried) != 4 {
		t.Errorf("%d requests, %d of them reported as retries; want 5 and 4", store.requests, len(retried))
	}
	if got := scan(t, store.Table); len(got) != 0 {
		t.Errorf("stored %v, want nothing", got)
	}
}

func TestAppend_DecidesWhatItCanBeforeTheDeadline(t *testing.T) {
	t.Parallel()
	kind := newKind(t, keeping)
	store := &faulty{Table: memory.New(clock), hit: func(n int) (fault, bool) {
		return fault{result: storage.Throttled}, n >= 2
	}}
	s := serviceOn(store, 1)
	s.Parallel = 1
	first, second := observation(minute(1), ""), observation(minute(1), "")
	second.Subject = "sensor_02"
	wantOutcomes(t, appendAll(t, s, kind, first, second), model.Applied, model.Unknown)

	store.hit = never
	wantOutcomes(t, appendAll(t, s, kind, first, second), model.Duplicate, model.Applied)
}

func TestAppend_StopsInTimeToRespond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &faulty{Table: memory.New(clock), hit: func(int) (fault, bool) {
			return fault{result: storage.Conflicted}, true
		}}
		s := serviceOn(store, 1)
		s.Sleep = nil // the clock of the test's bubble
		s.RetryPolicy = retry.Policy{Attempts: 1 << 30, Base: time.Millisecond, Cap: time.Second}
		s.Headroom = 2 * time.Second
		began := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		results, err := s.AppendEvents(ctx, newKind(t, keeping),
			[]ingest.TypedObservation{observation(minute(1), "")})
		if err != nil {
			t.Fatal(err)
		}
		wantOutcomes(t, results, model.Unknown)
		if took := time.Since(began); took != 58*time.Second {
			t.Errorf("returned after %v of a minute, want 2s of headroom", took)
		}
	})
}

// broken fails permanently on one subject.
type broken struct {
	*memory.Table
	subject string
	err     error
}

func (b broken) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if tx.Latest != nil && tx.Latest.Series.Subject.ID == b.subject {
		return storage.StoreResult{Result: storage.Unknown}, b.err
	}
	return b.Table.Append(ctx, tx)
}

func TestAppend_PermanentFailureOfOneSeriesDoesNotStopOthers(t *testing.T) {
	t.Parallel()
	kind, denied := newKind(t, keeping), errors.New("access denied")
	s := serviceOn(broken{Table: memory.New(clock), subject: "sensor_02", err: denied}, 1)
	var observations []ingest.TypedObservation
	for _, subject := range []string{"sensor_01", "sensor_02", "sensor_03"} {
		observations = append(observations, ingest.TypedObservation{Subject: subject, At: minute(1)})
	}
	results, err := s.AppendEvents(t.Context(), kind, observations)
	if !errors.Is(err, denied) {
		t.Errorf("error: got %v, want it to wrap %v", err, denied)
	}
	wantOutcomes(t, results, model.Applied, model.Unknown, model.Applied)
}

// brief says at first only that the latest item is newer, and nothing of the identities.
type brief struct {
	*memory.Table
	latest *model.Latest
}

func (b *brief) Append(ctx context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if latest := b.latest; latest != nil {
		b.latest = nil
		return storage.StoreResult{Result: storage.ConditionFailed, LatestFailed: true, Latest: latest}, nil
	}
	return b.Table.Append(ctx, tx)
}

func TestAppend_AReplyMayLeaveOutTheIdentities(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*catalog.Kind){"late kept": keeping, "merged": merging} {
		kind := newKind(t, change)
		store := &brief{memory.New(clock),
			&model.Latest{Series: series(kind), Ordered: true, Order: model.Order{At: minute(9)}}}
		if wantOutcomes(t, appendAll(t, serviceOn(store, 1), kind, observation(minute(1), "", num("t", 1))),
			model.Late); t.Failed() {
			t.Log(name)
		}
	}
}

// silent reports a failed condition without saying which.
type silent struct {
	*memory.Table
	short bool // it names no identity at all
}

func (s silent) Append(_ context.Context, tx storage.AppendTransaction) (storage.StoreResult, error) {
	if s.short {
		return storage.StoreResult{Result: storage.ConditionFailed}, nil
	}
	return storage.StoreResult{Result: storage.ConditionFailed,
		Stored: make([]*model.Event, len(tx.Puts)+len(tx.Absent))}, nil
}

func TestAppend_FailedConditionWithoutReasonIsAnError(t *testing.T) {
	t.Parallel()
	for _, short := range []bool{false, true} {
		results, err := serviceOn(silent{memory.New(clock), short}, 1).AppendEvents(t.Context(),
			newKind(t, keeping), []ingest.TypedObservation{observation(minute(1), "")})
		if err == nil {
			t.Error("error: got none, want one that says that no condition failed")
		}
		wantOutcomes(t, results, model.Unknown)
	}
}
