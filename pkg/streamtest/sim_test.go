package streamtest_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

const sales = 6

// shop is a history in which a shop makes, changes and cancels sales, and a function
// keeps their total.
func shop(invoke func(sales, totals *streamtest.Table) streamtest.Invoke) func(*streamtest.Sim) {
	return func(s *streamtest.Sim) {
		made, totals := streamtest.NewTable(s, "shop", "id"), streamtest.NewTable(s, "id")
		s.Deliver(streamtest.Delivery{
			Settings: streamtest.Settings{ReportFailures: true, MaxRetries: -1, Bisect: true, Parallelization: 2, Filter: onlyNamed("shop")},
			Handler:  streamtest.Function(invoke(made, totals)),
			Lost:     func(records []streamtest.Record) { redrive(s, 0, records) },
		})
		for i := range sales {
			d := s.Dice().Of("sale", i)
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

// redrive has the function see to what the table stream lost, until it did.
func redrive(s *streamtest.Sim, try int, records []streamtest.Record) {
	s.Invoke("redrive", s.Dice().Of("redrive "+records[0].Seq, try), records, func(taken bool) {
		if !taken {
			s.After(time.Minute, func() { redrive(s, try+1, records) })
		}
	})
}

func onlyNamed(attribute string) streamtest.Filter {
	f, err := streamtest.ParseFilter(`{"dynamodb":{"Keys":{"` + attribute + `":{"S":[{"exists":true}]}}}}`)
	if err != nil {
		panic(err)
	}
	return f
}

// recount looks at all sales again and writes their sum, on condition that nobody
// wrote it since it was read.
func recount(made, totals *streamtest.Table) streamtest.Invoke {
	return func(ctx context.Context, _ []byte) ([]byte, error) {
		for {
			err := recountOnce(ctx, made, totals)
			if err == nil || ctx.Err() != nil {
				return nil, err
			}
		}
	}
}

func recountOnce(ctx context.Context, made, totals *streamtest.Table) error {
	read, err := totals.Get(ctx, "total")
	if err != nil {
		return err
	}
	all, err := made.Query(ctx, "shop")
	if err != nil {
		return err
	}
	return totals.Update(ctx, streamtest.Write{Key: []string{"total"}, Change: func(old item.Item) (item.Item, error) {
		if old["rev"].S != read["rev"].S {
			return nil, streamtest.ErrCondition
		}
		rev := amount([]item.Item{{"amount": old["rev"]}})
		return item.Item{"amount": number(amount(all)), "rev": number(rev + 1)}, nil
	}})
}

func TestTrial_AHandlerThatLooksAgainHoldsUnderEveryFault(t *testing.T) {
	t.Parallel()
	trial, struck := streamtest.Trial{Play: shop(recount)}, map[string]int{}
	trial.Explore(1, 500, func(r streamtest.Result) bool {
		r.Total(struck)
		if r.Failure != nil {
			t.Errorf("seed %d: %v\n%v", r.Seed, r.Failure, trial.Shrink(r.Seed))
		}
		return r.Failure == nil
	})
	unused := []streamtest.Fault{streamtest.ExpiresLate, streamtest.ExpiresNever, streamtest.ExpiresUnsigned, streamtest.OldCode}
	for _, f := range streamtest.Faults() {
		if struck[f.String()] == 0 && !slices.Contains(unused, f) {
			t.Errorf("%s did not strike once", f)
		}
	}
}

// newSales is a history of sales that are made and then left alone, under a handler
// that adds.
func newSales(s *streamtest.Sim) {
	made, totals := streamtest.NewTable(s, "shop", "id"), streamtest.NewTable(s, "id")
	s.Deliver(streamtest.Delivery{
		Settings: streamtest.Settings{ReportFailures: true, MaxRetries: -1, Filter: onlyNamed("shop")},
		Handler:  streamtest.Function(adder{totals}.invoke),
	})
	for i := range sales {
		if d := s.Dice().Of("sale", i); d.Chance("happens", .9) {
			s.Go("the shop", d, func(ctx context.Context) {
				_ = made.Put(ctx, item.Item{"shop": text("shop"), "id": text(fmt.Sprint("sale ", i)), "amount": number(1 << i)})
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

// On a good day a handler that adds is right; each of these faults alone shows what it
// does on a bad one.
func TestTrial_FindsWhatEachFaultDoesToAHandlerThatAdds(t *testing.T) {
	t.Parallel()
	const histories = 300
	find := func(rates streamtest.Rates) *streamtest.Story {
		return streamtest.Trial{Play: newSales, Rates: rates}.Find(1, histories)
	}
	if story := find(streamtest.Only()); story != nil {
		t.Errorf("without any fault:\n%v", story)
	}
	for _, f := range []streamtest.Fault{
		streamtest.CrashAfter, streamtest.AnswerUnheard, streamtest.AnswerLost, streamtest.LandsLate,
		streamtest.Duplicate, streamtest.Overtaking, streamtest.Recut, streamtest.ReplayFromStart, streamtest.Failover,
	} {
		if story := find(streamtest.Only(f)); story == nil {
			t.Errorf("%s alone was not seen to do harm", f)
		}
	}
	for _, f := range []streamtest.Fault{
		streamtest.Delay, streamtest.ShortBatch, streamtest.ShardSplit, streamtest.ShardMerge, streamtest.Slow, streamtest.ClockSkew,
	} {
		if story := find(streamtest.Only(f)); story != nil {
			t.Errorf("%s alone did harm:\n%v", f, story)
		}
	}
}

func TestTrial_OneSeedIsOneHistory(t *testing.T) {
	t.Parallel()
	trial := streamtest.Trial{Play: shop(recount)}
	for seed := range uint64(20) {
		if diff := cmp.Diff(trial.Tell(seed).String(), trial.Tell(seed).String()); diff != "" {
			t.Fatalf("seed %d told two stories:\n%s", seed, diff)
		}
	}
}

func TestShrink_LeavesAStoryThatFailsAndIsShorter(t *testing.T) {
	t.Parallel()
	trial := streamtest.Trial{Play: newSales}
	story := trial.Find(1, 50)
	switch {
	case story == nil:
		t.Fatal("a handler that adds was not seen to fail")
	case story.Failure == nil || story.Choices*3 > story.Whole:
		t.Errorf("%d of %d choices left, failing with %v", story.Choices, story.Whole, story.Failure)
	}
	if whole := trial.Tell(story.Seed); len(story.Lines)*2 > len(whole.Lines) {
		t.Errorf("%d of %d lines left", len(story.Lines), len(whole.Lines))
	}
	if again := trial.Shrink(story.Seed); again.String() != story.String() {
		t.Errorf("shrunk twice, told two stories")
	}
}

func TestShrink_OfAHistoryThatHoldsIsNoStory(t *testing.T) {
	if story := (streamtest.Trial{Play: shop(recount)}).Shrink(1); story != nil {
		t.Errorf("told a story of a history that holds:\n%v", story)
	}
}

func TestStory_TellsItsSeedAndMarksFaults(t *testing.T) {
	story := streamtest.Trial{Play: newSales}.Find(1, 50).String()
	for _, want := range []string{"fails: the total is ", "!! ", "which is wrong: ", "2026-01-01\n  09:"} {
		if !strings.Contains(story, want) {
			t.Errorf("the story lacks %q:\n%s", want, story)
		}
	}
}

func TestDice_AreTheSameByTheSameName(t *testing.T) {
	streamtest.Trial{Play: func(s *streamtest.Sim) {
		d := s.Dice().Of("a part", 1)
		for range 3 {
			if d.Pick("n", 1000) != s.Dice().Of("a part", 1).Pick("n", 1000) {
				t.Error("one choice fell twice, otherwise")
			}
		}
		fell := map[int]bool{}
		for i := range 200 {
			n := s.Dice().Of("a part", i).Pick("n", 10)
			if n < 0 || n > 9 {
				t.Errorf("one of ten fell on %d", n)
			}
			fell[n] = true
		}
		if len(fell) != 10 {
			t.Errorf("200 choices of ten fell on %d of them", len(fell))
		}
		if span := d.Span("span", time.Minute); span < 0 || span >= time.Minute {
			t.Errorf("a span below a minute fell on %v", span)
		}
	}}.Run(7)
}
