package memory

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// unitBytes is what one read unit reads strongly consistent.
const unitBytes = 4 << 10

// took counts what a read of items that are size bytes together would cost on the
// server.
func took(ctx context.Context, items, size int, consistent bool) {
	units := float64(max(1, (size+unitBytes-1)/unitBytes))
	if !consistent {
		units /= 2
	}
	model.MeterOf(ctx).Add(model.Cost{Requests: 1, Items: items, Units: units})
}
