package simstream_test

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/tidemark-db/tidemark/internal/local/simstream"
	"github.com/tidemark-db/tidemark/internal/store/item"
)

// adder is a handler that adds each new amount to a total, without checking for repeated
// deliveries.
type adder struct{ totals *simstream.Table }

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
			simstream.Write{Key: []string{"total"}, Change: func(old item.Item) (item.Item, error) {
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
