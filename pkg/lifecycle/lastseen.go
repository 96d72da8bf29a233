package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/internal/table"
	"github.com/tidemark-db/tidemark/internal/tablekeys"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// LastSeen returns the time of the newest event of a subject, over all its series that
// have a latest item; ok is false if there is none. One query reads the latest items, so
// no write maintains this time, and it does not expire with the events.
func (s *Service) LastSeen(ctx context.Context, subject model.Subject) (at model.Time, ok bool, _ error) {
	l := table.ListRequest{Partition: keys.SubjectPartition(subject), Prefix: tablekeys.LatestPrefix}
	for it, err := range table.Items(ctx, s.Store, l) {
		if err != nil {
			return 0, false, fmt.Errorf("read when %s was last seen: %w", subject, err)
		}
		if c, err := item.Latest(it); err == nil && c.Ordered && (!ok || c.At > at) {
			at, ok = c.At, true
		}
	}
	return at, ok, nil
}
