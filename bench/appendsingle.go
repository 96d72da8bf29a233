package bench

import (
	"context"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/tidemark-db/tidemark/internal/store/item"
	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// single measures alternating single appends of Tidemark and of the SDK with the same items, in
// milliseconds.
func single(n int) (ours, bare []float64, err error) {
	err = onServer(createBare, func(client *dynamodb.Client, _ string) error {
		in, kind := ingestInto(client)
		for i := range n {
			e := reading("bare", i)
			for _, way := range [2]struct {
				to  *[]float64
				run func() error
			}{
				{&ours, func() error { return appendTo(in, kind, "Tidemark", i, 1) }},
				{&bare, func() error { return transact(client, &e) }},
			} {
				began := time.Now()
				if err := way.run(); err != nil {
					return err
				}
				if i > n/10 { // the first appends warm the server
					*way.to = append(*way.to, float64(time.Since(began).Microseconds())/1e3)
				}
			}
		}
		return nil
	})
	return ours, bare, err
}

// transact is TransactWriteItems of the latest item and the event, as Tidemark stores them.
func transact(client *dynamodb.Client, e *model.Event) error {
	values := map[string]types.AttributeValue{}
	put := sdkItem(item.FromEvent(e))
	set := "SET "
	names := map[string]string{}
	for name, v := range sdkItem(item.FromLatest(&model.Latest{Series: e.Series, Ordered: true, Order: e.Order,
		Hash: e.Hash, Attrs: e.Attrs, CreatedAt: e.ArrivedAt})) {
		if name == keys.AttrPK || name == keys.AttrSK {
			continue
		}
		n := strconv.Itoa(len(names))
		names["#"+n], values[":"+n] = name, v
		if len(names) > 1 {
			set += ","
		}
		set += "#" + n + "=:" + n
	}
	names["#at"] = tablekeys.AttrAt
	values[":first"] = &types.AttributeValueMemberS{Value: e.At.String()}
	current := keys.Latest(e.Series)
	_, err := client.TransactWriteItems(context.Background(),
		&dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
			{Update: &types.Update{TableName: aws.String(appendTable), UpdateExpression: &set,
				ExpressionAttributeNames: names, ExpressionAttributeValues: values,
				ConditionExpression: aws.String("attribute_not_exists(#at) OR #at < :first"),
				Key:                 map[string]types.AttributeValue{"pk": &types.AttributeValueMemberS{Value: current.PK}, "sk": &types.AttributeValueMemberS{Value: current.SK}}}},
			{Put: &types.Put{TableName: aws.String(appendTable), Item: put,
				ConditionExpression: aws.String("attribute_not_exists(pk)")}},
		}})
	return err
}

func sdkItem(it item.Item) map[string]types.AttributeValue {
	out := map[string]types.AttributeValue{}
	for name, v := range it {
		switch v.Type {
		case item.S:
			out[name] = &types.AttributeValueMemberS{Value: v.S}
		case item.N:
			out[name] = &types.AttributeValueMemberN{Value: v.S}
		case item.B:
			out[name] = &types.AttributeValueMemberB{Value: v.B}
		}
	}
	return out
}
