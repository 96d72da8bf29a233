package xray

import (
	"context"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go/middleware"

	"github.com/tidemark-db/tidemark/internal/store/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
)

// Mark is an option of a client: it adds the trace of the context to the events that are stored.
func Mark(o *dynamodb.Options) {
	o.APIOptions = append(o.APIOptions, func(stack *middleware.Stack) error {
		return stack.Initialize.Add(middleware.InitializeMiddlewareFunc("Trace", mark), middleware.Before)
	})
}

func mark(ctx context.Context, in middleware.InitializeInput,
	next middleware.InitializeHandler) (middleware.InitializeOutput, middleware.Metadata, error) {
	if trace, ok := ctx.Value(contextKey{}).(string); ok {
		switch request := in.Parameters.(type) {
		case *dynamodb.PutItemInput:
			add(trace, request.Item)
		case *dynamodb.TransactWriteItemsInput:
			for _, one := range request.TransactItems {
				if one.Put != nil {
					add(trace, one.Put.Item)
				}
			}
		}
	}
	return next.HandleInitialize(ctx, in)
}

func add(trace string, it map[string]types.AttributeValue) {
	if sk, ok := it[keys.AttrSK].(*types.AttributeValueMemberS); ok &&
		strings.HasPrefix(sk.Value, tablekeys.EventPrefix) {
		it[tablekeys.AttrTrace] = &types.AttributeValueMemberS{Value: trace}
	}
}
