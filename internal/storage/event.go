package storage

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// Event returns the stored event of an identity, by a consistent read; nil if there is none.
func Event(ctx context.Context, from EventReader, k model.EventKey) (*model.Event, error) {
	r := Range{Series: k.Series, From: k.At, To: k.At + 1, Consistent: true}
	for event, err := range Events(ctx, from, r) {
		if err != nil {
			return nil, fmt.Errorf("read event %s of %s: %w", k.At, k.Series, err)
		}
		if event.ID == k.ID {
			return &event, nil
		}
	}
	return nil, nil
}
