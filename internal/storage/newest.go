package storage

import (
	"context"

	"github.com/tidemark-db/tidemark/pkg/model"
)

// NewestEvent reads the event of a series with the greatest time and id, strongly consistent,
// by one request; nil if no event is stored.
func NewestEvent(ctx context.Context, from EventReader, series model.Series) (*model.Event, error) {
	r := Range{Series: series, From: model.MinTime, To: model.MaxTime + 1, Newest: true, Limit: 1, Consistent: true}
	for e, err := range Events(ctx, from, r) {
		if err != nil {
			return nil, err
		}
		return &e, nil
	}
	return nil, nil
}
