package lifecycle

import (
	"context"
	"fmt"

	"github.com/tidemark-db/tidemark/internal/item"
	"github.com/tidemark-db/tidemark/pkg/keys"
	"github.com/tidemark-db/tidemark/pkg/model"
)

// LastSeen is the time of the newest event of a subject, over all its series that keep a
// current; ok is false where there is none. It is read from the currents, by one Query,
// so that nothing is written for it, and silence of any length does not age it away.
func (s *Service) LastSeen(ctx context.Context, subject model.Subject) (at model.Time, ok bool, _ error) {
	l := Listing{Partition: keys.SubjectPartition(subject), Prefix: keys.CurrentPrefix}
	for {
		page, err := s.Store.List(ctx, l)
		if err != nil {
			return 0, false, fmt.Errorf("find when %s was seen: %w", subject, err)
		}
		for _, it := range page.Items {
			if c, err := item.Current(it); err == nil && c.Ordered && (!ok || c.At > at) {
				at, ok = c.At, true
			}
		}
		if l.After = page.Next; l.After == (Place{}) {
			return at, ok, nil
		}
	}
}
