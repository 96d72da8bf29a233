package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// unitBytes is how much one strongly consistent read unit reads.
const unitBytes = 4 << 10

// countRead counts what a read of so many items and bytes would cost in DynamoDB.
func countRead(ctx context.Context, items, size int, consistent bool) {
	units := float64(max(1, (size+unitBytes-1)/unitBytes))
	if !consistent {
		units /= 2
	}
	model.ReadMeterOf(ctx).Add(model.ReadCost{Requests: 1, Items: items, Units: units})
}
