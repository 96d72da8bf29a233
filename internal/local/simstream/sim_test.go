package simstream_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/local/eventsource"
	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

const sales = 6

// shop returns a history in which a shop makes, changes and cancels sales, and a function
// stores their total.
func shop(invoke func(sales, totals *simstream.Table) eventsource.Invoke) func(*simstream.Sim) {
	return func(s *simstream.Sim) {
		made, totals := simstream.NewTable(s, "shop", "id"), simstream.NewTable(s, "id")
		s.Deliver(simstream.Delivery{
			Settings: eventsource.Settings{ReportFailures: true, MaxRetries: -1, Bisect: true, Parallelization: 2, Filter: onlyNamed("shop")},
			Handler:  simstream.Function(invoke(made, totals)),
			Lost:     func(records []eventsource.Record) { redrive(s, 0, records) },
		})
		for i := range sales {
			d := s.Dice().Part("sale", i)
			if !d.Chance("happens", .9) {
				continue
			}
			s.After(d.Span("when", 2*time.Hour), func() {
				s.Go("the shop", d, func(ctx context.Context) {
					key := []string{"shop", fmt.Sprint("sale ", i)}
					_ = made.Put(ctx, item.Item{"shop": text(key[0]), "id": text(key[1]), "amount": number(1 << i)})
					if d.Chance("changed", .3) {
						_ = made.Put(ctx, item.Item{"shop": text(key[0]), "id": text(key[1]), "amount": number(100 << i)})
					}
					if d.Chance("cancelled", .3) {
						_ = made.Delete(ctx, key...)
					}
				})
			})
		}
		s.Check(func() error {
			if got, want := amount(totals.All("total")), amount(made.All("shop")); got != want {
				return fmt.Errorf("the total is %d, the sales are %d", got, want)
			}
			return nil
		})
	}
}

// redrive calls the function with lost records until it acknowledges them.
func redrive(s *simstream.Sim, try int, records []eventsource.Record) {
	s.Invoke("redrive", s.Dice().Part("redrive "+records[0].Seq, try), records, func(taken bool) {
		if !taken {
			s.After(time.Minute, func() { redrive(s, try+1, records) })
		}
	})
}

func onlyNamed(attribute string) eventsource.Filter {
	f, err := eventsource.ParseFilter(`{"dynamodb":{"Keys":{"` + attribute + `":{"S":[{"exists":true}]}}}}`)
	if err != nil {
		panic(err)
	}
	return f
}

// recount reads all sales and writes their sum, if the sum has not been written since it was
// read.
func recount(made, totals *simstream.Table) eventsource.Invoke {
	return func(ctx context.Context, _ []byte) ([]byte, error) {
		for {
			err := recountOnce(ctx, made, totals)
			if err == nil || ctx.Err() != nil {
				return nil, err
			}
		}
	}
}

func recountOnce(ctx context.Context, made, totals *simstream.Table) error {
	read, err := totals.Get(ctx, "total")
	if err != nil {
		return err
	}
	all, err := made.Query(ctx, "shop")
	if err != nil {
		return err
	}
	return totals.Update(ctx,
		simstream.Write{Key: []string{"total"}, Change: func(old item.Item) (item.Item, error) {
			if old["rev"].S != read["rev"].S {
				return nil, simstream.ErrCondition
			}
			rev := amount([]item.Item{{"amount": old["rev"]}})
			return item.Item{"amount": number(amount(all)), "rev": number(rev + 1)}, nil
		}})
}

func TestTrial_HandlerThatRecomputesPassesUnderEveryFault(t *testing.T) {
	t.Parallel()
	trial, struck := simstream.Trial{Setup: shop(recount)}, map[string]int{}
	trial.Explore(1, 500, func(r simstream.Result) bool {
		r.Total(struck)
		if r.Failure != nil {
			t.Errorf("seed %d: %v\n%v", r.Seed, r.Failure, trial.Shrink(r.Seed))
		}
		return r.Failure == nil
	})
	unused := []simstream.Fault{simstream.ExpiresLate, simstream.ExpiresNever, simstream.ExpiresUnsigned,
		simstream.OldCode}
	for _, f := range simstream.Faults() {
		if struck[f.String()] == 0 && !slices.Contains(unused, f) {
			t.Errorf("%s never occurred", f)
		}
	}
}

