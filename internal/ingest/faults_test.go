package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/tidemark-db/tidemark/internal/ingest"
	"github.com/tidemark-db/tidemark/internal/retry"
	"github.com/tidemark-db/tidemark/pkg/catalog"
	"github.com/tidemark-db/tidemark/pkg/memory"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// fault is what goes wrong with one request.
type fault struct {
	answer    model.Answer
	persisted bool // stored all the same
	forgotten bool // and its token forgotten, as after ten minutes
}

func (f fault) String() string {
	return fmt.Sprintf("%s, persisted %t, token forgotten %t", f.answer, f.persisted, f.forgotten)
}

// faults are all there are; what is throttled or conflicting is never stored.
var faults = []fault{
	{answer: model.Throttled},
	{answer: model.Conflicting},
	{answer: model.Uncertain},
	{answer: model.Uncertain, persisted: true},
	{answer: model.Uncertain, persisted: true, forgotten: true},
}

// faulty is a table on which some requests go wrong. It also notes the tokens sent.
type faulty struct {
	*memory.Table
	hit func(request int) (fault, bool) // by number, from 0

	mu       sync.Mutex
	requests int                  // guarded by mu
	sent     []ingest.Transaction // guarded by mu
}

func (f *faulty) next(tx ingest.Transaction) (fault, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.requests
	f.requests++
	f.sent = append(f.sent, tx)
	return f.hit(n)
}

func (f *faulty) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	what, hit := f.next(tx)
	if !hit {
		return f.Table.Append(ctx, tx)
	}
	if what.forgotten {
		tx.Token = ""
	}
	if what.persisted {
		if _, err := f.Table.Append(ctx, tx); err != nil {
			return ingest.Reply{}, err
		}
	}
	return ingest.Reply{Answer: what.answer}, nil
}

func (f *faulty) Put(ctx context.Context, e model.Event) (ingest.Reply, error) {
	what, hit := f.next(ingest.Transaction{})
	if !hit {
		return f.Table.Put(ctx, e)
	}
	if what.persisted {
		if _, err := f.Table.Put(ctx, e); err != nil {
			return ingest.Reply{}, err
		}
	}
	return ingest.Reply{Answer: what.answer}, nil
}

func never(int) (fault, bool) { return fault{}, false }

// calls are what somebody may do to a series that has one event, at minute 10.
var calls = []struct {
	name   string
	change func(*catalog.Kind)
	where  ingest.Condition
	drafts []ingest.Draft
}{
	{"newer", keeping, nil, []ingest.Draft{draft(minute(11), "", num("t", 1))}},
	{"late kept", keeping, nil, []ingest.Draft{draft(minute(9), "", num("t", 1))}},
	{"late dropped", dropping, nil, []ingest.Draft{draft(minute(9), "", num("t", 1))}},
	{"duplicate", keeping, nil, []ingest.Draft{draft(minute(10), "", num("t", 0))}},
	{"collision", keeping, nil, []ingest.Draft{draft(minute(10), "", num("t", 9))}},
	{"creation", keeping, nil, []ingest.Draft{{Subject: "sensor_02", At: minute(1), Attrs: model.Attrs{num("t", 1)}}}},
	{"batch", keeping, nil, []ingest.Draft{
		draft(minute(9), "", num("t", 1)), draft(minute(12), "", num("t", 2)), draft(minute(11), "", num("t", 3)),
		draft(minute(10), "", num("t", 0)), draft(minute(13), "", num("t", 4)), draft(minute(12), "", num("t", 2))}},
	{"batch, late dropped", dropping, nil, []ingest.Draft{
		draft(minute(9), "", num("t", 1)), draft(minute(12), "", num("t", 2)), draft(minute(11), "", num("t", 3))}},
	{"without current", withoutCurrent, nil, []ingest.Draft{
		draft(minute(11), "", num("t", 1)), draft(minute(10), "", num("t", 0)), draft(minute(10), "", num("t", 9))}},
	{"conditional, newer", keeping, ingest.Condition{{Field: "t", Op: ingest.Exists}}, []ingest.Draft{draft(minute(11), "", num("t", 1))}},
	{"conditional, late", keeping, ingest.Condition{{Field: "t", Op: ingest.Exists}}, []ingest.Draft{draft(minute(9), "", num("t", 1))}},
	{"conditional, refused", keeping, ingest.Condition{{Field: "t", Op: ingest.Missing}}, []ingest.Draft{draft(minute(11), "", num("t", 1))}},
}

// play makes a call on a table of its own, on which requests go wrong as hit says
// once the series has its first event.
func play(t *testing.T, call int, hit func(int) (fault, bool)) ([]model.Verdict, *faulty) {
	t.Helper()
	c := calls[call]
	kind := kindOf(t, c.change)
	store := &faulty{Table: memory.New(clock), hit: never}
	s := serviceOn(store, 1)
	appendAll(t, s, kind, draft(minute(10), "", num("t", 0)))
	store.hit, store.requests, store.sent = hit, 0, nil
	if c.where == nil {
		return verdicts(appendAll(t, s, kind, c.drafts...)), store
	}
	o, err := s.AppendIf(t.Context(), kind, c.drafts[0], c.where)
	if err != nil {
		t.Fatalf("AppendIf: %v", err)
	}
	return []model.Verdict{o.Verdict}, store
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
						t.Errorf("verdicts: got %v, want %v", got, want)
					}
					wantSameStored(t, store.Table, clean.Table)
				})
			}
		}
	}
}

// agree: a fault changes no verdict; only where the table forgot that it stored a
// request, or was never given a token, the event is found to be there already.
func agree(got, want []model.Verdict, f fault) bool {
	return slices.EqualFunc(got, want, func(g, w model.Verdict) bool {
		return g == w || f.persisted && g == model.Duplicate && (w == model.Applied || w == model.Late)
	})
}

