package streamtest_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/streamtest"
)

// The handler adds the amount of each record to a total, and does not check for repeated
// deliveries. Find returns the shortest history in which the total is wrong.
func ExampleTrial() {
	trial := streamtest.Trial{Setup: func(s *streamtest.Sim) {
		sales, totals := streamtest.NewTable(s, "id"), streamtest.NewTable(s, "id")
		s.Deliver(streamtest.Delivery{
			Settings: streamtest.Settings{ReportFailures: true, MaxRetries: -1, Filter: []string{onlySales}},
			Handler:  streamtest.Function(adder{totals}.invoke),
		})
		for i := range 5 {
			if s.Dice().Part("sale", i).Chance("happens", .9) {
				s.Go("the shop", s.Dice().Part("sale", i), func(ctx context.Context) {
					_ = sales.Put(ctx, streamtest.Item{"id": fmt.Sprint("sale ", i), "amount": 10})
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
	// seed 15 fails: the total is 20, the sales are 10
	// 5 of its 38 choices are enough to fail:
	// 2026-01-01
	//   09:00:00.100  the shop INSERT sale 0 {amount=10 id=sale 0}
	//   09:00:00.100  !! shard splits: shard-0 into shard-1 and shard-2
	//   09:00:00.300  invocation 1 starts: INSERT sale 0
	//   09:00:00.400  invocation 1 INSERT total {amount=10 id=total}
	//   09:00:00.400  invocation 1 returns
	//   09:00:01.300  invocation 2 (again) starts: INSERT sale 0
	//   09:00:01.400  invocation 2 (again) MODIFY total {amount=20 id=total}
	//   09:00:01.400  invocation 2 (again) returns
	// failed: the total is 20, the sales are 10
}

const onlySales = `{"dynamodb":{"Keys":{"id":{"S":[{"prefix":"sale"}]}}}}`

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
		err := a.totals.Update(ctx,
			streamtest.Write{Key: []string{"total"}, Change: func(old streamtest.Item) (streamtest.Item, error) {
				return streamtest.Item{"amount": amount([]streamtest.Item{old}) + record.DynamoDB.NewImage.Amount.N}, nil
			}})
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

func amount(items []streamtest.Item) (sum int) {
	for _, it := range items {
		n, _ := it["amount"].(json.Number)
		v, _ := n.Int64()
		sum += int(v)
	}
	return sum
}