// newSales is a history of sales that are not changed later, with a handler that adds.
func newSales(s *simstream.Sim) {
	made, totals := simstream.NewTable(s, "shop", "id"), simstream.NewTable(s, "id")
	s.Deliver(simstream.Delivery{
		Settings: eventsource.Settings{ReportFailures: true, MaxRetries: -1, Filter: onlyNamed("shop")},
		Handler:  simstream.Function(adder{totals}.invoke),
	})
	for i := range sales {
		if d := s.Dice().Part("sale", i); d.Chance("happens", .9) {
			s.Go("the shop", d, func(ctx context.Context) {
				_ = made.Put(ctx, item.Item{"shop": text("shop"), "id": text(fmt.Sprint("sale ", i)),
					"amount": number(1 << i)})
			})
		}
	}
	s.Check(func() error {
		if got, want := amount(totals.All("total")), amount(made.All("shop")); got != want {
			return fmt.Errorf("the total is %d, the sales are %d", got, want)
		}
		return nil
	})
}

// A handler that adds is correct without faults, and wrong under each of these faults alone.
func TestTrial_FindsFaultsThatBreakAHandlerThatAdds(t *testing.T) {
	t.Parallel()
	const histories = 300
	find := func(rates simstream.Rates) *simstream.Trace {
		return simstream.Trial{Setup: newSales, Rates: rates}.Find(1, histories)
	}
	if trace := find(simstream.Only()); trace != nil {
		t.Errorf("without any fault:\n%v", trace)
	}
	for _, f := range []simstream.Fault{
		simstream.CrashAfter, simstream.ResponseLost, simstream.WriteUnconfirmed, simstream.WriteDelayed,
		simstream.Duplicate, simstream.ConcurrentDelivery, simstream.ShardReread, simstream.ReplayFromStart,
		simstream.Failover,
	} {
		if trace := find(simstream.Only(f)); trace == nil {
			t.Errorf("%s alone never made the total wrong", f)
		}
	}
	for _, f := range []simstream.Fault{
		simstream.Delay, simstream.ShortBatch, simstream.ShardSplit, simstream.ShardMerge, simstream.Slow,
		simstream.ClockSkew,
	} {
		if trace := find(simstream.Only(f)); trace != nil {
			t.Errorf("%s alone made the total wrong:\n%v", f, trace)
		}
	}
}

func TestTrial_OneSeedIsOneHistory(t *testing.T) {
	t.Parallel()
	trial := simstream.Trial{Setup: shop(recount)}
	for seed := range uint64(20) {
		if diff := cmp.Diff(trial.Trace(seed).String(), trial.Trace(seed).String()); diff != "" {
			t.Fatalf("seed %d gave two traces:\n%s", seed, diff)
		}
	}
}

func TestShrink_ReturnsAShorterFailingTrace(t *testing.T) {
	t.Parallel()
	trial := simstream.Trial{Setup: newSales}
	trace := trial.Find(3, 50)
	switch {
	case trace == nil:
		t.Fatal("a handler that adds was not seen to fail")
	case trace.Failure == nil || trace.Choices*3 > trace.Whole:
		t.Errorf("%d of %d choices left, failing with %v", trace.Choices, trace.Whole, trace.Failure)
	}
	if whole := trial.Trace(trace.Seed); len(trace.Lines)*2 > len(whole.Lines) {
		t.Errorf("%d of %d lines left", len(trace.Lines), len(whole.Lines))
	}
	if again := trial.Shrink(trace.Seed); again.String() != trace.String() {
		t.Errorf("shrinking twice gave two traces")
	}
}

func TestShrink_OfAPassingHistoryIsNil(t *testing.T) {
	if trace := (simstream.Trial{Setup: shop(recount)}).Shrink(1); trace != nil {
		t.Errorf("returned a trace of a passing history:\n%v", trace)
	}
}

func TestTrace_HasTheSeedAndMarksFaults(t *testing.T) {
	trace := simstream.Trial{Setup: newSales}.Find(1, 50).String()
	for _, want := range []string{"fails: the total is ", "!! ", "failed: ", "2026-01-01\n  09:"} {
		if !strings.Contains(trace, want) {
			t.Errorf("the trace does not contain %q:\n%s", want, trace)
		}
	}
}

func TestDice_SameNameGivesTheSameChoice(t *testing.T) {
	simstream.Trial{Setup: func(s *simstream.Sim) {
		d := s.Dice().Part("a part", 1)
		for range 3 {
			if d.Pick("n", 1000) != s.Dice().Part("a part", 1).Pick("n", 1000) {
				t.Error("the same choice gave two results")
			}
		}
		seen := map[int]bool{}
		for i := range 200 {
			n := s.Dice().Part("a part", i).Pick("n", 10)
			if n < 0 || n > 9 {
				t.Errorf("a choice of ten returned %d", n)
			}
			seen[n] = true
		}
		if len(seen) != 10 {
			t.Errorf("200 choices of ten returned %d different numbers", len(seen))
		}
		if span := d.Span("span", time.Minute); span < 0 || span >= time.Minute {
			t.Errorf("a span below a minute returned %v", span)
		}
	}}.Run(7)
}