func TestAppend_RepeatsOneTransactionUnderOneToken(t *testing.T) {
	t.Parallel()
	for _, answer := range []model.Answer{model.Throttled, model.Conflicting, model.Uncertain} {
		_, store := play(t, 0, func(n int) (fault, bool) { return fault{answer: answer}, n < 3 })
		if len(store.sent) != 4 {
			t.Fatalf("%s three times: %d requests, want 4", answer, len(store.sent))
		}
		for i, tx := range store.sent {
			if tx.Token == "" || tx.Token != store.sent[0].Token {
				t.Errorf("%s: request %d has token %q, want that of the first, %q", answer, i, tx.Token, store.sent[0].Token)
			}
		}
	}
}

func TestAppend_ChangedTransactionHasANewToken(t *testing.T) {
	t.Parallel()
	_, store := play(t, 1, never) // late: refused first, then put
	if len(store.sent) != 2 || store.sent[0].Token == store.sent[1].Token {
		t.Errorf("sent %+v, want two transactions with tokens of their own", store.sent)
	}
}

func TestAppend_IsUnknownWhenPatienceEnds(t *testing.T) {
	t.Parallel()
	kind := kindOf(t, keeping)
	busy := func(int) (fault, bool) { return fault{answer: model.Throttled}, true }
	store := &faulty{Table: memory.New(clock), hit: busy}
	s := serviceOn(store, 1)
	s.Patience.Attempts = 5
	var told []model.Answer
	s.Retried = func(a model.Answer) { told = append(told, a) }
	s.Parallel = 1

	wantVerdicts(t, appendAll(t, s, kind, draft(minute(1), ""), draft(minute(2), "")), model.Unknown, model.Unknown)
	if store.requests != 5 || len(told) != 4 {
		t.Errorf("%d requests and %d told, want 5 attempts of one transaction, 4 of them repeats", store.requests, len(told))
	}
	if got := scan(t, store.Table); len(got) != 0 {
		t.Errorf("stored %v, want nothing", got)
	}
}

func TestAppend_SettlesWhatItCanBeforeTimeIsUp(t *testing.T) {
	t.Parallel()
	kind := kindOf(t, keeping)
	store := &faulty{Table: memory.New(clock), hit: func(n int) (fault, bool) { return fault{answer: model.Throttled}, n >= 2 }}
	s := serviceOn(store, 1)
	s.Parallel = 1
	first, second := draft(minute(1), ""), draft(minute(1), "")
	second.Subject = "sensor_02"
	wantVerdicts(t, appendAll(t, s, kind, first, second), model.Applied, model.Unknown)

	store.hit = never
	wantVerdicts(t, appendAll(t, s, kind, first, second), model.Duplicate, model.Applied)
}

func TestAppend_StopsInTimeToAnswer(t *testing.T) {
	t.Parallel()
	kind := kindOf(t, keeping)
	store := &faulty{Table: memory.New(clock), hit: func(int) (fault, bool) { return fault{answer: model.Conflicting}, true }}
	s := serviceOn(store, 1)
	s.Sleep = nil // the wall clock's
	s.Patience = retry.Patience{Attempts: 1 << 30, Base: time.Millisecond, Cap: time.Millisecond, Room: time.Hour - 50*time.Millisecond}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	outcomes, err := s.AppendEvents(ctx, kind, []ingest.Draft{draft(minute(1), "")})
	if err != nil {
		t.Fatal(err)
	}
	wantVerdicts(t, outcomes, model.Unknown)
	if ctx.Err() != nil {
		t.Error("the caller's own context is over: no room was left to answer in")
	}
}

// broken fails for good on one subject.
type broken struct {
	*memory.Table
	subject string
	err     error
}

func (b broken) Append(ctx context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	if tx.Current != nil && tx.Current.Series.Subject.ID == b.subject {
		return ingest.Reply{Answer: model.Uncertain}, b.err
	}
	return b.Table.Append(ctx, tx)
}

func TestAppend_OneSeriesThatFailsForGoodStopsNoOther(t *testing.T) {
	t.Parallel()
	kind, denied := kindOf(t, keeping), errors.New("access denied")
	s := serviceOn(broken{memory.New(clock), "sensor_02", denied}, 1)
	var drafts []ingest.Draft
	for _, subject := range []string{"sensor_01", "sensor_02", "sensor_03"} {
		drafts = append(drafts, ingest.Draft{Subject: subject, At: minute(1)})
	}
	outcomes, err := s.AppendEvents(t.Context(), kind, drafts)
	if !errors.Is(err, denied) {
		t.Errorf("error: got %v, want it to wrap %v", err, denied)
	}
	wantVerdicts(t, outcomes, model.Applied, model.Unknown, model.Applied)
}

// silent refuses everything and names no reason.
type silent struct{ *memory.Table }

func (silent) Append(_ context.Context, tx ingest.Transaction) (ingest.Reply, error) {
	return ingest.Reply{Answer: model.Refused, Stored: make([]*model.Event, len(tx.Puts)+len(tx.Absent))}, nil
}

func TestAppend_RefusalWithoutReasonIsAnErrorAndNoLoop(t *testing.T) {
	t.Parallel()
	outcomes, err := serviceOn(silent{memory.New(clock)}, 1).AppendEvents(t.Context(), kindOf(t, keeping), []ingest.Draft{draft(minute(1), "")})
	if err == nil {
		t.Error("error: got none, want one that says the table named no reason")
	}
	wantVerdicts(t, outcomes, model.Unknown)
}
