package streamtest_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// A handler that adds what it is told to a total is right on a good day. The
// simulator finds a bad one, and tells the shortest it can make of it.
func ExampleTrial() {
	trial := streamtest.Trial{Play: func(s *streamtest.Sim) {
		sales, totals := streamtest.NewTable(s, "id"), streamtest.NewTable(s, "id")
		s.Deliver(streamtest.Delivery{
			Settings: streamtest.Settings{ReportFailures: true, MaxRetries: -1, Filter: onlySales},
			Handler:  streamtest.Function(adder{totals}.invoke),
		})
		for i := range 5 {
			if s.Dice().Of("sale", i).Chance("happens", .9) {
				s.Go("the shop", s.Dice().Of("sale", i), func(ctx context.Context) {
					_ = sales.Put(ctx, item.Item{"id": text(fmt.Sprint("sale ", i)), "amount": number(10)})
				})
			}
		}
		s.Check(func() error {
			want := 0
			for i := range 5 {
				want += 10 * len(sales.All(fmt.Sprint("sale ", i)))
			}
			if got := amount(totals.All("total")); got != want {
				return fmt.Errorf("the total is %d, the sales are %d", got, want)
			}
			return nil
		})
	}}
	fmt.Print(trial.Find(1, 100))
	// Output:
	// seed 2 fails: the total is 30, the sales are 20
	// 5 of its 51 choices are enough:
	// 2026-01-01
	//   09:00:00.100  the shop INSERT sale 4 {amount=10 id=sale 4}
	//   09:00:00.300  invocation 1 begins: INSERT sale 4
	//   09:00:00.400  invocation 1 INSERT total {amount=10 id=total}
	//   09:00:00.400  invocation 1 answers
	//   09:00:01.728  the shop INSERT sale 3 {amount=10 id=sale 3}
	//   09:00:01.928  !! batch delivered concurrently: INSERT sale 3
	//   09:00:01.928  invocation 3 begins: INSERT sale 3
	//   09:00:01.928  invocation 2 (again) begins: INSERT sale 3
	//   09:00:02.028  invocation 3 MODIFY total {amount=20 id=total}
	//   09:00:02.028  invocation 3 answers
	//   09:00:02.028  invocation 2 (again) MODIFY total {amount=30 id=total}
	//   09:00:02.028  invocation 2 (again) answers
	// which is wrong: the total is 30, the sales are 20
}

var onlySales, _ = streamtest.ParseFilter(`{"dynamodb":{"Keys":{"id":{"S":[{"prefix":"sale"}]}}}}`)

// adder is the aggregator of many a tutorial.
type adder struct{ totals *streamtest.Table }

func (a adder) invoke(ctx context.Context, payload []byte) ([]byte, error) {
	var batch struct {
		Records []struct {
			DynamoDB struct {
				NewImage struct {
					Amount struct {
						N int `json:",string"`
					}
				}
			}
		}
	}
	if err := json.Unmarshal(payload, &batch); err != nil {
		return nil, err
	}
	for _, record := range batch.Records {
		err := a.totals.Update(ctx, streamtest.Write{Key: []string{"total"}, Change: func(old item.Item) (item.Item, error) {
			return item.Item{"amount": number(amount([]item.Item{old}) + record.DynamoDB.NewImage.Amount.N)}, nil
		}})
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func amount(items []item.Item) (sum int) {
	for _, it := range items {
		n, _ := strconv.Atoi(it["amount"].S)
		sum += n
	}
	return sum
}

func text(s string) item.Value { return item.Value{Type: item.S, S: s} }
func number(n int) item.Value  { return item.Value{Type: item.N, S: strconv.Itoa(n)} }
